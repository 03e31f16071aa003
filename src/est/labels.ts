import { estConfig } from "./settings.ts";
import { rowReader } from "../engine/row-reader.ts";
import { CaError } from "../base/errors.ts";
import { lowerAscii } from "../base/names.ts";
import type { Deployment, Routes } from "../engine/deployment.ts";
import type { Mount } from "../engine/mount.ts";
import type { Row } from "../engine/ports.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { kindOf, type StoreContext } from "../engine/store-context.ts";
import { labelsOf, noLabel } from "./policy.ts";

/** The mount that owns an EST label, as long as its configuration contains the label. */
interface EstLabelRow {
  /** UUID of the mount. */
  readonly mount: string;
  /** Time at which the mount claimed the label (Unix ms), or 0 if it was released. */
  readonly at: number;
}
const belowEstLabels = "estlabel/";
/**
 * Returns the row key of a label, which must be in lower case, or `-` for paths without a label.
 */
const estLabelKey = (label: string): string => `${belowEstLabels}${label}`;
const storedEstLabel = rowReader<EstLabelRow>({ mount: "", at: 0 });

/** Time for which a mount owns a label that its configuration does not contain yet (ms). */
const reservationTime = 60_000;
/** Returns the row key of a label, ignoring case, because people type labels. */
const keyOf = (label: string): string => estLabelKey(label === noLabel ? "-" : lowerAscii(label));

const cachedLabels = kindOf<ReadonlyMap<string, EstLabelRow>>(1, [belowEstLabels]);
/**
 * Returns the UUID of the mount that last claimed a label. The result may be up to a second old.
 */
export async function mountOfLabel(sys: StoreContext, label: string): Promise<string | undefined> {
  const rows = await sys.cache.recent(
    cachedLabels,
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

/** The context in which labels are reserved. */
interface Reservation {
  readonly mount: Mount;
  readonly deployment: Deployment;
  readonly routes: Routes;
  readonly now: number;
}
/**
 * Reserves labels for a mount before its configuration is written. Throws `already_exists` if
 * another mount owns one of them. Of two concurrent calls for the same label, one succeeds.
 */
export async function reserveLabels(
  mount: Mount,
  deployment: Deployment,
  labels: readonly string[],
): Promise<void> {
  // the audit entry belongs to the configuration write that follows
  const sys = mount.sys.self;
  await sys.change(
    async () => {
      const [routes, rows] = await Promise.all([
        deployment.readMounts(),
        sys.store.list(belowEstLabels),
      ]);
      const it = { mount, deployment, routes, now: sys.ports.now() };
      const rowByKey = new Map(rows);
      for (const label of labels) {
        const row = rowByKey.get(keyOf(label));
        if (row && (await isOfAnother(it, row, label))) throw labelInUse(label);
      }
      const keys = labels.map(keyOf);
      const idle = rows.filter(([key, row]) => !keys.includes(key) && isIdle(it, row));
      if (keys.length === 0 && idle.length === 0) return { reply: undefined };
      const row: EstLabelRow = { mount: mount.name, at: it.now };
      return {
        reply: undefined,
        batch: {
          expect: [
            ...keys.map((key) => [key, rowByKey.get(key)?.rev ?? null] as const),
            ...idle.map(([key, { rev }]) => [key, rev] as const),
          ],
          put: keys.map((key) => [key, row] as const),
          del: idle.map(([key]) => key),
        },
      };
    },
    { what: "the labels of EST" },
  );
}
const labelInUse = (label: string): CaError =>
  new CaError(
    "already_exists",
    label === noLabel
      ? "a different mount is already the default mount of EST"
      : `the label ${label} is in use by another mount`,
  );
/**
 * Reports whether a label was claimed so recently that the configuration may not contain it yet.
 */
const isFresh = ({ at }: EstLabelRow, now: number): boolean => Math.abs(now - at) < reservationTime;

async function isOfAnother(
  { mount, deployment, routes, now }: Reservation,
  { value }: Row,
  label: string,
): Promise<boolean> {
  const row = storedEstLabel(value);
  if (row.mount === mount.name || ![...routes.values()].some(({ uuid }) => uuid === row.mount))
    return false;
  if (isFresh(row, now)) return true;
  const config = await configOf(deployment, row.mount);
  return config !== undefined && labelsOf(config.get(estConfig)).map(keyOf).includes(keyOf(label));
}
/**
 * Returns the configuration of a mount, or undefined if the mount is being restored and is still
 * empty. An empty mount has no labels.
 */
async function configOf(deployment: Deployment, uuid: string): Promise<Snapshot | undefined> {
  try {
    return await deployment.mount(uuid).config();
  } catch (error) {
    if (error instanceof CaError && error.code === "no_route") return undefined;
    throw error;
  }
}
/**
 * Reports whether a label belongs to a deleted mount, or is no longer in this mount's
 * configuration.
 */
function isIdle({ mount, routes, now }: Reservation, { value }: Row): boolean {
  const row = storedEstLabel(value);
  if (isFresh(row, now)) return false;
  return row.mount === mount.name || ![...routes.values()].some(({ uuid }) => uuid === row.mount);
}

/** Releases labels that the configuration no longer contains. */
export async function releaseLabels(mount: Mount, labels: readonly string[]): Promise<void> {
  if (labels.length === 0) return;
  const sys = mount.sys.self;
  const keys = labels.map(keyOf);
  const rows = await sys.store.get(keys);
  for (const [at, key] of keys.entries()) {
    const row = rows[at];
    // a label that this mount concurrently claims again is not released
    if (row && storedEstLabel(row.value).mount === mount.name)
      await sys.commit({ expect: [[key, row.rev]], put: [[key, { mount: mount.name, at: 0 }]] });
  }
}
