/**
 * Takes the pictures of `mcp-resolve dev` for the README and the guide: a still, and an animation
 * of a call and of two cheats.
 *
 * `npm run docs -- watch` writes docs/guide/watch.png and docs/guide/watch.gif. It needs Chromium,
 * ImageMagick and gifsicle.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { startChromium } from '../test/browser/chromium.js';
import { TOOLS } from '../test/page/modules.js';

/** A program of the page, which has types that this one lacks. */
const INTO_VIEW = '(element) => element.scrollIntoView()';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const GUIDE = path.join(ROOT, 'docs/guide');
const SIZE = { width: 1280, height: 800 };
const LARGEST = 1_000_000;

/** The pictures of an animation, and how long each is shown. */
class Film {
  private readonly folder = mkdtempSync(path.join(tmpdir(), 'watch-'));
  private readonly frames: string[] = [];

  constructor(private readonly page: Page) {}

  /** Shows the page as it is for some hundredths of a second. */
  async show(hundredths: number): Promise<void> {
    const file = path.join(this.folder, `${String(this.frames.length / 3)}.png`);
    await this.page.screenshot({ path: file });
    this.frames.push('-delay', String(hundredths), file);
  }

  /** Moves the drawn pointer to an element, and presses it. */
  async press(element: Locator): Promise<void> {
    await this.point(element);
    await element.click();
  }

  /** Moves the drawn pointer to an element in a few steps. */
  async point(element: Locator): Promise<void> {
    const box = await element.boundingBox();
    if (box === null) throw new Error('The element is not on the page.');
    const to = { x: box.x + Math.min(box.width / 2, 60), y: box.y + box.height / 2 };
    const from = this.at;
    for (const part of [0.35, 0.75, 1]) {
      this.at = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
      await this.page.evaluate(drawPointer(this.at));
      await this.show(6);
    }
    await this.show(25);
  }

  private at = { x: 640, y: 500 };

  /** Writes the animation, and returns its size in bytes. */
  write(file: string): number {
    const raw = path.join(this.folder, 'raw.gif');
    execFileSync('convert', [...this.frames, '-loop', '0', '-layers', 'OptimizeFrame', raw]);
    execFileSync('gifsicle', ['-O3', '--lossy=20', '--colors', '96', raw, '-o', file]);
    rmSync(this.folder, { recursive: true });
    return statSync(file).size;
  }
}

const POINTER =
  'width:18px;height:24px;z-index:9;position:fixed;pointer-events:none;background:#111;clip-path:polygon(0 0,0 85%,28% 65%,46% 100%,62% 92%,45% 58%,80% 56%)';

/** Returns the program that draws a pointer in the browser. */
function drawPointer({ x, y }: { readonly x: number; readonly y: number }): string {
  return `{
    const pointer = document.getElementById('pointer') ?? document.createElement('div');
    pointer.id = 'pointer';
    pointer.style.cssText = '${POINTER};left:${x}px;top:${y}px';
    document.body.append(pointer);
  }`;
}

/** Makes a call and takes two dishonest steps. */
async function play(page: Page, film: Film): Promise<void> {
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const choice = page.locator('#argument-invoice');
  await film.show(90);
  await film.point(choice);
  await choice.selectOption('INV-2');
  await film.show(50);
  await film.press(button('Run'));
  await page.getByRole('article').waitFor();
  await film.show(180);
  await film.press(page.getByRole('article').getByRole('checkbox'));
  await film.show(40);
  await film.press(button('Accept'));
  await page.getByText('A result. The body ran.').waitFor();
  await film.show(180);
  await film.press(button('1: asks approved'));
  await film.show(130);
  await film.press(button('2: completed'));
  await film.show(60);

  const cheats = page.getByRole('heading', { name: 'Try to cheat' });
  await cheats.locator('..').evaluate(INTO_VIEW);
  await film.show(90);
  await film.press(button('Send the last round again'));
  await film.show(70);
  await film.press(button(/Press to confirm/));
  await page.getByText('Answered from the record.').waitFor();
  await film.show(260);
  const swap = button('Change an argument after the approval');
  await film.press(swap);
  await page.getByText('Refused. The body ran 0×.').waitFor();
  await swap.evaluate(INTO_VIEW);
  await film.show(300);
}

/** Starts the command on the tool of the README, and returns its address and its end. */
async function startDev() {
  const folder = path.join(ROOT, 'dist/watch');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'tools.ts'), TOOLS.join('\n'));
  const args = [path.join(ROOT, 'dist/cli.mjs'), 'dev', './tools.ts'];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const end = (): void => {
    child.kill('SIGTERM');
    rmSync(folder, { recursive: true });
  };
  return { address: /http:\S+/.exec(line.toString())?.[0] ?? '', end };
}

const chromium = await startChromium();
const dev = await startDev();
try {
  const page = await chromium.newPage({ viewport: SIZE, reducedMotion: 'reduce' });
  await page.goto(dev.address);
  await page.getByRole('heading', { name: 'Call' }).waitFor();
  const film = new Film(page);
  await play(page, film);
  const bytes = film.write(path.join(GUIDE, 'watch.gif'));
  process.stdout.write(`docs/guide/watch.gif: ${bytes} bytes\n`);
  if (bytes > LARGEST) throw new Error(`The animation is larger than ${LARGEST} bytes.`);

  const still = await chromium.newPage({ viewport: { width: 1280, height: 860 } });
  await still.goto(dev.address);
  await still.locator('#argument-invoice').selectOption('INV-2');
  await still.getByRole('button', { name: 'Run' }).click();
  await still.getByRole('article').waitFor();
  await still.screenshot({ path: path.join(GUIDE, 'watch.png') });
} finally {
  await chromium.close();
  dev.end();
}
