import { rowReader } from "../engine/row-reader.ts";
import { CaError } from "../base/errors.ts";
import { lowerAscii } from "../base/names.ts";
import { kindOf } from "../engine/cache.ts";
import type { Deployment, Routes } from "../engine/deployment.ts";
import type { Mount } from "../engine/mount.ts";
import type { Row } from "../engine/ports.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import type { Unit } from "../engine/unit.ts";
import { labelsOf, noLabel } from "./policy.ts";

/** Which mount answers a label of EST, as long as its configuration has the label. */
interface EstLabelRow {
  /** Its uuid. */
  readonly mount: string;
  /** When it took the label, Unix milliseconds. */
  readonly at: number;
}
const belowEstLabels = "estlabel/";
/** Returns the key of the row of a label: in lower case, `-` for the paths that have none. */
const estLabelKey = (label: string): string => `${belowEstLabels}${label}`;
const storedEstLabel = rowReader<EstLabelRow>({ mount: "", at: 0 });

/** How long a label is its mount's although the configuration does not have it yet, ms. */
const patience = 60_000;
/** Two labels that differ in case are one to who has to type them. */
const keyOf = (label: string): string => estLabelKey(label === noLabel ? "-" : lowerAscii(label));

const kept = kindOf<ReadonlyMap<string, EstLabelRow>>(1, [belowEstLabels]);
/** Which mount took a label last, at most a second old. */
export async function mountOfLabel(sys: Unit, label: string): Promise<string | undefined> {
  const rows = await sys.cache.recent(
    kept,
    "",
    async () =>
      new Map(
        (await sys.store.list(belowEstLabels)).map(([key, { value }]) => [
          key,
          storedEstLabel(value),
        ]),
      ),
  );
  return rows.get(keyOf(label))?.mount;
}

/** What is known when labels are taken. */
interface Taking {
  readonly ca: Mount;
  readonly deployment: Deployment;
  readonly routes: Routes;
  readonly now: number;
}
/**
 * Takes labels for a mount, before its configuration gets them. Throws `already_exists` where
 * another mount has one: of two that take one at once, one wins.
 */
export async function takeLabels(
  ca: Mount,
  deployment: Deployment,
  labels: readonly string[],
): Promise<void> {
  // the configuration that is written next carries what the audit is told
  const sys = ca.sys.self;
  await sys.change(
    async () => {
      const [routes, rows] = await Promise.all([
        deployment.readMounts(),
        sys.store.list(belowEstLabels),
      ]);
      const it = { ca, deployment, routes, now: sys.ports.now() };
      const held = new Map(rows);
      for (const label of labels) {
        const row = held.get(keyOf(label));
        if (row && (await isOfAnother(it, row, label))) throw taken(label);
      }
      const wanted = labels.map(keyOf);
      const idle = rows.filter(([key, row]) => !wanted.includes(key) && isIdle(it, row));
      if (wanted.length === 0 && idle.length === 0) return { reply: undefined };
      const row: EstLabelRow = { mount: ca.name, at: it.now };
      return {
        reply: undefined,
        batch: {
          expect: [
            ...wanted.map((key) => [key, held.get(key)?.rev ?? null] as const),
            ...idle.map(([key, { rev }]) => [key, rev] as const),
          ],
          put: wanted.map((key) => [key, row] as const),
          del: idle.map(([key]) => key),
        },
      };
    },
    { what: "the labels of EST" },
  );
}
const taken = (label: string): CaError =>
  new CaError(
    "already_exists",
    label === noLabel
      ? "another mount is the default mount of EST already"
      : `the label ${label} is in use by another mount`,
  );
/** Whether somebody is just about to write a label into a configuration. */
const isFresh = ({ at }: EstLabelRow, now: number): boolean => Math.abs(now - at) < patience;

async function isOfAnother(
  { ca, deployment, routes, now }: Taking,
  { value }: Row,
  label: string,
): Promise<boolean> {
  const row = storedEstLabel(value);
  if (row.mount === ca.name || ![...routes.values()].some(({ uuid }) => uuid === row.mount))
    return false;
  if (isFresh(row, now)) return true;
  const config = await configOf(deployment, row.mount);
  return config !== undefined && labelsOf(config.est).map(keyOf).includes(keyOf(label));
}
/** Undefined of a mount that holds nothing: what is being restored has no label yet. */
async function configOf(deployment: Deployment, uuid: string): Promise<Snapshot | undefined> {
  try {
    return await deployment.mount(uuid).config();
  } catch (error) {
    if (error instanceof CaError && error.code === "no_route") return undefined;
    throw error;
  }
}
/** Of a mount that is gone, or this one's that its configuration does not have any more. */
function isIdle({ ca, routes, now }: Taking, { value }: Row): boolean {
  const row = storedEstLabel(value);
  if (isFresh(row, now)) return false;
  return row.mount === ca.name || ![...routes.values()].some(({ uuid }) => uuid === row.mount);
}

/** Lets others have labels at once that the configuration has no more. */
export async function leaveLabels(ca: Mount, labels: readonly string[]): Promise<void> {
  if (labels.length === 0) return;
  const sys = ca.sys.self;
  const keys = labels.map(keyOf);
  const rows = await sys.store.get(keys);
  for (const [at, key] of keys.entries()) {
    const row = rows[at];
    // whoever takes it again meanwhile keeps it
    if (row && storedEstLabel(row.value).mount === ca.name)
      await sys.commit({ expect: [[key, row.rev]], put: [[key, { mount: ca.name, at: 0 }]] });
  }
}
