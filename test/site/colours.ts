/**
 * Reads the colours of a page in a browser: text that is hard to read, and light areas in dark
 * mode.
 */
import type { Page } from 'playwright-core';

/**
 * Runs in the browser, with true for dark mode. Returns a sentence for each kind of element that
 *
 * - Has text with less contrast than WCAG 2.1 AA asks for: 4.5, or 3 for large text.
 * - Has a light background in dark mode.
 *
 * Diagrams are left out, because the page draws them again for each mode, and icons, whose
 * background is their ink.
 */
const FAINT = `(dark) => {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const known = new Map();
  const read = (colour) => {
    if (!known.has(colour)) {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
      known.set(colour, [r, g, b, a / 255]);
    }
    return known.get(colour);
  };
  const blend = ([r, g, b, a], under) =>
    [r, g, b].map((value, index) => value * a + under[index] * (1 - a));
  const linear = (value) =>
    value <= 10.3 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const backgrounds = new Map([[null, [255, 255, 255]]]);
  const behind = (element) => {
    if (!backgrounds.has(element)) {
      const colour = read(getComputedStyle(element).backgroundColor);
      backgrounds.set(element, blend(colour, behind(element.parentElement)));
    }
    return backgrounds.get(element);
  };
  const opacities = new Map([[null, 1]]);
  const opacity = (element) => {
    if (!opacities.has(element)) {
      const own = Number(getComputedStyle(element).opacity);
      opacities.set(element, own * opacity(element.parentElement));
    }
    return opacities.get(element);
  };
  const isShown = (element) =>
    element.checkVisibility({ visibilityProperty: true }) &&
    opacity(element) > 0 &&
    element.getBoundingClientRect().width > 1 &&
    !element.closest('svg');
  const nameOf = (element) =>
    element.tagName.toLowerCase() + [...element.classList].map((name) => '.' + name).join('');

  const still = document.head.appendChild(document.createElement('style'));
  still.textContent = '*, ::before, ::after { transition: none !important }';
  const before = document.documentElement.classList.contains('dark');
  document.documentElement.classList.toggle('dark', dark);
  const found = new Set();
  const mode = dark ? 'dark' : 'light';
  for (const element of document.querySelectorAll('body, body *')) {
    if (!isShown(element)) continue;
    const style = getComputedStyle(element);
    const ground = behind(element);
    const isArea = style.maskImage === 'none' && read(style.backgroundColor)[3] > 0;
    if (dark && isArea && luminance(ground) > 0.45)
      found.add(mode + ': ' + nameOf(element) + ' has a light background');
    const words = [...element.childNodes].find(({ nodeType, data }) => nodeType === 3 && data.trim());
    if (!words) continue;
    const [r, g, b, a] = read(style.color);
    const [low, high] = [luminance(blend([r, g, b, a * opacity(element)], ground)), luminance(ground)]
      .sort((one, other) => one - other);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < (isLarge ? 3 : 4.5)) {
      const text = words.data.trim().slice(0, 20);
      found.add(mode + ': ' + nameOf(element) + " '" + text + "' has a contrast of " + contrast.toFixed(1));
    }
  }
  document.documentElement.classList.toggle('dark', before);
  still.remove();
  return [...found];
}`;

/** Returns the faults of the colours of a page, in light and in dark mode. */
export async function readFaint(page: Page): Promise<string[]> {
  const light = await page.evaluate<string[]>(`(${FAINT})(false)`);
  return [...light, ...(await page.evaluate<string[]>(`(${FAINT})(true)`))];
}
