import type { JSX } from "preact";
import { Columns } from "../table.tsx";
import { counted, periodOf, totalText, type ChartData } from "./chart-data.ts";
import type { Slot } from "./bar-layout.ts";

/** The numbers of a chart as a table. */
export function ChartTable({
  bars,
  series,
  slots,
}: ChartData & { slots: readonly Slot[] }): JSX.Element {
  const shown = series.flatMap((one, i) =>
    bars.some(({ values }) => (values[i] ?? 0) > 0) ? [[one.name, i] as const] : [],
  );
  const parts = series.length > 1 ? shown : [];
  return (
    <details>
      <summary class="small">Show as table</summary>
      <table class="table">
        <Columns of={["Period", ...parts.map(([name]) => name), "Total"]} />
        <tbody>
          {slots.map((slot) => {
            const bar = bars[slot.first];
            const period = periodOf(bars, slot);
            if (slot.kind !== "bar" || !bar)
              return (
                <tr key={slot.first}>
                  <td>{period}</td>
                  <td colSpan={parts.length + 1}>{slot.kind === "quiet" ? "0" : "Not counted"}</td>
                </tr>
              );
            return (
              <tr key={slot.first}>
                <td>
                  <a href={bar.href}>{period}</a>
                </td>
                {parts.map(([name, i]) => (
                  <td key={name}>{counted(bar.values[i] ?? 0)}</td>
                ))}
                <td>{totalText(bar)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </details>
  );
}
