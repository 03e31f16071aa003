import { mountKey } from "../../engine/mount-records.ts";
import { CaError } from "../../base/errors.ts";
import { jobPrefix, lastNumberPrefix } from "../../base/row-keys.ts";
import type { Deployment } from "../../engine/deployment.ts";
import type { Steps } from "../../engine/format.ts";
import { storedPolicy, belowPolicies, policyKeys } from "../../engine/policy-records.ts";
import { sysSteps } from "../../engine/sys-format.ts";
import { placementMembers } from "../../engine/mount-stores.ts";
import { belowSys, type MountRoute, sysKeys, storedRoute } from "../../engine/sys-records.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { nameInKey } from "../policy/names.ts";
import { belowTokens, tokenKeys } from "../../auth/rows/tokens.ts";
import { belowQuotas, quotaKeys } from "../../quota/records.ts";

/** A store that belongs to no mount, for backups and restores. */
export interface StoreKind {
  /** Name of the store. */
  readonly name: string;
  /** Migrations of the store's rows. */
  readonly formats: Steps;
  /** Key of a row that every backup of the store must contain. Absent if the store may be empty. */
  readonly required?: string;
  /** Returns the value to restore for a row, or undefined if the row must be dropped. */
  restored(key: string, value: unknown): unknown;
  /**
   * Returns the rank of a row, which is below `rankCount`. Rows with lower ranks are restored
   * first.
   */
  rank(key: string): number;
  /** Migrates the rows. Rejects with CaError `storage` if the store has lost them. */
  prepare(): Promise<void>;
  /**
   * Rejects with CaError `already_exists` if the store contains more than the rows that its
   * initialization creates.
   */
  refuseUsed(): Promise<void>;
  /**
   * Removes the rows that the initialization created in other stores. Resolves with a function that
   * drops those stores, to be called after the restore.
   */
  vacate(): Promise<() => Promise<void>>;
}

/** Row key of a restore's progress. */
export const restoreKey = "restore";
/** Key prefix of rows that are staged for a restore. */
export const stagedPrefix = "restored/";
/** Exclusive upper bound of the ranks. */
export const rankCount = 3;

/** Reports whether a row belongs to a restore. Such rows are never restored themselves. */
export const isOfRestore = (key: string): boolean =>
  key === restoreKey || key.startsWith(stagedPrefix);
const used = (what: string): CaError =>
  new CaError("already_exists", `${what}: restore into an unused installation`);

/** Returns the store context for the given kind of store. */
export const storeContextOf = (deployment: Deployment, { name }: StoreKind): StoreContext =>
  name === deployment.sys.name ? deployment.sys : deployment.storeContext(name);

/**
 * Finds the store with the given name, among the stores that belong to no mount. Returns undefined
 * if there is none.
 */
export function findStoreKind(deployment: Deployment, name: string): StoreKind | undefined {
  if (name === deployment.sys.name) return sysKind(deployment);
  const owner = deployment.secretOwners.find(({ store }) => store === name);
  return (
    owner && {
      name,
      formats: owner.formats,
      restored: (key, value) => (isOfRestore(key) ? undefined : value),
      rank: () => 0,
      prepare: async () => {
        const fault = await owner.fault(deployment);
        if (fault !== undefined) throw new CaError("storage", fault);
      },
      refuseUsed: async () => {
        if (!(await owner.isInitial(deployment))) throw used(`the store ${name} is in use`);
      },
      vacate: () => Promise.resolve(() => Promise.resolve()),
    }
  );
}

const sysKind = (deployment: Deployment): StoreKind => ({
  name: deployment.sys.name,
  formats: sysSteps,
  required: sysKeys.installed,
  restored: (key, value) => restoredOfSys(deployment, key, value),
  rank: rankOfSys,
  prepare: async () => void (await deployment.readMounts()),
  refuseUsed: () => refuseUsedSys(deployment),
  vacate: () => vacateMounts(deployment),
});

/** Keys of `sys` rows that are not restored. */
const droppedKeys = new Set<string>([sysKeys.anonymousCalls]);
const droppedPrefixes = [belowSys.wrapped, belowSys.notices];

function restoredOfSys({ ports }: Deployment, key: string, value: unknown): unknown {
  if (isOfRestore(key) || droppedKeys.has(key)) return undefined;
  if (droppedPrefixes.some((prefix) => key.startsWith(prefix))) return undefined;
  if (!key.startsWith(belowSys.routes)) return value;
  // the mount rejects requests until its own backup is restored
  const { uuid, type, partitions = 1 } = storedRoute(value);
  const several = placementMembers(ports.stores.partitions ? partitions : 1);
  return { uuid, type, restoring: true, ...several } satisfies MountRoute;
}

/**
 * Returns the rank of a `sys` row: policies and limits come first and tokens last, so that no token
 * works without its limits.
 */
function rankOfSys(key: string): number {
  const limits = [belowPolicies, belowQuotas, quotaKeys.config];
  if (limits.some((prefix) => key.startsWith(prefix))) return 0;
  const tokens = [belowTokens.tokens, belowTokens.accessors];
  return tokens.some((prefix) => key.startsWith(prefix)) ? 2 : 1;
}

/** Keys of `sys` rows that a server stores on its own, without an authenticated request. */
const initialKeys = new Set<string>([
  "epoch",
  "format",
  restoreKey,
  sysKeys.installed,
  sysKeys.seal,
  sysKeys.cluster,
  sysKeys.auditKey,
  sysKeys.anonymousCalls,
  policyKeys.ready,
  tokenKeys.ends,
]);
const initialPrefixes = [
  stagedPrefix,
  belowSys.routes,
  belowSys.notices,
  belowPolicies,
  sysKeys.used(""),
  "audit/",
  lastNumberPrefix,
  jobPrefix,
];
const isInitial = (key: string): boolean =>
  initialKeys.has(key) || initialPrefixes.some((prefix) => key.startsWith(prefix));
/** Number of keys to list at a time. */
const pageSize = 1000;

async function refuseUsedSys(deployment: Deployment): Promise<void> {
  const { store } = deployment.sys;
  for (const [path, route] of await deployment.readMounts())
    if (!route.free || !(await isUntouched(deployment.storeContext(route.uuid))))
      throw used(`the mount ${path}/ is in use`);
  for (const [key, { value }] of await store.list(belowPolicies))
    if (storedPolicy(value).mount === undefined) throw used(`the policy ${nameInKey(key)} exists`);
  for (let after = ""; ;) {
    const page = await store.list("", {
      values: false,
      limit: pageSize,
      ...(after === "" ? {} : { after }),
    });
    const other = page.find(([key]) => !isInitial(key));
    if (other) throw used(`the store sys has ${other[0].split("/", 1)[0]} rows`);
    after = page.at(-1)?.[0] ?? "";
    if (page.length < pageSize) return;
  }
}
/** Reports whether a mount is unchanged since the initialization. */
async function isUntouched(storeContext: StoreContext): Promise<boolean> {
  if ((await storeContext.epoch()) <= 1) return true;
  // an unfinished restore has cleared the mount
  const [row] = await storeContext.store.get([mountKey]);
  return !row;
}

async function vacateMounts(deployment: Deployment): Promise<() => Promise<void>> {
  const storeContexts: StoreContext[] = [];
  for (const [path, { uuid }] of await deployment.readMounts()) {
    const storeContext = deployment.storeContext(uuid);
    const cleared = await storeContext.store.commit({ onlyAtEpoch: 1, epoch: "next", clear: true });
    if (!cleared && !(await isUntouched(storeContext))) throw used(`the mount ${path}/ is in use`);
    storeContexts.push(storeContext);
  }
  return async () => {
    for (const { store } of storeContexts) await store.drop?.();
  };
}
