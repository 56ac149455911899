/** Q6: the CPU time of servers over loopback sockets, against the SDKs of other languages. */
import { shareOf, type Bench, type Figure, type Goal, type Limits } from '../goal.js';
import { bodiesOf, modernLoad } from '../http/load.js';
import { flows, type FlowName } from '../http/messages.js';
import { start, startEcho } from '../http/process.js';
import { measureServers, type Start } from '../http/servers.js';
import { goProgram, obstacleOf, pythonPrograms, rustProgram } from '../languages/programs.js';
import { starting, type Program } from '../languages/programs.js';
import { ratioOf, type Slices } from '../measure/compare.js';
import { olderNode } from '../measure/nodes.js';
import { median } from '../measure/statistics.js';

/** Another server, and the limits of our share of its CPU time. */
interface Rival {
  readonly name: string;
  readonly start: Start;
  readonly limits?: Limits;
}

/** The names of servers in results and in the chart. */
export const ECHO = 'a bare node:http echo';
export const OURS = 'mcp-resolve';
export const ON_NODE_20 = 'mcp-resolve on Node 20';

const ours =
  (tool: FlowName, node?: string): Start =>
  async () => {
    const server = await start({ way: 'ours', tool, era: '2026-07-28', ...(node && { node }) });
    return { ...server, load: await modernLoad(server.url, flows[tool]) };
  };

/** Returns the programs that this machine can build, and tells which ones it cannot. */
async function rivalsOf(
  programs: readonly (readonly [Program, Limits?])[],
  flow: FlowName,
  { progress }: Bench,
): Promise<Rival[]> {
  const rivals: Rival[] = [];
  for (const [program, limits] of programs) {
    const { name } = program;
    const obstacle = obstacleOf(program);
    progress(obstacle === undefined ? `building ${name}` : `skipped ${name}: ${obstacle}`);
    if (obstacle !== undefined) continue;
    const command = await program.build();
    rivals.push({ name, start: starting(command(flow), flow), ...(limits && { limits }) });
  }
  return rivals;
}

/** The processes per way, fewer than elsewhere, because there are seven ways. */
const PER_WAY = 3;

/** Answers with the bodies of our own responses. */
const echo: Start = async () => {
  const server = await start({ way: 'ours', tool: 'confirm', era: '2026-07-28' });
  const bodies = await bodiesOf(server.url, flows.confirm);
  server.stop();
  const echoing = await startEcho(bodies);
  return { ...echoing, load: await modernLoad(echoing.url, flows.confirm) };
};

/** Returns the ratios to the rivals, and the CPU time of each server in milliseconds. */
async function figuresOf(
  flow: FlowName,
  rivals: readonly Rival[],
  { effort, progress }: Bench,
): Promise<Figure[]> {
  const what = flow === 'confirm' ? 'confirm flow' : 'refund of three rounds';
  progress(`${what}, against ${rivals.length} others`);
  const kinds = [ours(flow), ...rivals.map((rival) => rival.start)];
  const perWay = Math.min(effort.perWay, PER_WAY);
  const [our = [], ...theirs] = await measureServers(kinds, { ...effort, perWay });
  const took = (name: string, slices: readonly Slices[]): Figure => ({
    name: nameOfTime(what, name),
    value: median(slices.map(median)),
    unit: 'ms',
    better: 'lower',
  });
  return [
    ...rivals.map(({ name, limits }, index) =>
      shareOf(
        `${what} over HTTP, CPU of the server / ${name}`,
        ratioOf(our, theirs[index] ?? []),
        limits,
      ),
    ),
    took(OURS, our),
    ...rivals.map(({ name }, index) => took(name, theirs[index] ?? [])),
  ];
}

/** Returns the name of the figure with the CPU time of a server. */
export const nameOfTime = (what: string, server: string): string =>
  `CPU of the server for a ${what}: ${server}`;

const [fast, slow] = pythonPrograms as [Program, Program];

export const languagesGoals: readonly Goal[] = [
  {
    id: 'Q6',
    group: 'languages',
    title: 'refund desk over HTTP against the Python SDK',
    measure: async (bench) => {
      const limits = [
        [fast, { bar: 0.5, goal: 0.35 }],
        [slow, { bar: 0.35, goal: 0.25 }],
      ] as const;
      const rivals = await rivalsOf(limits, 'refund', bench);
      return rivals.length === 0 ? [] : figuresOf('refund', rivals, bench);
    },
  },
  {
    id: 'Q6b',
    group: 'languages',
    title: 'confirm flow over HTTP against other languages and a bare echo',
    measure: async (bench) => {
      const programs = [[fast], [slow], [goProgram, { bar: 1.2, goal: 1 }], [rustProgram]] as const;
      const rivals = await rivalsOf(programs, 'confirm', bench);
      const limit: Rival = { name: ECHO, start: echo, limits: { bar: 14, goal: 10 } };
      const node = olderNode();
      const older = { name: ON_NODE_20, start: ours('confirm', node) };
      return figuresOf('confirm', [...rivals, limit, ...(node ? [older] : [])], bench);
    },
  },
];
