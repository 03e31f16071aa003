import type { PolicyFunction } from "./external/policy-function.ts";
import type { Challenger } from "./acme/validation/host-decision.ts";
import type { CryptoKey } from "./base/platform.ts";
import { parseRequestUrl } from "./base/request-url.ts";
import { rejectUnknownOptions } from "./base/reject-unknown-options.ts";
import { jobs, mountTypes } from "./endpoints/mount-types.ts";
import { tables } from "./endpoints/tables.ts";
import { wellKnownEst } from "./est/well-known.ts";
import type { BackupOptions, RestoreOptions } from "./sys/backup/library-backups.ts";
import { engineApi } from "./v1/api.ts";
import { sealedVault } from "./keys/sealed.ts";
import type { Identity, Ports, Stores } from "./engine/ports.ts";
import { Mounts } from "./engine/mounts.ts";
import type { SecretOwner } from "./engine/deployment.ts";
import type { EventListener } from "./events/event-table.ts";
import { acmeSettingNames, type AcmeSettings } from "./acme/rows/deployment-settings.ts";
import type { VarsSettings } from "./vars/index.ts";
import type { Api, ServedApi } from "./wire/api.ts";
import {
  client,
  pki,
  sys,
  wrappedClient,
  type PkiClient,
  type SysClient,
  type Transport,
  type Wrapped,
} from "./client/index.ts";
import type { Ensured, EnsureOptions } from "./client/ensure.ts";
import { pkiGroups, type PkiGroups } from "./client/groups.ts";
import { newMeter } from "./engine/meter.ts";
import { systemClock, systemRandom } from "./engine/system-ports.ts";
import { identityIn } from "./wire/access.ts";
import { library } from "./wire/dialect.ts";
import { dispatch } from "./wire/dispatch.ts";
import { respond, serveHttp, type HttpOptions, type RespondOptions } from "./wire/http.ts";
import type { IncomingRequest, OutgoingResponse } from "./wire/call.ts";

export * from "./client/index.ts";
export type {
  Created,
  Ensured,
  EnsuredIntermediate,
  EnsuredRoot,
  EnsureOptions,
} from "./client/ensure.ts";
export type { Api } from "./wire/api.ts";
export type { BackupOptions, RestoreOptions } from "./sys/backup/library-backups.ts";
export type { SecretOwner } from "./engine/deployment.ts";
export type { ResealResult as Resealed, SealedSecret } from "./engine/sealing.ts";
export { sealedVault, type VaultOptions } from "./keys/sealed.ts";
export { memoryStore } from "./store/memory.ts";
export { describeCertificate, type Description } from "./describe/describe.ts";
export { describeCrl, describeCsr } from "./describe/describe-others.ts";
export { makeCsr, type CsrKeys, type CsrNames } from "./x509/make-csr.ts";
export type { CrlDescription, CsrDescription } from "./describe/describe-others.ts";
export { addCounts, newMeter, type Counts, type Meter } from "./engine/meter.ts";
export type {
  BackupState,
  Batch,
  Committed,
  Capability,
  Connection,
  DirectCrypto,
  EcKey,
  Entity,
  Expect,
  Identity,
  Index,
  KeyVault,
  LogEvent,
  Page,
  Ports,
  Publish,
  Row,
  Scheme,
  ServerInfo,
  Service,
  Signer,
  Store,
  Stores,
} from "./engine/ports.ts";
export type { Probe } from "./acme/validation/host-decision.ts";
export type { ExternalPolicyAnswer, ExternalPolicyRequest } from "./external/rows/records.ts";
export type { CaEvent, EventData, EventListener, EventType } from "./events/event-table.ts";
export type { AcmeSettings } from "./acme/rows/deployment-settings.ts";
export type { VarsSettings } from "./vars/index.ts";
export type { Peer } from "./wire/call.ts";
export type { HttpOptions, RespondOptions } from "./wire/http.ts";
export type { HeaderFields, IncomingBody, IncomingRequest, OutgoingResponse } from "./wire/call.ts";

/** The options of `createCa`. Only `stores` has no default. */
export interface CaOptions extends Partial<Omit<Ports, "stores">> {
  /** The stores for all data: `memoryStore()`, `indexedDbStore()`, or your own implementation. */
  readonly stores: Stores;
  /**
   * AES-256-GCM key that seals CA keys: 32 bytes, or a CryptoKey for `encrypt`, `decrypt` and
   * `unwrapKey`. Either this or `vault` is required, unless `stores.durable` is false: a key is
   * then generated, which is lost together with the data.
   */
  readonly sealingKey?: Uint8Array | CryptoKey;
  /**
   * `false` allows leaves that violate constraints of their issuer's chain. The default is true.
   */
  readonly chainChecks?: boolean;
  /** ACME settings. */
  readonly acme?: AcmeSettings;
  /** Settings of the variables API. */
  readonly vars?: VarsSettings;
  /** `false` disables audit events for changes and rejected requests. The default is true. */
  readonly audit?: boolean;
  /**
   * Called with each event after its change was stored, in the process that made the change. Called
   * only once per event, even if the call fails. Errors are logged and do not affect the request.
   */
  readonly events?: EventListener;
  /**
   * Replaces an external policy service: receives the request that the service would receive, and
   * resolves with a response (`ExternalPolicyAnswer`), which is validated like a service's
   * response. The call is aborted at the deadline. If it rejects, the caller does not see the
   * reason.
   */
  readonly externalPolicy?: PolicyFunction;
  /**
   * Validates an ACME challenge if there is no `dial`, for example in a page. Resolves if the
   * challenge is fulfilled. Otherwise rejects with a `CaError` whose code is the reason:
   * `connection`, `dns`, `tls` or `incorrect_response`.
   */
  readonly challenger?: Challenger;
  /** APIs that are served in addition to the CA's API, such as `varsApi` from `sealwright/vars`. */
  readonly apis?: readonly (Api & SecretOwner)[];
}

/**
 * A certificate authority in this process. `certificates`, `roles`, `issuers`, `crl` and `acme` are
 * the methods of `pki` that most programs need.
 */
export interface Ca extends PkiGroups {
  /** Typed client of the `pki` mount with the owner's permissions. */
  readonly pki: PkiClient;
  /** Typed client of `/v1/sys` with the owner's permissions. */
  readonly sys: SysClient;
  /** Returns a typed client of another mount with the owner's permissions. */
  mount(path: string): PkiClient;
  /**
   * Returns a typed client of a mount with the owner's permissions, whose responses are wrapped.
   * `ttl` is the lifetime of the wrapping tokens, such as "5m". `sys.unwrap` returns each response
   * once.
   */
  wrapped(path: string, ttl: string): Wrapped<PkiClient>;
  /**
   * Creates the root, the intermediate and the roles that are missing in a mount. Existing issuers
   * and roles stay unchanged. `path` is the path of the mount, `pki` by default. If several
   * processes, tabs or nodes start at the same time, one of them creates everything, and the others
   * wait.
   */
  ensure(options: EnsureOptions & { readonly path?: string }): Promise<Ensured>;
  /**
   * Responds to an HTTP request under `/v1` or `/.well-known/est`, or to another configured API.
   * The token in the request authenticates the caller.
   */
  fetch(request: Request, options?: HttpOptions): Promise<Response>;
  /** Reports whether a path belongs to one of the served APIs. */
  answers(pathname: string): boolean;
  /**
   * Responds to a request in the same way as `fetch`, but with plain data. This is faster on
   * platforms where a `Request` and a `Response` would have to be created for the call.
   */
  respond(request: IncomingRequest, options?: RespondOptions): Promise<OutgoingResponse>;
  /**
   * Runs the due jobs of every mount: renews CRLs before they expire, retries failed builds, and
   * removes expired data. Returns the time in Unix ms at which the next job is due, or undefined if
   * none is waiting. Call it at the start, at that time, and at each time that is passed to `wake`.
   */
  tick(): Promise<number | undefined>;
  /**
   * Yields a backup of the current state of a mount in parts of at most 32 MiB. Store each part
   * separately, or all of them in one file, in order. With a passphrase, secrets are sealed with it
   * and can be restored anywhere; otherwise they are sealed with the sealing key of this authority.
   * Rejects with CaError, and with TypeError if the passphrase has fewer than twelve characters.
   */
  backup(path: string, options?: BackupOptions): AsyncIterable<Uint8Array>;
  /**
   * Restores a backup into a new mount. Pass all parts in order, in chunks of any size. Rejects
   * with CaError. After a failed restore, start again with the first part or delete the mount.
   */
  restore(
    path: string,
    backup: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    options?: RestoreOptions,
  ): Promise<void>;
  /** Runs a job of a store now. It is intended for hosts that run jobs next to the store. */
  run(store: string, kind: string, id: string): Promise<void>;
  /**
   * Runs the due jobs of a store, such as `<uuid>` or, for the second partition of a mount,
   * `<uuid>.1`. Returns the time in Unix ms at which the next job is due, if any.
   */
  tickStore(store: string): Promise<number | undefined>;
}

/** Returns the methods `backup` and `restore` of `Ca`, which check no permissions. */
function backupsOf(mounts: Mounts): Pick<Ca, "backup" | "restore"> {
  const own = async () => (await import("./sys/backup/library-backups.ts")).backupsOf(mounts);
  return {
    async *backup(path, options) {
      yield* (await own()).backup(path, options);
    },
    restore: async (path, backup, options) => (await own()).restore(path, backup, options),
  };
}

/**
 * Returns the `ensure` method of `Ca`, which holds a lock in the store while it creates something.
 */
const ensuring =
  (mounts: Mounts, mount: Ca["mount"]): Ca["ensure"] =>
  async ({ path = "pki", ...options }) => {
    const { ensureAuthority } = await import("./client/ensure.ts");
    const { withStoreLock } = await import("./engine/store-lock.ts");
    // another process may have created the mount within the second for which routes are cached
    if (!(await mounts.mounts()).has(path)) mounts.sys.cache.forget();
    return ensureAuthority(mount(path), options, (work) =>
      withStoreLock(mounts, `ensure/${path}`, async () => {
        // read the routes again, because cached routes may be a second old
        const route = (await mounts.readMounts()).get(path);
        if (route) mounts.mount(route.uuid).forget();
        return work();
      }),
    );
  };

/**
 * Returns the `tick` method of `Ca`. If there is a callback for events, it also schedules the job
 * that raises expiry events: at the start, and again if a process without a callback has ended that
 * job.
 */
function tickOf(mounts: Mounts, events: EventListener | undefined): Ca["tick"] {
  if (!events) return () => mounts.tick();
  let check = -Infinity;
  return async () => {
    const next = await mounts.tick();
    const now = mounts.sys.ports.now();
    if (now < check) return Math.min(next ?? check, check);
    const { expiryInterval, scheduleExpiry } = await import("./events/expiry-schedule.ts");
    await scheduleExpiry(mounts.sys);
    check = now + expiryInterval;
    return mounts.tick();
  };
}

/** The identity of the owner. Code that has a `Ca` has full access. */
const owner: Identity = { id: "owner", policies: ["root"], can: () => true };
/** Returns a transport that passes a client's calls to the authority in this process. */
const asOwner =
  (served: ServedApi): Transport =>
  async ({ method, path, query, type = null, body = new Uint8Array(0), wrapTtl }) => {
    await served.deployment.catchUp();
    return dispatch(served, {
      method,
      path,
      query: new URLSearchParams(query.map((one) => [...one])),
      headers: { get: (name) => (name === "content-type" ? type : null) },
      body,
      token: undefined,
      dialect: library,
      wrapTtl,
      identity: owner,
    });
  };

type Named<T> = { readonly [K in keyof T]-?: 0 };
// an object, not an array, so that the compiler reports a missing name
const optionNames: Named<CaOptions> = {
  stores: 0,
  sealingKey: 0,
  vault: 0,
  crypto: 0,
  chainChecks: 0,
  acme: 0,
  vars: 0,
  audit: 0,
  events: 0,
  apis: 0,
  now: 0,
  random: 0,
  authenticate: 0,
  publish: 0,
  log: 0,
  logFrom: 0,
  meter: 0,
  server: 0,
  once: 0,
  wake: 0,
  dial: 0,
  resolve: 0,
  fetch: 0,
  services: 0,
  externalPolicy: 0,
  challenger: 0,
  publicUrl: 0,
};
const varsNames: Named<VarsSettings> = { token: 0, strict: 0, rateLimit: 0, categorySpelling: 0 };

/** Returns the options without those that are undefined, so that their defaults apply. */
const setOf = <T extends object>(options: T): T =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
/** Splits the options into feature settings, further APIs, and ports. */
function splitOptions({
  apis = [],
  audit,
  chainChecks,
  events,
  vars,
  acme,
  externalPolicy,
  challenger,
  ...ports
}: CaOptions) {
  const features = { audit, chainChecks, events, vars, acme, externalPolicy, challenger };
  return { apis, features: { ...features, privateNetworks: acme?.privateNetworks }, ports };
}
/** Returns the ports. Ports that the options do not set are the platform's own. */
function portsOf({ sealingKey, ...chosen }: ReturnType<typeof splitOptions>["ports"]): Ports {
  if (sealingKey === undefined && !chosen.vault && chosen.stores.durable !== false)
    throw new TypeError(
      "createCa requires `sealingKey` or `vault`, because a generated key would be lost with this process, and secrets could no longer be decrypted (set `durable: false` in `stores` if the data is lost with the process, too)",
    );
  const random = chosen.random ?? systemRandom;
  return {
    now: systemClock,
    random,
    meter: newMeter(),
    // treat null as an invalid key, not as an absent one
    vault:
      chosen.vault ??
      sealedVault({
        key: sealingKey === undefined ? random(32) : sealingKey,
        random,
        ...(chosen.crypto ? { crypto: chosen.crypto } : {}),
      }),
    ...chosen,
    authenticate: async (token) => identityIn(await chosen.authenticate?.(token)),
    ...(chosen.publicUrl === undefined ? {} : { publicUrl: chosen.publicUrl.replace(/\/+$/, "") }),
  };
}

/**
 * Creates a certificate authority. Throws TypeError if `stores` is missing, if a durable store has
 * neither key nor vault, if an option is unknown, or if the key does not have 256 bits.
 */
export function createCa(options: CaOptions): Ca {
  if (typeof (options as Partial<CaOptions> | undefined)?.stores !== "function")
    throw new TypeError(
      "createCa requires `stores`: memoryStore(), indexedDbStore(name), or a function from a name to its store",
    );
  const set = setOf(options);
  const { apis, features, ports } = splitOptions(set);
  rejectUnknownOptions("createCa", set, optionNames);
  rejectUnknownOptions("`acme` of createCa", features.acme ?? {}, acmeSettingNames);
  rejectUnknownOptions("`vars` of createCa", features.vars ?? {}, varsNames);
  const allPorts = portsOf(ports);
  const mounts = new Mounts(allPorts, {
    types: Object.values(mountTypes),
    jobs,
    secretOwners: apis,
    features,
    partitioned: () => import("./store/partitions/index.ts"),
  });
  const beside = async () =>
    (await Promise.all(apis.map(async (one) => one.described?.() ?? []))).flat();
  const engine = engineApi({ ...tables, beside }, wellKnownEst);
  const own = asOwner({ deployment: mounts, api: engine });
  const mount = (path: string) => client(pki, `/v1/${path}`, own);
  const servedAt = (path: string): ServedApi => ({
    deployment: mounts,
    api: apis.find((one) => one.answers(path)) ?? engine,
    origins: engine,
  });
  const ownPki = mount("pki");
  return {
    pki: ownPki,
    ...pkiGroups(ownPki),
    sys: client(sys, "/v1/sys", own),
    mount,
    wrapped: (path, ttl) => wrappedClient(pki, `/v1/${path}`, own, ttl),
    fetch(request, http) {
      const url = http?.url ?? parseRequestUrl(request.url);
      return serveHttp(servedAt(url.pathname), request, { ...http, url });
    },
    answers: (pathname) => servedAt(pathname).api.answers(pathname),
    respond: (request, options) => respond(servedAt(request.url.pathname), request, options),
    ensure: ensuring(mounts, mount),
    ...backupsOf(mounts),
    tick: tickOf(mounts, features.events),
    run: (store, kind, id) => mounts.run(store, kind, id),
    tickStore: (store) => mounts.tickStore(store),
  };
}
