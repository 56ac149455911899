/**
 * What a plan that has run often is compiled to: its calls as text, in which every function has a
 * place of its own, with its parameters as a literal, and one function that calls all that give
 * their values at once. V8 knows at each place what is called and what it gives. What may not
 * simply be a value is left to the round.
 */
import { KIND } from '../define/brand.js';
import type { CallContext } from '../define/context.js';
import type { ResolverFn } from '../define/model.js';
import { anyQuestionMade, MEMBERS_LOOKED_AT, questionsMade } from '../define/question.js';
import { UNBOUND } from '../define/unbound.js';
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
  /** Whether what a node gave may be more than a value. */
  readonly looks: readonly ((value: object | null) => boolean)[];
  readonly bodyValues: (supply: Supply) => Values;
  readonly blank: () => unknown[];
  readonly counts: () => number[];
}

/** What compiled code has besides the functions that it calls. */
const TOOLS = {
  unbound: UNBOUND,
  questionsMade,
  anyQuestionMade,
  kind: KIND,
  prototypeOf: Object.getPrototypeOf,
  plain: Object.prototype,
};

type MakeCompiled = (functions: readonly ResolverFn[], tools: typeof TOOLS) => Compiled;

/** Compiles the calls of a plan, or gives nothing where the runtime does not allow it. */
export function compile(lists: CallLists): Compiled | undefined {
  const { functions, needCounts } = lists;
  const each = (text: (node: number) => string): string[] => functions.map((_, node) => text(node));
  const body = `const [${each((node) => `f${node}`).join()}]=functions;
const{${Object.keys(TOOLS).join()}}=tools;
${each((node) => `const look${node}=${LOOK};`).join('')}
return{calls:[${each((node) => `(walk,ctx)=>{const{given}=walk;return ${callText(lists, node)}}`).join()}],
pass(walk){const{given,ctx}=walk,before=questionsMade();let value;${passText(lists)}},
looks:[${each((node) => `look${node}`).join()}],
bodyValues(walk){const{given}=walk;return${literalText(lists, functions.length)}},
blank:()=>[${each(() => 'undefined').join()}],
counts:()=>[${needCounts.join()}]}`;
  const make = fromText(body, 'functions', 'tools') as MakeCompiled | undefined;
  return make?.(functions, TOOLS);
}

/**
 * Tells of an object whether it may be more than a value: a promise, an object of ours, or a list
 * or an object with a question inside. Each node gets a copy: V8 knows there what its objects are
 * like.
 */
const LOOK = `value=>{
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
return false}`;

/** What is neither an object nor a function is a value, unless a question was made on the way. */
function passText(lists: CallLists): string {
  const steps = lists.functions.slice(0, lists.plainNodes).map((_, node) => {
    const isMore = `(typeof value==="object"?look${node}(value):typeof value==="function")`;
    return `walk.passed=${node + 1};value=${callText(lists, node)};
if((${isMore}||questionsMade()!==before)&&!walk.settlesAtOnce(${node},value,before))return;
given[${node}]=value;`;
  });
  return steps.join('');
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
