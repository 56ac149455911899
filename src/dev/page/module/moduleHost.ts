/**
 * The process that loads the author's module and makes its calls. The command starts a new one for
 * every version of the module, because a process cannot unload one. It receives a load order and
 * then actions, and sends news. It says at once that it took a message.
 */
import type { AnyDefinition } from '../../../definition/definitions.js';
import { messageOf } from '../../../errors.js';
import { isObject } from '../../../values.js';
import type { ModuleCommand } from '../../load/findDefinitions.js';
import { chosen } from '../../load/findDefinitions.js';
import { CommandFailure } from '../../load/failure.js';
import { callFactory, loadModule } from '../../load/loadModule.js';
import type { Action, AuthData, CheatName, Outline, RunNews } from '../protocol.js';
import { cheatWith, impossible } from './cheats.js';
import { LiveRun } from './liveRun.js';
import { idOf, outlineOf } from './outlines.js';

/** A message to the process. The first one is a load order. */
export type ToHost =
  | { readonly type: 'load'; readonly command: ModuleCommand }
  | Exclude<Action, { readonly type: 'reload' }>;

/** A message from the process. */
export type FromHost =
  | {
      readonly type: 'loaded';
      readonly outlines: readonly Outline[];
      readonly identities: Readonly<Record<string, AuthData>>;
    }
  | { readonly type: 'failed'; readonly problem: string }
  | { readonly type: 'took' }
  | { readonly type: 'run'; readonly news: RunNews };

const definitions = new Map<string, AnyDefinition>();
const outlines = new Map<string, Outline>();
let current: LiveRun | undefined;

function send(message: FromHost): void {
  process.send?.(message);
}

process.on('message', (message: ToHost) => {
  send({ type: 'took' });
  obey(message).catch((error: unknown) => {
    send({ type: 'run', news: { type: 'log', text: messageOf(error) } });
  });
});
// The command has ended.
process.on('disconnect', () => process.exit());

async function obey(message: ToHost): Promise<void> {
  switch (message.type) {
    case 'load':
      return load(message.command);
    case 'run':
      await current?.stop();
      current = startRun(message.spec);
      return current.play();
    case 'answer':
      current?.answer(message.answers);
      return;
    case 'decide':
      return current?.decide(message.decision);
    case 'stop':
      return current?.stop();
    case 'cheat':
      return cheat(message.cheat);
  }
}

async function load(command: ModuleCommand): Promise<void> {
  try {
    const loaded = await loadModule(command.file, command.timeoutMs);
    const made = await callFactory(loaded, command);
    const all = chosen(command, [...new Set([...loaded.definitions, ...made.definitions])]);
    for (const definition of all) {
      const outline = await outlineOf(definition, loaded.exports);
      definitions.set(outline.id, definition);
      outlines.set(outline.id, outline);
    }
    const identities = identitiesIn(loaded.exports.identities);
    send({ type: 'loaded', outlines: [...outlines.values()], identities });
  } catch (error) {
    const code = error instanceof CommandFailure && error.code !== undefined ? error.code : '';
    send({ type: 'failed', problem: `${code === '' ? '' : `${code}: `}${messageOf(error)}` });
  }
}

/** Returns the callers that the module exports. */
function identitiesIn(exported: unknown): Record<string, AuthData> {
  const entries = Object.entries(isObject(exported) ? exported : {});
  return Object.fromEntries(
    entries.filter((entry): entry is [string, AuthData] => isObject(entry[1])),
  );
}

function startRun(spec: LiveRun['spec']): LiveRun {
  const definition = definitions.get(spec.id);
  if (definition === undefined) throw new Error(`The module has no ${spec.id}.`);
  return new LiveRun(definition, spec, (news) => send({ type: 'run', news }));
}

async function cheat(name: CheatName): Promise<void> {
  const outline = current && outlines.get(idOf(current.definition));
  if (current === undefined || outline === undefined) return;
  send({ type: 'run', news: { type: 'cheating', cheat: name } });
  const report = await cheatWith(current, name, outline).catch((error: unknown) =>
    impossible(name, messageOf(error)),
  );
  send({ type: 'run', news: { type: 'cheated', report } });
}
