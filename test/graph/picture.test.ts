/** Tests the SVG format: a self-contained document, and a layout without overlaps. */
import * as fc from 'fast-check';
import { defineTool, resolver } from 'mcp-resolve';
import { explain } from 'mcp-resolve/graph';
import { describe, expect, it } from 'vitest';
import { deckOf } from '../../src/dev/graph/picture/cards.js';
import { layOut } from '../../src/dev/graph/picture/layout.js';
import type { Area, Layout, Route } from '../../src/dev/graph/picture/layout.js';
import { fitText, widthOf } from '../../src/dev/graph/picture/measure.js';
import type { Graph } from '../../src/dev/graph/picture/slots.js';
import { FACES } from '../../src/dev/graph/picture/style.js';
import {
  names,
  note,
  ping,
  planTrip,
  shaped,
  thirty,
  toolNamed,
  transfer,
  unwieldy,
} from './samples.js';
import { readXml } from './xml.js';
import type { Element } from './xml.js';

/** The width of a README on GitHub. */
const README_WIDTH = 830;

/** The widths of layouts: on one line, or on several. */
const WIDTHS = [Infinity, 500];

const samples = { transfer, ping, planTrip, note, unwieldy, thirty: thirty() };

describe.each(Object.entries(samples))('the picture of %s', (_, definition) => {
  const elements = readXml(explain(definition, { format: 'svg' }));
  const all = (name: string): Element[] => elements.filter((element) => element.name === name);

  it('is one SVG document with a title and a description for screen readers', () => {
    const [svg, title, desc] = elements;
    expect(svg).toMatchObject({
      name: 'svg',
      attributes: { xmlns: 'http://www.w3.org/2000/svg', role: 'img' },
      parent: undefined,
    });
    expect(title).toMatchObject({ name: 'title', parent: svg });
    expect(title?.text).toContain(definition.name);
    expect(desc?.text).toMatch(/^Rounds: .* The client needs .*\.$/);
  });

  it('loads nothing and styles nothing outside of itself', () => {
    const known = ['svg', 'title', 'desc', 'style', 'rect', 'g', 'text', 'path', 'circle'];
    expect(
      [...new Set(elements.map(({ name }) => name))].filter((n) => !known.includes(n)),
    ).toEqual([]);
    const attributes = new Set(elements.flatMap((element) => Object.keys(element.attributes)));
    expect([...attributes].filter((name) => /^(?:id|on.*|href|.*:href|style)$/.test(name))).toEqual(
      [],
    );
    const [{ text: css } = { text: '' }] = all('style');
    expect(css).not.toMatch(/url\(|@import|@font-face/);
    const selectors = css.replace(/@media\([^)]*\)\{/, '').split(/\{[^}]*\}\}?/);
    for (const selector of selectors.flatMap((list) => list.split(',')).filter((s) => s !== '')) {
      expect(selector).toMatch(/^\.mcp-resolve-graph /);
    }
  });

  it('has colours for light and dark mode', () => {
    const [{ text: css } = { text: '' }] = all('style');
    const [light = '', dark = ''] = css.split('@media(prefers-color-scheme:dark)');
    const colored = (rules: string): string[] =>
      [...rules.matchAll(/([^{}]+)\{[^}]*(?:fill|stroke):#[^}]*\}/g)].map(([, name = '']) => name);
    expect(colored(dark.slice(1))).toEqual(colored(light));
    expect(colored(light).length).toBeGreaterThan(20);
  });

  it('has a card for each resolver, for the arguments if any, and for the body', () => {
    const { resolvers, arguments: given } = explain(definition);
    const cards = all('rect').filter(({ attributes }) => attributes.class === 'card');
    expect(cards).toHaveLength(resolvers.length + (given.length > 0 ? 1 : 0) + 1);
  });
});

describe('a picture', () => {
  it('shows every name and escapes it', () => {
    const texts = readXml(explain(unwieldy, { format: 'svg' })).filter(
      ({ name }) => name === 'text',
    );
    const shown = texts.map(({ text }) => text);
    expect(shown).toEqual(
      expect.arrayContaining([`tool <&"'> ملف 商品`, `<&"'>]]>\`#quot;`, `<script>&"'`, '<b>']),
    );
    expect(shown).toEqual(expect.arrayContaining(['הרשאת_משתמש', '確認済みの注文金額']));
  });

  it('is well formed for any names', () => {
    fc.assert(
      fc.property(names, names, (name, description) => {
        const [svg] = readXml(explain(toolNamed(name, description), { format: 'svg' }));
        expect(svg?.name).toBe('svg');
      }),
    );
  });

  it('is the same every time', () => {
    expect(explain(thirty(), { format: 'svg' })).toBe(explain(thirty(), { format: 'svg' }));
  });

  it('explains in its legend exactly the marks that it contains', () => {
    const notes = (svg: string): string[] =>
      readXml(svg)
        .filter(({ name, attributes, parent }) => {
          return name === 'text' && attributes.class === 'note' && parent?.name === 'svg';
        })
        .map(({ text }) => text);
    expect(notes(explain(ping, { format: 'svg' }))).toEqual([]);
    expect(notes(explain(thirty(), { format: 'svg' }))).toEqual(['asks a question', 'computed']);
    expect(notes(explain(transfer, { format: 'svg' }))).toEqual([
      'asks a question',
      'computed',
      'outcome: takes a decline as a value',
      'pinned: computed once per call',
      'disposed: cleaned up after each round',
      'once: an approved call runs once',
    ]);
  });

  it('marks a question that only the events contain', () => {
    const tool = defineTool('t', { resolve: { a: resolver({}, () => 1) } }, () => 'done');
    const asked = { type: 'asked', callId: 'c', definition: 't', at: 0, resolver: 'a' } as const;
    const texts = (svg: string): string[] => readXml(svg).map(({ text }) => text);
    expect(texts(explain(tool, { format: 'svg' }))).not.toContain('asks with a link (undeclared)');
    expect(texts(explain(tool, { format: 'svg', events: [{ ...asked, kind: 'url' }] }))).toContain(
      'asks with a link (undeclared)',
    );
  });

  it.each(['chain', 'fan', 'tree'] as const)(
    'of a %s of eight or twelve resolvers has legible text at the width of a README',
    (shape) => {
      const smallest = Math.min(...Object.values(FACES).map(({ size }) => size));
      for (const count of [8, 12]) {
        const [svg] = readXml(explain(shaped(shape, count), { format: 'svg' }));
        expect((smallest * README_WIDTH) / Number(svg?.attributes.width)).toBeGreaterThanOrEqual(9);
      }
    },
  );

  it('draws guards on a band on each line that has some', () => {
    let last = resolver({}, () => true, { name: 'guard_0' });
    for (let index = 1; index < 8; index += 1) {
      last = resolver({ last }, () => true, { name: `guard_${index}` });
    }
    const guarded = defineTool('guarded', { guards: [last] }, () => 'done');
    const bands = (svg: string): Element[] =>
      readXml(svg).filter(({ attributes }) => attributes.class === 'band');
    expect(bands(explain(guarded, { format: 'svg' }))).toHaveLength(2);
    expect(bands(explain(unwieldy, { format: 'svg' }))).toHaveLength(1);
    expect(bands(explain(ping, { format: 'svg' }))).toEqual([]);
  });

  it('draws a hundred resolvers that depend on each other', () => {
    const made: ReturnType<typeof resolver>[] = [];
    for (let index = 0; index < 100; index += 1) {
      const needed = [index - 1, index >> 1, 0].filter((one) => one >= 0 && one < index);
      made.push(
        resolver(Object.fromEntries(needed.map((one) => [`n${one}`, made[one]!])), () => 1),
      );
    }
    const tool = defineTool('hundred', { resolve: { last: made.at(-1)! } }, () => 'done');
    const cards = readXml(explain(tool, { format: 'svg' })).filter(
      (e) => e.attributes.class === 'card',
    );
    expect(cards).toHaveLength(101);
  });
});

describe('a card', () => {
  it('is large enough for its text', () => {
    fc.assert(
      fc.property(names, names, (name, description) => {
        for (const { lines, pills, width, height } of deckOf(explain(toolNamed(name, description)))
          .cards) {
          for (const { text, style, x, y } of lines) {
            expect(x + widthOf(text, FACES[style])).toBeLessThanOrEqual(width);
            expect(y).toBeLessThan(height);
          }
          for (const pill of pills) {
            expect(pill.x + pill.width).toBeLessThanOrEqual(width);
            expect(widthOf(pill.text, FACES.pill)).toBeLessThan(pill.width);
          }
        }
      }),
    );
  });
});

describe('a layout', () => {
  it.each(WIDTHS)('keeps boxes apart in a width of %d', (maxWidth) => {
    forEveryGraph(({ areas }) => {
      for (const [index, one] of areas.entries()) {
        for (const other of areas.slice(index + 1)) expect(overlap(one, other)).toBe(false);
      }
    }, maxWidth);
  });

  it.each(WIDTHS)('draws no wire through a box in a width of %d', (maxWidth) => {
    forEveryGraph(({ areas, routes }) => {
      for (const stretch of routes.flatMap(stretchesOf)) {
        expect(areas.filter((area) => overlap(area, stretch))).toEqual([]);
      }
    }, maxWidth);
  });

  it('continues on the next line if it is too wide', () => {
    forEveryGraph(({ areas, lines, width }, { boxes }) => {
      expect(width).toBeLessThanOrEqual(Math.max(500, ...boxes.map((box) => box.width + 2 * 44)));
      for (const [index, { top }] of lines.slice(1).entries())
        expect(top).toBeGreaterThan(lines[index]!.bottom);
      for (const { y, height } of areas)
        expect(lines.filter(({ top, bottom }) => top <= y && y + height <= bottom)).toHaveLength(1);
    }, 500);
  });

  it('does not cross wires that turn to the next line in the same order', () => {
    const boxes = Array.from({ length: 6 }, () => ({ width: 200, height: 60, phase: 0 }));
    const wires = [0, 1, 2].map((from) => ({ from, to: from + 3, fromOffset: 10, toOffset: 50 }));
    const { lines, routes } = layOut({ boxes, wires }, 300);
    expect(lines).toHaveLength(2);
    const turns = routes.flatMap((route) => route.turns).flatMap((turn) => turn ?? []);
    const [upper, middle, lower] = turns.sort((a, b) => b.right - a.right);
    expect(upper!.y).toBeGreaterThan(middle!.y);
    expect(middle!.y).toBeGreaterThan(lower!.y);
    expect(upper!.left).toBeGreaterThan(middle!.left);
    expect(middle!.left).toBeGreaterThan(lower!.left);
  });

  it('draws wires from left to right between their ends', () => {
    forEveryGraph(({ areas, routes }, { wires }) => {
      for (const [index, { start, passes, end }] of routes.entries()) {
        const { from, to, fromOffset, toOffset } = wires[index]!;
        expect(start).toEqual({
          x: areas[from]!.x + areas[from]!.width,
          y: areas[from]!.y + fromOffset,
        });
        expect(end).toEqual({ x: areas[to]!.x, y: areas[to]!.y + toOffset });
        const xs = [start.x, ...passes.flatMap(({ left, right }) => [left, right]), end.x];
        expect(xs).toEqual([...xs].sort((a, b) => a - b));
        expect(end.x).toBeGreaterThan(start.x);
      }
    });
  });

  it('places boxes of an earlier phase to the left', () => {
    forEveryGraph(({ areas }, { boxes }) => {
      for (const [index, { phase }] of boxes.entries()) {
        const earlier = areas.filter((_, other) => boxes[other]!.phase < phase);
        for (const { x, width } of earlier) {
          expect(x + width).toBeLessThan(areas[index]!.x);
        }
      }
    });
  });

  it.each(WIDTHS)('contains every box and wire in a width of %d', (maxWidth) => {
    forEveryGraph(({ areas, routes, width, height }) => {
      for (const area of [...areas, ...routes.flatMap(stretchesOf)]) {
        expect(area.x).toBeGreaterThanOrEqual(0);
        expect(area.y).toBeGreaterThanOrEqual(0);
        expect(area.x + area.width).toBeLessThanOrEqual(width);
        expect(area.y + area.height).toBeLessThanOrEqual(height);
      }
    }, maxWidth);
  });

  it('draws a chain at one height', () => {
    const boxes = Array.from({ length: 8 }, () => ({ width: 100, height: 60, phase: 0 }));
    const wires = boxes.slice(1).map((_, from) => {
      return { from, to: from + 1, fromOffset: 10, toOffset: 50 };
    });
    const { areas } = layOut({ boxes, wires });
    expect(new Set(areas.map(({ y }) => y)).size).toBe(1);
  });
});

describe('text in a box', () => {
  it('is wrapped to the width of the box without loss', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (text) => {
        const face = FACES.name;
        const room = { face, width: 120, lines: 100 };
        const lines = fitText(text, room);
        for (const line of lines) expect(widthOf(line, face)).toBeLessThanOrEqual(121);
        const letters = (given: string): string => given.replace(/\s/g, '');
        expect(letters(lines.join(''))).toBe(letters(text));
      }),
    );
  });

  it('ends with an ellipsis if it is cut off', () => {
    const room = { face: FACES.name, width: 60, lines: 2 };
    expect(fitText('one two three four five', room)).toEqual(['one two', 'three…']);
    expect(fitText('one two', room)).toEqual(['one two']);
  });
});

function overlap(one: Area, other: Area): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

/** Returns the level and upright parts of a wire, without the curves between columns. */
function stretchesOf({ start, passes, end, turns }: Route): Area[] {
  const stops = [...passes, { left: end.x, right: end.x, y: end.y }];
  let from = start;
  return stops.flatMap(({ left, right, y }, index) => {
    const turn = turns[index];
    const before = from;
    from = { x: right, y };
    const level = { x: left, y, width: right - left, height: 0 };
    if (turn === undefined) return [level];
    return [
      level,
      { x: turn.right, y: before.y, width: 0, height: turn.y - before.y },
      { x: turn.left, y: turn.y, width: turn.right - turn.left, height: 0 },
      { x: turn.left, y: turn.y, width: 0, height: y - turn.y },
    ];
  });
}

/** Checks the layouts of random graphs with boxes of all sizes and phases. */
function forEveryGraph(check: (layout: Layout, graph: Graph) => void, maxWidth = Infinity): void {
  fc.assert(fc.property(graphs, (graph) => check(layOut(graph, maxWidth), graph)));
}

const graphs: fc.Arbitrary<Graph> = fc
  .array(
    fc.record({
      width: fc.integer({ min: 20, max: 300 }),
      height: fc.integer({ min: 20, max: 200 }),
      phase: fc.integer({ min: 0, max: 3 }),
      needs: fc.array(fc.record({ from: fc.nat(), fromOffset: fc.nat(19), toOffset: fc.nat(19) }), {
        maxLength: 4,
      }),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((drawn) => {
    const nodes = [...drawn].sort((a, b) => a.phase - b.phase);
    return {
      boxes: nodes.map(({ width, height, phase }) => ({ width, height, phase })),
      wires: nodes.flatMap(({ needs }, to) =>
        to === 0 ? [] : needs.map((need) => ({ ...need, from: need.from % to, to })),
      ),
    };
  });
