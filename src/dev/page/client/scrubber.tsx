/** The steps of a run, and a slider over its moments. The graph shows the chosen moment. */
import type { JSX } from 'preact';
import { shownMoments, shownRun } from './state.js';

/** Renders the steps of the shown run. */
export function Scrubber(): JSX.Element {
  const { moments = [], steps = [] } = shownRun.value ?? {};
  const shown = shownMoments.value ?? moments.length;
  const moveTo = (count: number): void => {
    shownMoments.value = count >= moments.length ? undefined : Math.max(0, count);
  };
  const label = moments[shown - 1]?.label ?? 'before the call';
  return (
    <div class="scrubber">
      <div class="steps" role="group" aria-label="Rounds">
        {steps.map((step) => (
          <button
            key={step.end}
            type="button"
            aria-pressed={shown === step.end}
            onClick={() => moveTo(step.end)}
          >
            {step.label}
          </button>
        ))}
        {steps.length === 0 ? (
          <span class="hint">The rounds of a run appear here.</span>
        ) : undefined}
      </div>
      <div class="slider">
        <button
          type="button"
          aria-label="Back"
          disabled={shown === 0}
          onClick={() => moveTo(shown - 1)}
        >
          ‹
        </button>
        <input
          type="range"
          aria-label="Moment of the run"
          min={0}
          max={moments.length}
          value={shown}
          disabled={moments.length === 0}
          aria-valuetext={label}
          onInput={({ currentTarget }) => moveTo(Number(currentTarget.value))}
        />
        <button
          type="button"
          aria-label="Forward"
          disabled={shown === moments.length}
          onClick={() => moveTo(shown + 1)}
        >
          ›
        </button>
        <output class="mono">{moments.length === 0 ? '' : label}</output>
      </div>
    </div>
  );
}
