import { bringUpToDate, formatKey, type Steps } from "./format.ts";
import { deepEqual } from "../base/deep-equal.ts";
import {
  type AcmeConfig,
  type AutoTidyConfig,
  type ClusterConfig,
  type CrlConfig,
  type EstConfig,
  type IssuersConfig,
  type KeysConfig,
  type UrlsConfig,
  settings,
} from "./settings.ts";
import type { ExternalPolicyConfig } from "./external-records.ts";
import {
  rowPrefixes,
  type IssuerId,
  type IssuerRow,
  type KeyId,
  type KeyRow,
  type ResponderRow,
  keys,
  storedPki,
} from "./records.ts";
import { type MountRow, storedMount } from "./mount-records.ts";
import type { Row, Store } from "./ports.ts";

/**
 * The configuration of one epoch, which decides who gets a certificate. Its rows may be newer than
 * its epoch but never older, because the epoch is read first. A commit with an older epoch than the
 * store's is rejected, and the decision is computed again.
 */
export interface Snapshot {
  readonly epoch: number;
  readonly mount: MountRow;
  readonly mountRev: number;
  readonly urls: UrlsConfig;
  readonly issuersConfig: IssuersConfig;
  readonly keysConfig: KeysConfig;
  readonly cluster: ClusterConfig;
  readonly crl: CrlConfig;
  readonly acme: AcmeConfig;
  readonly est: EstConfig;
  readonly autoTidy: AutoTidyConfig;
  readonly externalPolicy: ExternalPolicyConfig;
  readonly issuers: ReadonlyMap<IssuerId, IssuerRow>;
  readonly keys: ReadonlyMap<KeyId, KeyRow>;
  /** Delegated OCSP responders, by their issuers. */
  readonly responders: ReadonlyMap<IssuerId, ResponderRow>;
  /** Sealed HMAC key of the mount's serial numbers. */
  readonly serialKey: Uint8Array | undefined;
  /** Salt of ACME nonces since the mount was restored from a backup. */
  readonly nonceSalt: Uint8Array | undefined;
  /** Whether changes are stored as events, because the deployment has sinks for them. */
  readonly events: boolean;
  /** Returns the revision of a configuration row, null if it was never written. */
  rev(key: string): number | null;
  /** Returns a role's row, read once per epoch. */
  role(name: string): Promise<Row | undefined>;
  /**
   * Reports whether a configuration row already has this value (`undefined`: is absent). False for
   * rows that are not configuration.
   */
  says(key: string, value: unknown): Promise<boolean>;
}

/** Migrations of a mount's store: none so far. */
export const mountSteps: Steps = [];

/** Limits memory, because callers can request any name. */
const maxRoles = 1000;

const prefixes = [rowPrefixes.config, rowPrefixes.issuers, rowPrefixes.keys];
const isSetting = (name: string): name is keyof typeof settings => Object.hasOwn(settings, name);

/**
 * Reads the configuration of a mount's store; undefined if the store belongs to no mount (any
 * more). Throws {@link NewerFormatError} if a later version has written it.
 */
export async function loadSnapshot(store: Store): Promise<Snapshot | undefined> {
  const [epochRow, format] = await store.get(["epoch", formatKey]);
  if (await bringUpToDate(store, format, mountSteps)) return loadSnapshot(store);
  const [own, config, issuerRows, keyRows] = await Promise.all([
    store.get([keys.mount]),
    store.list(rowPrefixes.config),
    store.list(rowPrefixes.issuers),
    store.list(rowPrefixes.keys),
  ]);
  const mount = own[0];
  if (!mount) return undefined;
  const rows = new Map([...config, ...issuerRows, ...keyRows]);
  const role = rolesOf(store);
  const value = (name: string): unknown => rows.get(keys.config(name))?.value;
  const [sealed, salt] = [value("serial"), value("nonces")];
  return {
    epoch: typeof epochRow?.value === "number" ? epochRow.value : 0,
    mount: storedMount(mount.value),
    mountRev: mount.rev,
    urls: settings.urls(value("urls")),
    issuersConfig: settings.issuers(value("issuers")),
    keysConfig: settings.keys(value("keys")),
    cluster: settings.cluster(value("cluster")),
    crl: settings.crl(value("crl")),
    acme: settings.acme(value("acme")),
    est: settings.est(value("est")),
    autoTidy: settings["auto-tidy"](value("auto-tidy")),
    externalPolicy: settings["external-policy"](value("external-policy")),
    issuers: byId(issuerRows, storedPki.issuer),
    keys: byId(keyRows, storedPki.key),
    responders: new Map(
      config
        .filter(([key]) => key.startsWith(rowPrefixes.responders))
        .map(([, { value }]) => storedPki.responder(value))
        .map((row) => [row.issuer, row]),
    ),
    serialKey: sealed instanceof Uint8Array ? sealed : undefined,
    nonceSalt: salt instanceof Uint8Array ? salt : undefined,
    events: value("events") === true,
    rev: (key) => rows.get(key)?.rev ?? null,
    role,
    says: async (key, wanted) => {
      if (key === keys.mount) return deepEqual(mount.value, wanted);
      if (key.startsWith(rowPrefixes.roles))
        return deepEqual((await role(key.slice(rowPrefixes.roles.length)))?.value, wanted);
      if (!prefixes.some((prefix) => key.startsWith(prefix))) return false;
      return saysSame(key, rows.get(key)?.value, wanted);
    },
  };
}

function byId<T extends { readonly id: string }>(
  rows: readonly (readonly [string, Row])[],
  read: (value: unknown) => T,
): ReadonlyMap<T["id"], T> {
  return new Map(rows.map(([, row]) => read(row.value)).map((row) => [row.id, row]));
}

/** Returns a reader of roles that reads each once per epoch. */
function rolesOf(store: Store): Snapshot["role"] {
  const roles = new Map<string, Row | undefined>();
  return async (name) => {
    if (roles.has(name)) return roles.get(name);
    // caches the row, not the promise: a request on Workers may be cancelled, and its promises then
    // never settle
    const [row] = await store.get([keys.role(name)]);
    if (roles.size >= maxRoles) roles.clear();
    roles.set(name, row);
    return row;
  };
}

/**
 * Reports whether two values of a configuration row are equal; an absent one equals the defaults.
 */
function saysSame(key: string, held: unknown, wanted: unknown): boolean {
  const name = key.slice(rowPrefixes.config.length);
  return isSetting(name) && key === keys.config(name)
    ? deepEqual(settings[name](held), settings[name](wanted))
    : deepEqual(held, wanted);
}
