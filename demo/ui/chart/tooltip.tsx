import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { counted, periodOf, totalOf, totalText, type ChartData } from "./chart-data.ts";
import type { Slot } from "./bar-layout.ts";

/**
 * A tooltip with the numbers of the hovered or focused bar. Screen readers read the label of the
 * bar instead.
 */
export function Tooltip({
  slot,
  data: { bars, series, nouns },
  width,
  bottom,
}: {
  slot: Slot;
  data: ChartData;
  /** Width of the chart in pixels. */
  width: number;
  /** Distance from the bottom of the chart in pixels. */
  bottom: number;
}): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const middle = slot.x + slot.width / 2;
    const half = element.offsetWidth / 2;
    element.style.left = `${Math.max(0, Math.min(width - 2 * half, middle - half))}px`;
    element.style.bottom = `${bottom}px`;
  }, [slot.x, slot.width, width, bottom]);
  const bar = bars[slot.first];
  const total = bar ? totalOf(bar) : 0;
  return (
    <div ref={box} class="chart-tip small" aria-hidden="true">
      <b>{periodOf(bars, slot)}</b>
      {slot.kind === "bar" && bar ? (
        <>
          <span>
            {totalText(bar)} {nouns[total === 1 ? 0 : 1]}
          </span>
          {series.length > 1 && (
            <span class="legend">
              {series.map(
                ({ name, tone }, i) =>
                  (bar.values[i] ?? 0) > 0 && (
                    <span key={name}>
                      <i class={tone} />
                      {counted(bar.values[i] ?? 0)} {name}
                    </span>
                  ),
              )}
            </span>
          )}
          <span class="muted">Select the bar to list them</span>
        </>
      ) : (
        <span>{slot.kind === "quiet" ? `No ${nouns[0]}` : "Not counted"}</span>
      )}
    </div>
  );
}
