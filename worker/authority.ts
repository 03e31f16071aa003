import { parseRequestUrl, type RequestUrl } from "../src/base/request-url.ts";
import { rejectUnknownOptions } from "../src/base/reject-unknown-options.ts";
import {
  createCa,
  type Api,
  type Ca,
  type CaOptions,
  type Peer,
  type Identity,
  type SecretOwner,
  type Store,
  type Stores,
} from "../src/index.ts";
import { boundAs, kvIn, namespaceIn, textIn } from "./bindings.ts";
import { dial } from "./dial.ts";
import { NotConfigured } from "../src/host/not-configured.ts";
import { homeOf, passDueJobs } from "../src/store/partitions/partition-jobs.ts";
import { mountObject, type Jobs, type MountClass } from "./object.ts";
import { headersFor } from "../src/host/page.ts";
import { peerOf } from "./peer.ts";
import { publishToKv } from "./published.ts";
import { resolverOf } from "../src/host/resolve.ts";
import { hostTokens, keysOf } from "../src/host/secrets.ts";
import { remoteOnce, remoteStore } from "./store.ts";
import { streamOf } from "./stream.ts";
import { vaultOf } from "../src/host/vault.ts";

/**
 * The options of `createCa` that a Worker can derive from its environment. The platform provides
 * the others: connections, DNS and the clock.
 */
export type WorkerCaOptions = Partial<Omit<CaOptions, "stores" | "apis" | "once" | "wake">> & {
  /** Origins from which browsers may call the API; by default none. */
  readonly allowedOrigins?: readonly string[];
};

/** The options of a custom Worker. `Env` is the type of the deployment's bindings. */
export interface WorkerOptions<Env> {
  /**
   * Resolves with the identity of a token, or with undefined if the token is unknown. Tokens that
   * the authority issues, for example on login, do not have to be handled. By default, the secret
   * `SERVICE_ROOT_TOKEN`, of at least 16 characters, has full access, and no other token is known.
   */
  authenticate?(token: string, env: Env): Promise<Identity | undefined>;
  /** Name of the Durable Object class binding; by default `MOUNT`. */
  readonly binding?: string;
  /**
   * Name of the binding to a KV namespace in which CRLs are published under numbered names. If
   * absent, CRLs are read from the Durable Objects.
   */
  readonly published?: string;
  /** Further APIs to serve, such as `varsApi` of `sealwright/vars`. */
  readonly apis?: readonly (Api & SecretOwner)[];
  /**
   * Path before `/v1` and `/.well-known/est`, such as `/ca`; by default none. `publicUrl` must
   * include it.
   */
  readonly prefix?: string;
  /**
   * Returns the peer of a request, for a self-hosted `workerd` behind a proxy whose headers
   * identify the peer. By default, the peer is read from Cloudflare's metadata of the request, or
   * elsewhere from the address of the connection.
   */
  peer?(request: Request, env: Env): Peer;
  /**
   * Returns further options of `createCa`, and `allowedOrigins`, from the environment. Called once
   * for the Worker and once for each object. The sealing key is the secret `SEALING_KEY`, 32 bytes
   * in base64, unless `sealingKey` or `vault` is set. The previous key may remain in
   * `SEALING_KEY_PREVIOUS`.
   */
  options?(env: Env): WorkerCaOptions;
}

/**
 * An authority in a Worker: a request handler, the class of its Durable Objects, and the authority
 * itself.
 */
export interface SealwrightWorker<Env> {
  /** The Durable Object class to export and bind. Each object contains one store, in SQLite. */
  readonly MountObject: MountClass<Env>;
  /** Reports whether a path, given without the prefix, belongs to the authority. */
  answers(pathname: string): boolean;
  /**
   * Handles requests to the authority, and responds with 404 to all others. Can be used as the
   * `fetch` handler of a Worker.
   */
  fetch(request: Request, env: Env): Promise<Response>;
  /** Returns the authority itself, for calls without permission checks: `ca(env).pki.issue(…)`. */
  ca(env: Env): Ca;
}

interface DeployedAuthority<Env> {
  readonly env: Env;
  readonly ca: Ca;
  readonly origins: readonly string[];
}

const optionNames: {
  readonly [K in keyof WorkerOptions<unknown>]-?: 0;
} = {
  authenticate: 0,
  binding: 0,
  published: 0,
  apis: 0,
  prefix: 0,
  peer: 0,
  options: 0,
};
/**
 * Creates an authority for a custom Worker. Isolates compute responses; objects of the class
 * `MountObject` commit changes, and run jobs when their alarms fire. Throws TypeError if the prefix
 * is invalid or an option is unknown.
 */
export function sealwrightWorker<Env>(options: WorkerOptions<Env> = {}): SealwrightWorker<Env> {
  const { apis = [], prefix = "" } = options;
  rejectUnknownOptions("sealwrightWorker", options, optionNames);
  if (!/^(?:\/[^/?#]+)*$/.test(prefix))
    throw new TypeError("`prefix` must begin with / and must not end with /");
  const isApi = (path: string): boolean =>
    /^\/(?:v1|\.well-known\/est)\//.test(path) || apis.some((api) => api.answers(path));
  const answers = (path: string): boolean =>
    path.startsWith(prefix) && isApi(path.slice(prefix.length));
  // an isolate has a single environment, so later requests can use cached reads
  let deployed: DeployedAuthority<Env> | undefined;
  const deployedFor = (env: Env): DeployedAuthority<Env> => {
    if (deployed?.env !== env) deployed = makeFor(env, options);
    return deployed;
  };
  return {
    MountObject: classOf(options),
    answers,
    async fetch(request, env) {
      const url = parseRequestUrl(request.url);
      if (!answers(url.pathname))
        return Response.json({ errors: [] }, { status: 404, headers: headersFor(url) });
      try {
        const { ca, origins } = deployedFor(env);
        return await ca.fetch(request, {
          url: prefix === "" ? url : behind(url, prefix),
          allowedOrigins: origins,
          peer: options.peer?.(request, env) ?? peerOf(request),
          stream: streamOf,
        });
      } catch (error) {
        return notConfigured(error, url);
      }
    },
    ca: (env) => deployedFor(env).ca,
  };
}

/** Returns a URL without the prefix, for the authority. */
const behind = (url: RequestUrl, prefix: string): RequestUrl => ({
  protocol: url.protocol,
  origin: url.origin,
  pathname: url.pathname.slice(prefix.length),
  search: url.search,
  searchParams: url.searchParams,
});

function notConfigured(error: unknown, url: RequestUrl): Response {
  if (!(error instanceof NotConfigured)) throw error;
  return Response.json(
    { errors: [`this deployment is not configured: ${error.message}`] },
    { status: 503, headers: headersFor(url) },
  );
}

/**
 * Creates the authority of a stateless isolate. It computes in the isolate and commits in the
 * Durable Objects.
 */
function makeFor<Env>(env: Env, options: WorkerOptions<Env>): DeployedAuthority<Env> {
  const { origins, ...ports } = portsOf(env, options);
  const object = objectsOf(env, options);
  const ca = createCa({
    ...ports,
    stores: withPartitions((name) => remoteStore(object(name), name)),
    once: (store, kind, id) => remoteOnce(object(store), store, kind, id),
  });
  return { env, ca, origins };
}

/** Marks stores as partitioned, because each of a mount's partitions has its own object. */
const withPartitions = (open: (name: string) => Store): Stores =>
  Object.assign(open, { partitions: true });

/** Returns the Durable Object class, whose authority runs jobs on the object's own rows. */
const classOf = <Env>(options: WorkerOptions<Env>): MountClass<Env> =>
  mountObject<Env>((env, own, store, time) => {
    const { origins: _, ...ports } = portsOf(env, options);
    const object = objectsOf(env, options);
    const { now: clock = () => Date.now() } = ports;
    const now = (): number => clock() + time.behind();
    const home = homeOf(own);
    if (home !== undefined) {
      const run: Jobs["run"] = (kind, id) => remoteOnce(object(home), home, kind, id);
      return { tick: () => passDueJobs(store, now, run), run };
    }
    const stores = withPartitions((name) =>
      name === own ? store : remoteStore(object(name), name, time.now),
    );
    const ca = createCa({ ...ports, stores, now });
    return { tick: () => ca.tickStore(own), run: (kind, id) => ca.run(own, kind, id) };
  });

/** Returns a function that creates a new stub of a store's object on each call. */
function objectsOf<Env>(env: Env, { binding = "MOUNT" }: WorkerOptions<Env>) {
  const objects = namespaceIn(env, binding);
  if (!objects) throw new NotConfigured(`no Durable Object class is bound as ${binding}`);
  return (name: string) => {
    const id = objects.idFromName(name);
    return () => objects.get(id);
  };
}

const sealingSecrets = (env: unknown) => ({
  SEALING_KEY: textIn(env, "SEALING_KEY"),
  SEALING_KEY_PREVIOUS: textIn(env, "SEALING_KEY_PREVIOUS"),
});

function portsOf<Env>(env: Env, options: WorkerOptions<Env>) {
  const { allowedOrigins = [], vault, sealingKey, ...more } = options.options?.(env) ?? {};
  const { authenticate, published: name, apis = [] } = options;
  const kv = name === undefined ? undefined : kvIn(env, name);
  if (name !== undefined && !kv) throw new NotConfigured(`no KV namespace is bound as ${name}`);
  // with custom authentication, this secret has no meaning
  const root = authenticate || more.authenticate ? undefined : textIn(env, "SERVICE_ROOT_TOKEN");
  return {
    dial,
    resolve: resolverOf(boundAs(env), dial),
    fetch: (url: string, init: RequestInit) => fetch(url, init),
    ...(kv ? { publish: publishToKv(kv) } : {}),
    ...(root === undefined ? {} : { authenticate: hostTokens({ SERVICE_ROOT_TOKEN: root }) }),
    ...more,
    ...(authenticate ? { authenticate: (token: string) => authenticate(token, env) } : {}),
    ...(sealingKey === undefined
      ? { vault: vault ?? vaultOf(() => keysOf(sealingSecrets(env))) }
      : { sealingKey, ...(vault ? { vault } : {}) }),
    apis,
    origins: allowedOrigins,
  };
}
