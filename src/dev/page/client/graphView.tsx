/**
 * The graph as `explain` draws it, lit up by a run. The cards of the picture are in the order of
 * the explanation: the arguments, the resolvers, and the body.
 */
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { visibleText } from '../../../visibleText.js';
import type { Outline } from '../protocol.js';
import { BODY_KEY, restingState } from './runView.js';
import type { NodeView } from './runView.js';
import { nodes, shownRun } from './state.js';

/** Renders the graph of a definition. */
export function GraphView({ outline }: { readonly outline: Outline }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const cards = useRef<ReadonlyMap<string, SVGGElement>>(new Map());
  const [shown, setShown] = useState<string>();
  const { svg, explanation } = outline;
  useLayoutEffect(() => {
    const picture = pictureOf(svg);
    place.current?.replaceChildren(picture);
    cards.current = cardsOf(picture, outline);
    for (const [key, card] of cards.current) listen(card, (on) => setShown(on ? key : undefined));
  }, [svg]);
  const current = nodes.value;
  useEffect(() => {
    for (const [key, card] of cards.current)
      light(card, titleOf(key, explanation.name), viewAt(key));
  }, [current, svg]);
  const card = shown === undefined ? undefined : cards.current.get(shown);
  return (
    <div class="graph">
      <div class="picture" ref={place} />
      {shown === undefined || card === undefined ? undefined : (
        <Tip card={card} title={titleOf(shown, explanation.name)} node={viewAt(shown)} />
      )}
    </div>
  );
}

/** Returns the state of a card at the shown moment. */
function viewAt(key: string): NodeView {
  const known = nodes.value.get(key);
  if (known !== undefined) return known;
  return { state: shownRun.value === undefined ? 'idle' : restingState(nodes.value) };
}

function titleOf(key: string, name: string): string {
  return key === BODY_KEY ? `body of ${name}` : key;
}

/** Parses the picture. `explain` has escaped its texts. */
function pictureOf(svg: string): SVGSVGElement {
  const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
  const picture = document.importNode(parsed, true) as unknown as SVGSVGElement;
  picture.setAttribute('role', 'group');
  return picture;
}

function cardsOf(picture: SVGSVGElement, { explanation }: Outline): Map<string, SVGGElement> {
  const groups = [...picture.querySelectorAll<SVGGElement>('g:has(> rect.card)')];
  const keys = [...explanation.resolvers.map(({ key }) => key), BODY_KEY];
  const first = groups.length - keys.length;
  return new Map(
    keys.flatMap((key, index) => {
      const group = groups[first + index];
      return group === undefined ? [] : [[key, group]];
    }),
  );
}

function listen(card: SVGGElement, show: (on: boolean) => void): void {
  card.setAttribute('tabindex', '0');
  card.setAttribute('role', 'img');
  card.querySelector('title')?.remove();
  for (const name of ['mouseenter', 'focus']) card.addEventListener(name, () => show(true));
  for (const name of ['mouseleave', 'blur']) card.addEventListener(name, () => show(false));
  card.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') show(false);
  });
}

const BADGE_HEIGHT = 18;

/** Shows a state on a card: a frame, and a badge with the state in words. */
function light(card: SVGGElement, title: string, { state, value, durationMs }: NodeView): void {
  card.dataset.state = state;
  const parts = [title, state, ...(value === undefined ? [] : [value]), ...timeOf(durationMs)];
  card.setAttribute('aria-label', parts.join(', '));
  card.querySelector('.badge')?.remove();
  if (state === 'idle') return;
  const width = state.length * 6.8 + 16;
  const right = Number(card.querySelector('rect.card')?.getAttribute('width') ?? 0);
  const badge = svgElement('g', {
    class: 'badge',
    transform: `translate(${right - width - 8} ${-BADGE_HEIGHT / 2})`,
  });
  const box = svgElement('rect', { width, height: BADGE_HEIGHT, rx: BADGE_HEIGHT / 2 });
  const text = svgElement('text', { x: width / 2, y: 12.5, 'text-anchor': 'middle' });
  text.textContent = state;
  badge.append(box, text);
  card.append(badge);
}

function svgElement(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/** Formats a duration. */
export function timeOf(durationMs: number | undefined): string[] {
  if (durationMs === undefined) return [];
  return [
    durationMs < 1000 ? `${durationMs.toFixed(1)} ms` : `${(durationMs / 1000).toFixed(1)} s`,
  ];
}

interface TipProps {
  readonly card: SVGGElement;
  readonly title: string;
  readonly node: NodeView;
}

/** Shows the value of a card below it. */
function Tip({ card, title, node }: TipProps): JSX.Element {
  const tip = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = tip;
    const around = current?.parentElement?.getBoundingClientRect();
    if (current == null || around === undefined) return;
    const { left, bottom } = card.getBoundingClientRect();
    const furthest = around.width - current.offsetWidth - 8;
    current.style.left = `${Math.max(8, Math.min(left - around.left, furthest))}px`;
    current.style.top = `${bottom - around.top + 8}px`;
  });
  return (
    <div class="tip" ref={tip} aria-hidden="true">
      <strong class="mono">{title}</strong>{' '}
      <span>{[STATE_WORDS[node.state], ...timeOf(node.durationMs)].join(' · ')}</span>
      {node.value === undefined ? undefined : <pre>{visibleText(node.value)}</pre>}
    </div>
  );
}

/** A sentence for each state. */
export const STATE_WORDS: Readonly<Record<NodeView['state'], string>> = {
  idle: 'has not run',
  running: 'is running',
  computed: 'ran',
  done: 'ran',
  pinned: 'ran, and its value is pinned',
  restored: 'restored, did not run again',
  asked: 'asked, waits for the answer',
  answered: 'answered',
  declined: 'declined',
  'fell back': 'fell back, because the client cannot answer',
  failed: 'failed',
  skipped: 'did not run',
  stopped: 'was stopped',
};
