/** Tests theme.css: its copy as a string, and the contrast of its colours. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { themeModule } from '../../scripts/theme.js';
import { THEME } from '../../src/theme.js';

it('src/theme.ts is the output of `npm run docs -- theme`', () => {
  const file = new URL('../../src/theme.ts', import.meta.url);
  expect(readFileSync(file, 'utf8')).toBe(themeModule());
});

/** The colours by name, for light and for dark mode. */
const colors = new Map(
  [...THEME.matchAll(/--([\w-]+):light-dark\((#\w{6}), (#\w{6})\);/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }],
  ),
);

const ROLES = ['slate', 'blue', 'amber', 'green', 'violet', 'red'];

describe.each(['light', 'dark'] as const)('in %s mode', (mode) => {
  const contrast = (one: string, other: string): number => {
    const [low = 0, high = 0] = [one, other]
      .map((name) => luminance(colors.get(name)![mode]))
      .sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };

  it.each(['ink', 'soft', ...ROLES])('%s is legible on the ground and on cards', (text) => {
    expect(contrast(text, 'ground')).toBeGreaterThanOrEqual(4.5);
    expect(contrast(text, 'card')).toBeGreaterThanOrEqual(4.5);
  });

  it.each(ROLES)('text is legible on %s and on its faint colour', (role) => {
    expect(contrast('on-role', role)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(role, `${role}-faint`)).toBeGreaterThanOrEqual(4.5);
    expect(contrast('ink', `${role}-faint`)).toBeGreaterThanOrEqual(4.5);
  });
});

/** Returns the relative luminance of WCAG 2. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
