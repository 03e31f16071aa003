import { lastNumberKey, logKey } from "../base/row-keys.ts";
import type { Batch, Index, Page, Row } from "../engine/ports.ts";
import { requireEqual, type Open } from "./check.ts";

/**
 * A step of a sequence: a listing, or a commit that expects certain revisions of the rows `stale`,
 * some of which may be outdated.
 */
export type Step =
  | { readonly batch: Batch; readonly stale: readonly string[] }
  | { readonly prefix: string; readonly page: Page };

/**
 * A reference store that is as simple as possible. Only the order of its revisions is compared, not
 * their values.
 */
interface Model {
  readonly rows: Map<string, { value: unknown; index: Index; rev: number }>;
  epoch: number;
  rev: number;
}
const put = ({ rows, rev }: Model, of: string, value: unknown, index: Index = {}): void =>
  void rows.set(of, { value, index, rev });

function append(model: Model, prefix: string, bytes: Uint8Array): void {
  const last = [...model.rows.keys()]
    .filter((of) => of.startsWith(prefix) && /^\d{8}$/.test(of.slice(prefix.length)))
    .sort()
    .at(-1);
  const before = last === undefined ? undefined : model.rows.get(last)?.value;
  if (last !== undefined && before instanceof Uint8Array && before.length + bytes.length <= 65_536)
    return put(model, last, Uint8Array.from([...before, ...bytes]));
  const n = last === undefined ? 0 : Number(last.slice(prefix.length)) + 1;
  put(model, prefix + String(n).padStart(8, "0"), bytes);
}
function log(model: Model, prefix: string, value: unknown): void {
  const last = model.rows.get(lastNumberKey(prefix))?.value;
  const n = (typeof last === "number" ? last : 0) + 1;
  put(model, lastNumberKey(prefix), n);
  put(model, logKey(prefix, n), value);
}

function commit(model: Model, batch: Batch): { epoch: number } | undefined {
  const { rows, epoch } = model;
  if (batch.onlyAtEpoch !== undefined && batch.onlyAtEpoch !== epoch) return undefined;
  if (typeof batch.epoch === "number" && batch.epoch < epoch) return undefined;
  model.rev += 1;
  if (batch.clear) for (const of of rows.keys()) if (of !== "epoch") rows.delete(of);
  for (const of of batch.del ?? []) rows.delete(of);
  for (const [of, value, index] of batch.put ?? []) put(model, of, value, index);
  for (const [prefix, bytes] of batch.append ?? []) append(model, prefix, bytes);
  for (const [prefix, value] of batch.log ?? []) log(model, prefix, value);
  const next = batch.epoch === "next" ? epoch + 1 : (batch.epoch ?? epoch);
  if (next !== epoch) put(model, "epoch", next);
  model.epoch = next;
  return { epoch: next };
}

function list(
  model: Model,
  prefix: string,
  { after, by, limit, values }: Page,
): [string, unknown][] {
  let rows = [...model.rows]
    .filter(([of]) => of.startsWith(prefix))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  if (by) {
    const at = (index: Index): string | number => index[by.name] ?? "";
    const later = (index: Index, of: string): boolean =>
      !by.after || at(index) > by.after[0] || (at(index) === by.after[0] && of > by.after[1]);
    rows = rows.filter(
      ([of, { index }]) =>
        index[by.name] !== undefined &&
        (by.from === undefined || at(index) >= by.from) &&
        (by.to === undefined || at(index) <= by.to) &&
        later(index, of),
    );
    rows.sort(([, a], [, b]) =>
      at(a.index) < at(b.index) ? -1 : at(a.index) > at(b.index) ? 1 : 0,
    );
  } else if (after !== undefined) rows = rows.filter(([of]) => of > after);
  return rows.slice(0, limit).map(([of, row]) => [of, values === false ? undefined : row.value]);
}

const plain = (listing: readonly (readonly [string, Row])[]): [string, unknown][] =>
  listing.map(([of, { value }]) => [of, value]);

/** Runs the same steps on a store and on the model. Rejects if their results differ. */
export async function follow(open: Open, steps: readonly Step[]): Promise<void> {
  const store = await open();
  const expected: Model = { rows: new Map(), epoch: 0, rev: 0 };
  const old = new Map<string, number | null>();
  for (const [at, next] of steps.entries()) {
    if ("prefix" in next) {
      requireEqual(
        plain(await store.list(next.prefix, next.page)),
        list(expected, next.prefix, next.page),
        `listing in step ${at}`,
      );
      continue;
    }
    const stale = await store.get(next.stale);
    // a remembered revision makes the commit fail if the row has changed since
    const expectations = next.stale.map(
      (of, n) => [of, at % 3 === 0 ? (old.get(of) ?? null) : (stale[n]?.rev ?? null)] as const,
    );
    const isMet = expectations.every(([, rev], n) => rev === (stale[n]?.rev ?? null));
    next.stale.forEach((of, n) => old.set(of, stale[n]?.rev ?? null));
    const result = await store.commit({ ...next.batch, expect: expectations });
    requireEqual(result, isMet ? commit(expected, next.batch) : undefined, `commit in step ${at}`);
  }
  const all = await store.list("");
  requireEqual(plain(all), list(expected, "", {}), "all rows");
  const revisions = (rows: readonly (readonly [string, { rev: number }])[]): string[] =>
    [...rows].sort(([a, x], [b, y]) => x.rev - y.rev || (a < b ? -1 : 1)).map(([of]) => of);
  requireEqual(revisions(all), revisions([...expected.rows]), "the order of revisions");
}
