/**
 * Runs each way of a comparison in processes of its own.
 *
 * Every process runs the program of the goal from the start. The lead starts the processes of each
 * comparison. Such a process passes over the comparisons before its own, and then waits for
 * messages: prepare, or run a slice.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

import { cpuClock, runnerOf, type Effort, type Pair } from './compare.js';
import type { Processes, Runner } from './compare.js';

/** The comparison and the way that a process runs. */
export interface Place {
  readonly comparison: number;
  readonly way: 'ours' | 'theirs';
}

type Message = Pick<Effort, 'warmMs' | 'sliceMs'> | 'slice';

/** The program that a process runs. */
export interface Program {
  readonly file: string;
  /** Returns its arguments for a place. */
  readonly args: (place: Place) => readonly string[];
  readonly perWay: number;
}

/** Creates the processes of the lead. */
export function leading({ file, args, perWay }: Program): Processes {
  let comparison = -1;
  return {
    next: () => {
      comparison += 1;
      const children: ChildProcess[] = [];
      const start = (way: Place['way']): Runner[] =>
        Array.from({ length: perWay }, () => {
          const child = fork(file, args({ comparison, way }));
          children.push(child);
          return runnerIn(child);
        });
      const pair: Pair = {
        ours: start('ours'),
        theirs: start('theirs'),
        stop: () => {
          for (const child of children) if (child.connected) child.disconnect();
        },
      };
      return Promise.resolve(pair);
    },
  };
}

function runnerIn(child: ChildProcess): Runner {
  const ended = new AbortController();
  child.once('exit', (code) => {
    ended.abort(new Error(`A process of the benchmark exited with code ${code}.`));
  });
  const told = async (): Promise<number> => {
    const [answer] = (await once(child, 'message', ended)) as [number];
    return answer;
  };
  const ready = told();
  const ask = async (message: Message): Promise<number> => {
    await ready;
    const answer = told();
    child.send(message);
    return answer;
  };
  return {
    prepare: async ({ warmMs, sliceMs }) => {
      await ask({ warmMs, sliceMs });
    },
    slice: () => ask('slice'),
  };
}

/** Creates the processes as one of them sees them. It serves its place until the lead disconnects. */
export function following(place: Place): Processes {
  let comparison = -1;
  return {
    next: async ([ours, theirs]) => {
      comparison += 1;
      if (comparison < place.comparison) return undefined;
      const runner = runnerOf(place.way === 'ours' ? ours : theirs, cpuClock);
      process.on('message', (message: Message) => {
        void answer(runner, message).then((cost) => process.send?.(cost));
      });
      process.send?.(0);
      await once(process, 'disconnect');
      process.exit();
    },
  };
}

async function answer(runner: Runner, message: Message): Promise<number> {
  if (message === 'slice') return runner.slice();
  await runner.prepare(message);
  return 0;
}
