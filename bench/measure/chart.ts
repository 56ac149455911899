/**
 * A small line chart as SVG: both axes in powers of ten, so that what grows in proportion is a
 * straight line and what does not bends. Stands alone, and follows the reader's light or dark
 * page.
 */

/** A line of a chart. */
export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** What is drawn. */
export interface Chart {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly series: readonly Series[];
}

const WIDTH = 640;
const HEIGHT = 360;
const PLOT = { left: 64, right: 500, top: 48, bottom: 304 };
/** Told apart by those who see few colours, too, on white and on black. */
const COLOURS = ['#0b7fc7', '#d9541e', '#1a9c74', '#b7569a', '#a8860b'];
const STYLE = `text{font:12px system-ui,sans-serif;fill:#1f2328}.title{font-size:15px;font-weight:600}
.grid{stroke:#d1d9e0}.line{fill:none;stroke-width:2}.paper{fill:#fff}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.grid{stroke:#3d444d}.paper{fill:#0d1117}}`;

/** Draws a chart. */
export function drawChart({ title, x, y, series }: Chart): string {
  const points = series.flatMap((one) => one.points);
  const across = axis(
    points.map(([value]) => value),
    PLOT.left,
    PLOT.right,
  );
  const up = axis(
    points.map(([, value]) => value),
    PLOT.bottom,
    PLOT.top,
  );
  const middle = (PLOT.left + PLOT.right) / 2;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(title)}">
<style>${STYLE}</style>
<rect class="paper" width="${WIDTH}" height="${HEIGHT}" rx="6"/>
<text class="title" x="16" y="26">${escaped(title)}</text>
${across.ticks.map((tick) => columnAt(tick, across.place(tick))).join('\n')}
${up.ticks.map((tick) => rowAt(tick, up.place(tick))).join('\n')}
<text x="${middle}" y="${HEIGHT - 14}" text-anchor="middle">${escaped(x)}</text>
<text transform="translate(18 ${(PLOT.top + PLOT.bottom) / 2}) rotate(-90)" text-anchor="middle">${escaped(y)}</text>
${lines(series, across.place, up.place)}
</svg>
`;
}

interface Axis {
  /** The powers of ten on it. */
  readonly ticks: readonly number[];
  readonly place: (value: number) => number;
}

function axis(values: readonly number[], from: number, to: number): Axis {
  const lowest = Math.floor(Math.log10(Math.min(...values)));
  const highest = Math.max(lowest + 1, Math.ceil(Math.log10(Math.max(...values))));
  const ticks = Array.from({ length: highest - lowest + 1 }, (_, step) => 10 ** (lowest + step));
  const place = (value: number): number =>
    Math.round(from + ((Math.log10(value) - lowest) / (highest - lowest)) * (to - from));
  return { ticks, place };
}

function columnAt(tick: number, x: number): string {
  return `<path class="grid" d="M${x} ${PLOT.top}V${PLOT.bottom}"/><text x="${x}" y="${PLOT.bottom + 18}" text-anchor="middle">${shown(tick)}</text>`;
}

function rowAt(tick: number, y: number): string {
  return `<path class="grid" d="M${PLOT.left} ${y}H${PLOT.right}"/><text x="${PLOT.left - 8}" y="${y + 4}" text-anchor="end">${shown(tick)}</text>`;
}

type Place = Axis['place'];

/** The lines, and at the end of each its name; names that would overlap make way. */
function lines(series: readonly Series[], placeX: Place, placeY: Place): string {
  const ends = series
    .map(({ points }, index) => ({ index, y: placeY(points.at(-1)?.[1] ?? 1) }))
    .sort((a, b) => a.y - b.y);
  ends.forEach((end, place) => {
    end.y = Math.max(end.y, (ends[place - 1]?.y ?? 0) + 16);
  });
  return ends
    .map(({ index, y }) => {
      const { name = '', points = [] } = series[index] ?? {};
      const colour = COLOURS[index % COLOURS.length] ?? '';
      const path = points.map((point) => `${placeX(point[0])} ${placeY(point[1])}`).join('L');
      const dots = points.map(
        (point) => `<circle cx="${placeX(point[0])}" cy="${placeY(point[1])}" r="3"/>`,
      );
      return `<g fill="${colour}" stroke="${colour}"><path class="line" d="M${path}"/>${dots.join('')}</g>
<circle cx="${PLOT.right + 14}" cy="${y}" r="4" fill="${colour}"/><text x="${PLOT.right + 24}" y="${y + 4}">${escaped(name)}</text>`;
    })
    .join('\n');
}

const shown = (value: number): string =>
  new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 }).format(value);

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
