/** A message on the wire. The sealed state is opaque, so only its beginning and its size are shown. */
import type { JSX } from 'preact';
import { visibleText } from '../../../visibleText.js';
import type { WireNews } from '../protocol.js';

type Json = Readonly<Record<string, unknown>>;

/** Renders messages in their order. */
export function Messages({ wire }: { readonly wire: readonly WireNews[] }): JSX.Element {
  return (
    <ol class="wire">
      {wire.map((news, index) => (
        <Message key={index} news={news} />
      ))}
    </ol>
  );
}

/** Renders a line that says what a message is, and its JSON on request. */
function Message({ news }: { readonly news: WireNews }): JSX.Element {
  const { to, message } = news;
  return (
    <li class={`to-${to}`}>
      <details>
        <summary>
          <span aria-hidden="true">{to === 'server' ? '→' : '←'}</span>
          <span class="hidden">to the {to}: </span>
          <span class="mono"> {titleOf(message as Json)}</span>
          <State message={message as Json} />
        </summary>
        <pre>{visibleText(JSON.stringify(message, shorten, 2))}</pre>
      </details>
    </li>
  );
}

function titleOf({ method, error, result }: Json): string {
  if (typeof method === 'string') return method;
  if (error !== undefined) return `error ${String((error as Json).code)}`;
  const { resultType, isError } = { ...(result as Json | undefined) };
  if (resultType === 'input_required') return 'result: input required';
  return isError === true ? 'result: error' : 'result';
}

/** Shows the sealed state of a message, if it carries one. */
function State({ message }: { readonly message: Json }): JSX.Element | undefined {
  const { requestState } = { ...((message.params ?? message.result) as Json | undefined) };
  if (typeof requestState !== 'string') return undefined;
  return (
    <span class="token" title="The sealed state. The client cannot read it.">
      state {sizeOf(requestState)}
    </span>
  );
}

function sizeOf(token: string): string {
  return `${token.length} bytes`;
}

function shorten(name: string, value: unknown): unknown {
  if (name !== 'requestState' || typeof value !== 'string') return value;
  return `${value.slice(0, 12)}… (sealed, ${sizeOf(value)})`;
}
