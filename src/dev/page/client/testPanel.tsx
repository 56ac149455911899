/** The run as a test to copy. */
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Outline } from '../protocol.js';
import { module, shownRun } from './state.js';
import { RUNNERS, testCode } from './testCode.js';
import type { Runner } from './testCode.js';

/** Renders the test of the shown run. */
export function TestPanel({ outline }: { readonly outline: Outline }): JSX.Element {
  const [runner, setRunner] = useState<Runner>('node:test');
  const run = shownRun.value;
  const { specifier = '', file = '' } = module.value ?? {};
  const isOver = run?.ending !== undefined && run.ending.end !== 'stopped';
  const code = isOver ? testCode({ outline, run, specifier, runner }) : undefined;
  return (
    <section class="panel at-test" aria-labelledby="test-title">
      <div class="head">
        <h2 id="test-title">Copy as test</h2>
        <div class="segments" role="radiogroup" aria-label="Test runner">
          {RUNNERS.map((name) => (
            <label key={name}>
              <input
                type="radio"
                name="runner"
                checked={runner === name}
                onChange={() => setRunner(name)}
              />
              <span>{name}</span>
            </label>
          ))}
        </div>
      </div>
      {code === undefined ? (
        <p class="empty">
          {isOver ? notExported(outline, file) : 'Run the call to its end first.'}
        </p>
      ) : (
        <Code code={code} file={file} />
      )}
    </section>
  );
}

function notExported({ explanation }: Outline, file: string): string {
  return `${file} does not export ${explanation.name}, and a test has to import it. Add \`export\`.`;
}

function Code({ code, file }: { readonly code: string; readonly file: string }): JSX.Element {
  const text = useRef<HTMLPreElement>(null);
  const [copied, setCopied] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(code);
      setCopied('Copied.');
    } catch {
      if (text.current !== null) getSelection()?.selectAllChildren(text.current);
      setCopied('The browser does not allow it. The test is selected: copy it with the keyboard.');
    }
  };
  return (
    <>
      <pre class="code" ref={text} tabIndex={0} role="group" aria-label="The test">
        {code}
      </pre>
      <div class="actions">
        <button type="button" class="main" onClick={() => void copy()}>
          Copy
        </button>
        <p class="hint" role="status">
          {copied === '' ? `Paste it into a file beside ${file}.` : copied}
        </p>
      </div>
    </>
  );
}
