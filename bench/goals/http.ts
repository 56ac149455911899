/** Q7 and Q12: the CPU time of servers over loopback sockets. */
import { shareOf, type Figure, type Goal, type Limits } from '../goal.js';
import { modernLoad } from '../http/load.js';
import { flows, type Era, type FlowName } from '../http/messages.js';
import { start, startProxy, type ServerProcess } from '../http/process.js';
import { compareServers, type Start } from '../http/servers.js';
import { askingLoad, plainLoad } from '../http/sessions.js';
import type { Effort } from '../measure/compare.js';

function loadFor(era: Era, name: FlowName): typeof modernLoad {
  if (era === '2026-07-28') return modernLoad;
  return flows[name].answers.length === 0 ? plainLoad : askingLoad;
}

function starting(way: 'ours' | 'byHand', era: Era, tool: FlowName): Start {
  return async () => {
    const server = await start({ way, tool, era });
    return { ...server, load: await loadFor(era, tool)(server.url, flows[tool]) };
  };
}

async function againstHand(
  era: Era,
  tool: FlowName,
  { effort, limits }: { readonly effort: Effort; readonly limits?: Limits },
): Promise<Figure> {
  const ratio = await compareServers(
    starting('ours', era, tool),
    starting('byHand', era, tool),
    effort,
  );
  const what = tool === 'confirm' ? 'confirm flow' : 'call that asks nothing';
  return shareOf(`${what} over HTTP, ${era}, CPU of the server / by hand`, ratio, limits);
}

/** Starts servers behind a proxy that sends each request to the next of them. */
function behindProxy(count: number): Start {
  return async () => {
    const servers: ServerProcess[] = [];
    for (let each = 0; each < count; each += 1)
      servers.push(await start({ way: 'ours', tool: 'confirm', era: '2026-07-28' }));
    const proxy = await startProxy(servers.map(({ url }) => url));
    const cpu = async (): Promise<number> => {
      const times = await Promise.all(servers.map((server) => server.cpu()));
      return times.reduce((sum, time) => sum + time);
    };
    const stop = (): void => {
      for (const each of [proxy, ...servers]) each.stop();
    };
    return { cpu, stop, load: await modernLoad(proxy.url, flows.confirm) };
  };
}

export const httpGoals: readonly Goal[] = [
  {
    id: 'Q7',
    group: 'http',
    title: 'confirm flow over HTTP for 2025-11-25 clients, against a server by hand',
    measure: async ({ effort, progress }) => {
      progress('servers of both kinds, over loopback sockets');
      // AsyncLocalStorage makes promises dearer on Node 20.
      const limits = process.version.startsWith('v20.')
        ? { bar: 1.25, goal: 1.1 }
        : { bar: 1.1, goal: 1 };
      return [await againstHand('2025-11-25', 'confirm', { effort, limits })];
    },
  },
  {
    id: 'Q12',
    group: 'http',
    title: 'two processes behind a proxy against one',
    measure: async ({ effort, progress }) => {
      progress('both behind a proxy, over loopback sockets');
      // Each server of the comparison is up to three processes.
      const fewer = { ...effort, perWay: 2 };
      const ratio = await compareServers(behindProxy(2), behindProxy(1), fewer);
      const name = 'confirm flow on two processes behind a proxy / on one, CPU of the servers';
      return [shareOf(name, ratio, { bar: 1.1 })];
    },
  },
  {
    id: 'servers',
    group: 'http',
    title: 'other calls over HTTP against servers by hand',
    measure: async ({ effort, progress }) => {
      const figures: Figure[] = [];
      for (const [era, tool] of [
        ['2026-07-28', 'confirm'],
        ['2026-07-28', 'plain'],
        ['2025-11-25', 'plain'],
      ] as const) {
        progress(`${tool} for ${era} clients, over loopback sockets`);
        figures.push(await againstHand(era, tool, { effort }));
      }
      return figures;
    },
  },
];
