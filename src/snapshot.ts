import type { ClusterConfig, CrlConfig, IssuersConfig, KeysConfig, UrlsConfig } from "./settings.ts";
import { settings } from "./settings.ts";
import type { IssuerId, IssuerRow, KeyId, KeyRow, MountRow } from "./records.ts";
import { keys } from "./records.ts";
import type { Row, Store } from "./ports.ts";

/**
 * The configuration of one epoch: what decides who gets a certificate. Its rows may be newer than its epoch, never older, because the epoch is read
 * first; a commit with an older epoch than the store's is refused, and the decision is made again.
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
  readonly issuers: ReadonlyMap<IssuerId, IssuerRow>;
  readonly keys: ReadonlyMap<KeyId, KeyRow>;
  /** Sealed HMAC key of the mount's serial numbers. */
  readonly serialKey: Uint8Array | undefined;
  /** Revision of a configuration row, null when it was never written. */
  rev(key: string): number | null;
  /** A role's row, read once an epoch. */
  role(name: string): Promise<Row | undefined>;
}

/** Names that callers make up must not fill the memory. */
const maxRoles = 1000;

/** Reads the configuration of a mount's store; undefined when the store belongs to no mount (any more). */
export async function loadSnapshot(store: Store): Promise<Snapshot | undefined> {
  const [epochRow] = await store.get(["epoch"]);
  const [own, config, issuerRows, keyRows] = await Promise.all([store.get([keys.mount]), store.list("config/"), store.list("issuer/"), store.list("key/")]);
  const mount = own[0];
  if (!mount) return undefined;
  const rows = new Map([...config, ...issuerRows, ...keyRows]);
  const roles = new Map<string, Row | undefined>();
  const value = (name: string): unknown => rows.get(keys.config(name))?.value;
  const table = <T extends { readonly id: string }>(list: readonly (readonly [string, Row])[]) =>
    // rows below these prefixes are written only through records.ts with this type
    new Map(list.map(([, row]) => [(row.value as T).id, row.value as T]));
  const sealed = value("serial");
  return {
    epoch: typeof epochRow?.value === "number" ? epochRow.value : 0,
    mount: mount.value as MountRow,
    mountRev: mount.rev,
    urls: settings.urls(value("urls")),
    issuersConfig: settings.issuers(value("issuers")),
    keysConfig: settings.keys(value("keys")),
    cluster: settings.cluster(value("cluster")),
    crl: settings.crl(value("crl")),
    issuers: table<IssuerRow>(issuerRows),
    keys: table<KeyRow>(keyRows),
    serialKey: sealed instanceof Uint8Array ? sealed : undefined,
    rev: (key) => rows.get(key)?.rev ?? null,
    role: async (name) => {
      if (roles.has(name)) return roles.get(name);
      // kept when it is there, not while it is awaited: a request on Workers may be given up, and its promises never settle then
      const [row] = await store.get([keys.role(name)]);
      if (roles.size >= maxRoles) roles.clear();
      roles.set(name, row);
      return row;
    },
  };
}
