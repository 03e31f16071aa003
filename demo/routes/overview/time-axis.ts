import type { Authority } from "../../api/issuer.ts";

export interface Axis {
  readonly years: readonly number[];
  at(time: Date | number): number;
  readonly end: number;
}

/**
 * Returns a time axis for all CAs, in whole years. It covers at least two years, and reaches at
 * most fifteen years into the future, so that a long-lived root does not compress the rest.
 */
export function timeAxis(all: readonly Authority[], now: Date): Axis {
  const begin = Date.UTC(
    Math.min(now.getUTCFullYear(), ...all.map(({ view }) => view.begins.getUTCFullYear())),
    0,
  );
  const last = Math.max(
    now.getUTCFullYear() + 2,
    ...all.map(({ view }) => view.ends.getUTCFullYear() + 1),
  );
  const end = Date.UTC(Math.min(last, now.getUTCFullYear() + 15), 0);
  const span = new Date(end).getUTCFullYear() - new Date(begin).getUTCFullYear();
  const step = Math.max(1, Math.ceil(span / 4));
  const years = Array.from(
    { length: Math.ceil(span / step) },
    (_, i) => new Date(begin).getUTCFullYear() + i * step,
  );
  return {
    years,
    end,
    at: (time) => Math.max(0, Math.min(100, (100 * (Number(time) - begin)) / (end - begin))),
  };
}
