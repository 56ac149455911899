/** The state of the page: the news of the command, and what the user has typed and chosen. */
import { computed, effect, signal } from '@preact/signals';
import type {
  Abilities,
  Action,
  AuthData,
  ModuleState,
  News,
  Outline,
  RunNews,
} from '../protocol.js';
import type { Era } from '../../testing/runOptions.js';
import { nodesAt, viewOf } from './runView.js';

/** The author's module. `undefined` before the command has sent it. */
export const module = signal<ModuleState | undefined>(undefined);

/** False while the page has lost the command. */
export const connected = signal(true);

const runNews = signal<readonly RunNews[]>([]);

/** The latest run. */
export const run = computed(() => viewOf(runNews.value));

/** The number of moments to show, or `undefined` to follow the run. */
export const shownMoments = signal<number | undefined>(undefined);

/** Arguments as typed. `args` is the latest valid content of `text`. */
export interface Draft {
  readonly text: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The caller of the next run. */
export interface CallerChoice {
  readonly era: Era;
  readonly abilities: Abilities;
  /** The name of a person, `''` for nobody, or `OWN` for the token in `ownToken`. */
  readonly person: string;
  readonly ownToken: string;
}

/** The `person` of a caller whose token is typed as JSON. */
export const OWN = '{}';

interface Kept {
  readonly selected: string;
  readonly drafts: Readonly<Record<string, Draft>>;
  readonly caller: CallerChoice;
}

const FRESH: Kept = {
  selected: '',
  drafts: {},
  caller: {
    era: 'modern',
    abilities: { form: true, url: true, sampling: true, roots: true },
    person: 'ada',
    ownToken: '{ "clientId": "my-client", "scopes": [], "extra": { "sub": "me" } }',
  },
};

const PLACE = `mcp-resolve ${location.pathname}`;

function readKept(): Kept {
  try {
    return { ...FRESH, ...(JSON.parse(sessionStorage.getItem(PLACE) ?? '{}') as Partial<Kept>) };
  } catch {
    return FRESH;
  }
}

/** Survives a reload of the page and of the module. */
export const kept = signal<Kept>(readKept());
effect(() => sessionStorage.setItem(PLACE, JSON.stringify(kept.value)));

/** Changes the caller of the next run. */
export function changeCaller(change: Partial<CallerChoice>): void {
  kept.value = { ...kept.value, caller: { ...kept.value.caller, ...change } };
}

/** The definition that the page shows. */
export const outline = computed(() => {
  const outlines = module.value?.outlines ?? [];
  return outlines.find(({ id }) => id === kept.value.selected) ?? outlines[0];
});

/** The run, if it is one of the shown definition. */
export const shownRun = computed(() => {
  return run.value?.spec.id === outline.value?.id ? run.value : undefined;
});

/** The state of each resolver at the shown moment. */
export const nodes = computed(() => {
  const explained = outline.value?.explanation ?? { resolvers: [], guards: [] };
  const { moments = [], ending } = shownRun.value ?? {};
  const isStopped = shownMoments.value === undefined && ending?.end === 'stopped';
  return nodesAt(moments.slice(0, shownMoments.value), explained, isStopped);
});

/** Returns the draft of a definition. */
export function draftOf({ id, schema }: Outline): Draft {
  const draft = kept.value.drafts[id];
  if (draft !== undefined) return draft;
  const args = initialValues(schema);
  return { args, text: JSON.stringify(args, undefined, 2) };
}

/** Keeps the arguments of a definition. */
export function changeDraft(id: string, draft: Draft): void {
  kept.value = { ...kept.value, drafts: { ...kept.value.drafts, [id]: draft } };
}

/** Returns the defaults of a schema. */
export function initialValues(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const properties = Object.entries(
    (schema.properties ?? {}) as Record<string, { default?: unknown }>,
  );
  const values = properties.map(([name, property]) => [name, property.default] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** The two people that the page makes up. */
const MADE_UP: Readonly<Record<string, AuthData>> = {
  ada: { clientId: 'dev-page', scopes: [], extra: { sub: 'ada' } },
  ben: { clientId: 'dev-page', scopes: [], extra: { sub: 'ben' } },
};

/** The people that can be signed in, by name. */
export const people = computed(() => ({ ...MADE_UP, ...module.value?.identities }));

/**
 * Returns the token of the chosen person.
 *
 * @throws {SyntaxError} If it was typed and is not JSON.
 */
export function chosenToken({ person, ownToken }: CallerChoice): AuthData | undefined {
  return person === OWN ? (JSON.parse(ownToken) as AuthData) : people.value[person];
}

/** The reason why the command refused the latest action. */
export const refusal = signal<string | undefined>(undefined);

/** Sends an action to the command. */
export async function act(action: Action): Promise<void> {
  refusal.value = undefined;
  try {
    const response = await fetch('action', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(action),
    });
    if (!response.ok) refusal.value = await response.text();
  } catch {
    connected.value = false;
  }
}

/** Follows the command. The browser connects again if the connection is lost. */
export function followNews(): void {
  const source = new EventSource('news');
  source.onopen = () => (connected.value = true);
  source.onerror = () => (connected.value = false);
  source.onmessage = ({ data }) => hear(JSON.parse(String(data)) as News);
}

function hear(news: News): void {
  if (news.type === 'forget') runNews.value = [];
  else if (news.type === 'module') module.value = news.module;
  else if (news.news.type === 'began') {
    runNews.value = [news.news];
    shownMoments.value = undefined;
  } else runNews.value = [...runNews.value, news.news];
}
