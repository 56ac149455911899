/**
 * What a plan that has run often is compiled to: its calls as text, in which every function has a
 * place of its own, with its parameters as a literal. V8 knows at each place what is called, what
 * it gives and who needs that, which it cannot know of a loop over all nodes.
 *
 * Nothing is decided here. Compiled code goes on for as long as functions give values, now or
 * later, and hands everything else to the round: a question, an error, whatever may not simply be a
 * value.
 */
import { KIND } from '../define/brand.js';
import type { CallContext } from '../define/context.js';
import type { ResolverFn } from '../define/model.js';
import { anyQuestionMade, MEMBERS_LOOKED_AT, questionsMade } from '../define/question.js';
import { UNBOUND } from '../define/unbound.js';
import { isGenuine } from '../platform.js';
import { fromText } from './fromText.js';

/** What a round has to fill parameters with. */
export interface Supply {
  /** The values of the nodes. */
  readonly given: readonly unknown[];
  argument(name: string): unknown;
  outcomeOf(node: number): unknown;
}

/** A round, as far as compiled code knows it. */
export interface Walk extends Supply {
  readonly given: unknown[];
  readonly ctx: CallContext;
  /** How many nodes have been passed, that which is being called included. */
  passed: number;
  /** What is counted, once a node has to be awaited. */
  readonly needs: Counts | undefined;
  /** Whether all that happened is that functions gave values, now or later. */
  readonly isUsual: boolean;
  /** Looks at what may not simply be a value; gives whether it is one, and begins what it is not. */
  settlesAtOnce(node: number, returned: unknown, questionsBefore: number): boolean;
  /** Starts a node of a round that is no longer usual. */
  startSlowly(node: number): void;
  /** Takes what may not simply be a value. */
  took(node: number, returned: unknown, questionsBefore: number): void;
  threw(node: number, error: unknown, questionsBefore: number): void;
  /** Takes what came later and may not simply be a value, or for which nobody waits any more. */
  arrive(node: number, value: unknown): void;
  broke(node: number, error: unknown): void;
  /** Works off what was put into the queue, and ends the round where nothing is awaited. */
  goOn(): void;
}

/** What the nodes of a round still need. */
export interface Counts {
  /** Whether others than the nodes that wait have to get their turn. */
  readonly isDue: boolean;
  beginWaiting(node: number): void;
  endWaiting(node: number): boolean;
  serve(consumer: number): boolean;
  enqueue(node: number): void;
}

/** The object that a function is called with. */
export type Values = Record<string, unknown>;

/** What is compiled for a plan. */
export interface Compiled {
  readonly calls: readonly ((
    given: Supply['given'],
    supply: Supply,
    ctx: CallContext,
  ) => unknown)[];
  /** Calls the plain functions at the front, one after the other. */
  readonly pass: (walk: Walk) => void;
  /** Start a node. */
  readonly starts: readonly ((walk: Walk) => void)[];
  /** Go on when what a node gave arrives: pass it on, and start those who waited for it alone. */
  readonly follows: readonly (((walk: Walk, promise: Promise<unknown>) => void) | undefined)[];
  readonly bodyValues: (given: Supply['given'], supply: Supply) => Values;
  readonly blank: () => unknown[];
  readonly counts: () => number[];
}

/** What fills a parameter, if it is not the bare value of a node. */
export type Other = { readonly argument: string } | { readonly outcomeOf: number };

/** The calls of a plan, in flat lists. */
export interface Layout {
  readonly functions: readonly ResolverFn[];
  readonly needCounts: readonly number[];
  /** Whether the value of each node is neither pinned nor disposed of. */
  readonly plain: readonly boolean[];
  /** The first so many nodes are plain. */
  readonly plainNodes: number;
  /** The nodes that each node serves, in walk order. */
  readonly consumers: readonly (readonly number[])[];
  readonly params: readonly string[];
  /** For each parameter the node that fills it, or below zero what else does. */
  readonly sources: readonly number[];
  /** Where the parameters of each node end; those of the body come last. */
  readonly ends: readonly number[];
  readonly others: readonly Other[];
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

/**
 * Tells of an object whether it may be more than a value: a promise, an object of ours, a list or
 * an object with a question inside, or what cannot even be looked at. Each node gets a copy: V8
 * knows there what its objects are like.
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

/** Compiles the calls of a plan, or gives nothing where the runtime does not allow it. */
export function compile(layout: Layout): Compiled | undefined {
  const { functions, needCounts } = layout;
  const each = (text: (node: number) => string): string[] => functions.map((_, node) => text(node));
  const body = `const [${each((node) => `f${node}`).join()}]=functions;
const{${Object.keys(TOOLS).join()}}=tools;
${each((node) => `const look${node}=${LOOK};`).join('')}
${each((node) => followText(layout, node)).join('')}
${each((node) => startText(layout, node)).join('')}
return{calls:[${each((node) => `(given,supply,ctx)=>${callText(layout, node)}`).join()}],
pass(supply){const{given,ctx}=supply,before=questionsMade();let value;${passText(layout)}},
starts:[${each((node) => `start${node}`).join()}],
follows:[${each((node) => `follow${node}`).join()}],
bodyValues:(given,supply)=>(${literal(layout, functions.length)}),
blank:()=>[${each(() => 'undefined').join()}],
counts:()=>[${needCounts.join()}]}`;
  const make = fromText(body, 'functions', 'tools') as MakeCompiled | undefined;
  return make?.(functions, TOOLS);
}

function passText(layout: Layout): string {
  const steps = layout.functions.slice(0, layout.plainNodes).map(
    (_, node) => `supply.passed=${node + 1};value=${callText(layout, node)};
if((${isMore(node)}||questionsMade()!==before)&&!supply.settlesAtOnce(${node},value,before))return;
given[${node}]=value;`,
  );
  return steps.join('');
}

/** Those who wait for a value that is there at once get into the queue: a chain of them is long. */
function startText(layout: Layout, node: number): string {
  if (layout.plain[node] !== true)
    return `const start${node}=supply=>{supply.startSlowly(${node})};`;
  const served = layout.consumers[node]?.map(
    (consumer) => `if(${isNext(consumer)})needs.enqueue(${consumer});`,
  );
  return `const start${node}=supply=>{
if(!supply.isUsual){supply.startSlowly(${node});return}
const{given,needs,ctx}=supply,before=questionsMade();let value;
try{value=${callText(layout, node)}}catch(error){supply.threw(${node},error,before);return}
if(isGenuine(value)&&questionsMade()===before)follow${node}(supply,value);
else if(${isMore(node)}||questionsMade()!==before)supply.took(${node},value,before);
else{given[${node}]=value;${served?.join('') ?? ''}}};`;
}

/** Those who wait for a value that arrives start right away. */
function followText(layout: Layout, node: number): string {
  if (layout.plain[node] !== true) return `const follow${node}=undefined;`;
  const served = layout.consumers[node]?.map(
    (consumer) => `if(${isNext(consumer)})start${consumer}(supply);`,
  );
  return `const follow${node}=(supply,promise)=>{
const{needs}=supply;
needs.beginWaiting(${node});
promise.then(value=>{
if(!supply.isUsual||${isMore(node)}||!needs.endWaiting(${node})){supply.arrive(${node},value);return}
supply.given[${node}]=value;
${served?.join('') ?? ''}
if(needs.isDue)supply.goOn()},
error=>{supply.broke(${node},error)})};`;
}

/** Whether a node has got its last need, and is not to start later anyway. */
function isNext(node: number): string {
  return `needs.serve(${node})&&${node}<supply.passed`;
}

/** What is neither an object nor a function is a value. */
function isMore(node: number): string {
  return `(typeof value==="object"?look${node}(value):typeof value==="function")`;
}

function callText(layout: Layout, node: number): string {
  return `f${node}.call(unbound,${literal(layout, node)},ctx)`;
}

function literal(layout: Layout, node: number): string {
  const { params, sources, ends } = layout;
  const members: string[] = [];
  for (let at = node === 0 ? 0 : (ends[node - 1] ?? 0); at < (ends[node] ?? 0); at += 1) {
    members.push(`${JSON.stringify(params[at])}:${expression(layout, sources[at] ?? 0)}`);
  }
  return `{${members.join()}}`;
}

function expression({ others }: Layout, source: number): string {
  if (source >= 0) return `given[${source}]`;
  const other = others[-source - 1];
  if (other === undefined) return 'undefined';
  return 'argument' in other
    ? `supply.argument(${JSON.stringify(other.argument)})`
    : `supply.outcomeOf(${other.outcomeOf})`;
}
