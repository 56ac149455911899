/** The call that the user prepares: the arguments, the client, and the user who is signed in. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { isPlainObject } from '../../../values.js';
import type { Abilities, Outline } from '../protocol.js';
import { SchemaForm } from './schemaForm.js';
import {
  act,
  changeCaller,
  changeDraft,
  chosenToken,
  draftOf,
  kept,
  module,
  OWN,
  people,
  shownRun,
} from './state.js';

/** Renders the form of a call. */
export function CallPanel({ outline }: { readonly outline: Outline }): JSX.Element {
  const { args } = draftOf(outline);
  const [problem, setProblem] = useState('');
  const running = shownRun.value !== undefined && shownRun.value.ending === undefined;
  const start = (event: Event): void => {
    event.preventDefault();
    const { caller } = kept.value;
    try {
      const authInfo = chosenToken(caller);
      const { era, abilities } = caller;
      const spec = { id: outline.id, args, era, abilities, ...(authInfo && { authInfo }) };
      setProblem('');
      void act({ type: 'run', spec });
    } catch {
      setProblem('The token is not valid JSON.');
    }
  };
  return (
    <form class="panel" aria-labelledby="call-title" onSubmit={start} noValidate>
      <h2 id="call-title">Call</h2>
      <Arguments outline={outline} />
      <div class="actions">
        <button class="main" type="submit" disabled={module.value?.status !== 'ready'}>
          Run
        </button>
        <button type="button" disabled={!running} onClick={() => void act({ type: 'stop' })}>
          Stop
        </button>
        <p class="hint">The body really runs, with all its effects: it may pay, send or delete.</p>
      </div>
      <p class="problem" role="alert">
        {problem}
      </p>
    </form>
  );
}

/** Shows the arguments as a form, and the same arguments as JSON. */
function Arguments({ outline }: { readonly outline: Outline }): JSX.Element {
  const { id, schema, explanation } = outline;
  const { args, text } = draftOf(outline);
  const valid = parseArgs(text) !== undefined;
  return (
    <div class="arguments">
      <fieldset>
        <legend>{LEGENDS[explanation.kind]}</legend>
        <SchemaForm
          key={id}
          prefix="argument"
          schema={schema}
          values={args}
          onChange={(values) =>
            changeDraft(id, { args: values, text: JSON.stringify(values, undefined, 2) })
          }
        />
      </fieldset>
      <details>
        <summary>The same as JSON</summary>
        <textarea
          class="mono"
          rows={5}
          spellcheck={false}
          aria-label="Arguments as JSON"
          aria-invalid={!valid}
          value={text}
          onInput={({ currentTarget: { value } }) =>
            changeDraft(id, { text: value, args: parseArgs(value) ?? args })
          }
        />
        <p class="problem" role="alert">
          {valid ? '' : 'This is not a JSON object. The form keeps the last valid one.'}
        </p>
      </details>
    </div>
  );
}

const LEGENDS = {
  tool: 'Arguments, as the model sends them',
  prompt: 'Arguments, as the user sends them',
  resource: 'Variables of the URI',
} as const;

function parseArgs(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Renders the client of the next run, and the user who is signed in. */
export function CallerPanel(): JSX.Element {
  const { era, person, ownToken } = kept.value.caller;
  return (
    <section class="panel caller" aria-labelledby="caller-title">
      <h2 id="caller-title">The client</h2>
      <fieldset>
        <legend>Protocol of the client</legend>
        <div class="segments">
          {ERAS.map(({ value, label }) => (
            <label key={value}>
              <input
                type="radio"
                name="era"
                checked={era === value}
                onChange={() => changeCaller({ era: value })}
              />
              <span>{label}</span>
            </label>
          ))}
        </div>
        <p class="hint">{ERAS.find(({ value }) => value === era)?.about}</p>
      </fieldset>
      <Switches />
      <div class="field">
        <label for="person">Signed in</label>
        <select
          id="person"
          value={person}
          onChange={({ currentTarget }) => changeCaller({ person: currentTarget.value })}
        >
          <option value="">nobody</option>
          {Object.keys(people.value).map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
          <option value={OWN}>a token that I type</option>
        </select>
        {person === OWN ? (
          <textarea
            class="mono"
            rows={3}
            spellcheck={false}
            aria-label="authInfo as JSON"
            value={ownToken}
            onInput={({ currentTarget: { value } }) => changeCaller({ ownToken: value })}
          />
        ) : undefined}
      </div>
    </section>
  );
}

const ERAS = [
  {
    value: 'modern',
    label: '2026-07-28',
    about:
      'Newer clients: a question ends the request, and the client calls again with the answer.',
  },
  {
    value: 'legacy',
    label: '2025-11-25',
    about: 'Older clients: the server asks in the middle of the call.',
  },
] as const;

const SWITCHES: Readonly<Record<keyof Abilities, string>> = {
  form: 'show forms',
  url: 'open links',
  sampling: 'ask its model',
  roots: 'list its folders',
};

/** The capabilities that the client declares. */
function Switches(): JSX.Element {
  const { abilities } = kept.value.caller;
  const names = Object.keys(SWITCHES) as (keyof Abilities)[];
  return (
    <fieldset>
      <legend>The client can</legend>
      <div class="switches">
        {names.map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              role="switch"
              checked={abilities[name]}
              onChange={({ currentTarget }) =>
                changeCaller({ abilities: { ...abilities, [name]: currentTarget.checked } })
              }
            />
            {SWITCHES[name]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
