/**
 * What a plan that has run often is compiled to: its calls as text, in which every function has a
 * place of its own, with its parameters as a literal. V8 knows at each place what is called, what
 * it gives and who needs that.
 *
 * Compiled code shares values and counts with the round, so that either goes on where the other
 * stopped. It passes values on, those that are there and those that arrive, and leaves all else to
 * the round: questions, errors, and whatever may not simply be a value.
 */
import { KIND } from '../define/brand.js';
import type { CallContext } from '../define/context.js';
import type { ResolverFn } from '../define/model.js';
import { anyQuestionMade, MEMBERS_LOOKED_AT, questionsMade } from '../define/question.js';
import { UNBOUND } from '../define/unbound.js';
import { isGenuine } from '../platform.js';
import type { CallLists } from './callLists.js';
import { fromText } from './fromText.js';
import type { Supply, Walk } from './walk.js';

/** The object that a function is called with. */
export type Values = Record<string, unknown>;

/** What is compiled for a plan; lists have an entry for each node. */
export interface Compiled {
  readonly calls: readonly ((supply: Supply, ctx: CallContext) => unknown)[];
  /** Calls the functions at the front, one after the other, as long as each gives a value. */
  readonly pass: (walk: Walk) => void;
  readonly starts: readonly (((walk: Walk) => void) | undefined)[];
  /** Wait for a promise: they pass on what arrives, and start those who needed that last. */
  readonly waits: readonly (((walk: Walk, promise: Promise<unknown>) => void) | undefined)[];
  readonly bodyValues: (supply: Supply) => Values;
  readonly blank: () => unknown[];
  readonly counts: () => number[];
}

/** What compiled code has besides the functions that it calls. */
const TOOLS = {
  unbound: UNBOUND,
  questionsMade,
  anyQuestionMade,
  isGenuine,
  kind: KIND,
  prototypeOf: Object.getPrototypeOf,
  plain: Object.prototype,
};

type MakeCompiled = (functions: readonly ResolverFn[], tools: typeof TOOLS) => Compiled;

/** Compiles the calls of a plan, or gives nothing where the runtime does not allow it. */
export function compile(
  lists: CallLists,
  consumers: readonly (readonly number[])[],
): Compiled | undefined {
  const { functions, needCounts, isPassedOn } = lists;
  const each = (text: (node: number) => string): string[] => functions.map((_, node) => text(node));
  const passedOn = [...isPassedOn.keys()].filter((node) => isPassedOn[node]);
  const oneOf = (name: string) => (node: number) =>
    isPassedOn[node] ? `${name}${node}` : 'undefined';
  const body = `const [${each((node) => `f${node}`).join()}]=functions;
const{${Object.keys(TOOLS).join()}}=tools;
${passedOn.map((node) => `const look${node}=${LOOK};`).join('')}
${passedOn.map((node) => waitText(node, lists, consumers[node] ?? [])).join('')}
${passedOn.map((node) => startText(node, lists, consumers[node] ?? [])).join('')}
return{calls:[${each((node) => `(walk,ctx)=>{const{given}=walk;return ${callText(lists, node)}}`).join()}],
pass(walk){const{given,ctx}=walk,before=questionsMade();let value;${passText(lists)}},
starts:[${each(oneOf('start')).join()}],
waits:[${each(oneOf('wait')).join()}],
bodyValues(walk){const{given}=walk;return${literalText(lists, functions.length)}},
blank:()=>[${each(() => 'undefined').join()}],
counts:()=>[${needCounts.join()}]}`;
  const make = fromText(body, 'functions', 'tools') as MakeCompiled | undefined;
  return make?.(functions, TOOLS);
}

/**
 * Tells of an object whether it may be more than a value: a promise, an object of ours, a list or
 * an object with a question inside, or what cannot even be looked at. The round then looks again.
 * Each node gets a copy: V8 knows there what its objects are like.
 */
const LOOK = `value=>{try{
if(value===null)return false;
if(value.then!==undefined||value[kind]!==undefined)return true;
if(!anyQuestionMade())return false;
if(prototypeOf(value)!==plain)return true;
let members=0;
for(const name in value){
const member=value[name];
if(typeof member==="object"&&member!==null)return true;
members+=1;
if(members===${MEMBERS_LOOKED_AT})return false}
return false}catch{return true}}`;

function passText(lists: CallLists): string {
  const { functions, isPassedOn } = lists;
  const end = isPassedOn.indexOf(false);
  const front = functions.slice(0, end === -1 ? functions.length : end);
  const steps = front.map(
    (_, node) => `walk.passed=${node + 1};value=${callText(lists, node)};
if((${isMoreText(node)}||questionsMade()!==before)&&!walk.settlesAtOnce(${node},value,before))return;
given[${node}]=value;`,
  );
  return steps.join('');
}

/** Those who need a value that is there at once get into the queue: a chain of them can be long. */
function startText(node: number, lists: CallLists, consumers: readonly number[]): string {
  const served = consumers.map((next) => `if(${isNextText(next)})needs.enqueue(${next});`);
  return `const start${node}=walk=>{
if(!walk.isUsual){walk.startSlowly(${node});return}
const{given,needs,ctx}=walk,before=questionsMade();let value;
try{value=${callText(lists, node)};
if(questionsMade()===before){
if(isGenuine(value)){wait${node}(walk,value);return}
if(!${isMoreText(node)}){given[${node}]=value;${served.join('')}return}}
}catch(error){walk.threw(${node},error,before);return}
walk.took(${node},value,before)};`;
}

/** Those who need a value that arrives start right away. */
function waitText(node: number, lists: CallLists, consumers: readonly number[]): string {
  const served = consumers.map((next) => {
    const start = lists.isPassedOn[next] ? `start${next}(walk)` : `walk.startSlowly(${next})`;
    return `if(${isNextText(next)})${start};`;
  });
  return `const wait${node}=(walk,promise)=>{
const{needs}=walk;
needs.beginWaiting(${node});
promise.then(value=>{
if(!walk.isUsual||${isMoreText(node)}||!needs.endWaiting(${node})){walk.arrive(${node},value);return}
walk.given[${node}]=value;${served.join('')}
if(needs.isDue)walk.goOn()},
error=>{walk.broke(${node},error)})};`;
}

/** Whether a node has got its last need, and is not to start later anyway. */
function isNextText(node: number): string {
  return `needs.serve(${node})&&${node}<walk.passed`;
}

/** What is neither an object nor a function is a value. */
function isMoreText(node: number): string {
  return `(typeof value==="object"?look${node}(value):typeof value==="function")`;
}

function callText(lists: CallLists, node: number): string {
  return `f${node}.call(unbound,${literalText(lists, node)},ctx)`;
}

function literalText(lists: CallLists, node: number): string {
  const members: string[] = [];
  for (let at = lists.startOf(node); at < lists.endOf(node); at += 1) {
    const source = lists.sources[at] ?? 0;
    members.push(`${JSON.stringify(lists.params[at])}:${sourceText(lists, source)}`);
  }
  return `{${members.join()}}`;
}

function sourceText(lists: CallLists, source: number): string {
  if (source >= 0) return `given[${source}]`;
  const other = lists.otherAt(source);
  if (other === undefined) return 'undefined';
  return 'argument' in other
    ? `walk.argument(${JSON.stringify(other.argument)})`
    : `walk.outcomeOf(${other.outcomeOf})`;
}
