import type { Socket } from "node:net";
import { CaError } from "../../src/base/errors.ts";
import { withTimeout } from "../../src/base/with-timeout.ts";
import { newMeter, type Counts, type Stores } from "../../src/index.ts";
import { connectStores, type OpenStores } from "../data/database.ts";
import type { IssuedTls } from "../data/own-tls.ts";
import { openPostgres } from "../data/postgres.ts";
import { descriptorLimit } from "../http/descriptors.ts";
import { filesBelow } from "../http/files.ts";
import { connectionLimits } from "../http/limits.ts";
import { httpServer, type HttpServer, type HttpServerOptions } from "../http/http-server.ts";
import type { TlsPair } from "../http/tls-layer.ts";
import { respond, type Site } from "./routes.ts";
import { authorityOf, type AuthorityPorts, type Variables } from "./authority.ts";
import type {
  ListenerKind,
  HttpSettings,
  JobName,
  PrimaryCalls,
  ServeSettings,
  ServerCalls,
  StorageSettings,
} from "./calls.ts";
import { clock, isClocked } from "./clock.ts";
import { issueTls, type TlsRequest } from "./issue-tls.ts";
import { ownJobs, SharedJobs, type Jobs } from "./node-jobs.ts";
import { serverLog } from "./server-log.ts";

/**
 * A function that opens the stores in the process with the database writer. Other processes use the
 * writer's socket.
 */
type OwnStores = () => OpenStores;

/** Timeout for closing the stores (ms). */
const closeTimeoutMs = 1_000;

/** The state of a process that serves clients. */
interface Serving {
  readonly site: Site;
  readonly stores: ClosableStores;
  /** Starts running jobs. */
  lead(): Promise<Jobs>;
}
interface ClosableStores extends Stores {
  close(): void | Promise<void>;
}

/** A process that serves clients, whose connections are passed to it. */
export class ServerProcess implements ServerCalls {
  readonly #primary: PrimaryCalls;
  readonly #own: OwnStores | undefined;
  readonly #time = clock();
  readonly #meter = newMeter();
  readonly #wake: (at: number) => void;
  #servers: Readonly<Partial<Record<ListenerKind, HttpServer>>> = {};
  #serving: Serving | undefined;
  /** Set in the process that runs jobs. */
  #jobs: Jobs | undefined;

  /**
   * @param own Opens the stores in this process. Set only if this is the only process, so that it
   *   also writes to the database.
   */
  constructor(primary: PrimaryCalls, own?: OwnStores) {
    this.#primary = primary;
    this.#own = own;
    const wake = (at: number): void => (this.#jobs ? this.#jobs.wake(at) : primary.wake(at));
    this.#wake = waker(wake, this.#time.now);
  }

  http(settings: HttpSettings): void {
    this.#servers = httpServers(settings, () => this.#serving?.site, this.#time.now);
  }

  /** Serves a client that `door` has accepted. */
  accept(door: ListenerKind, client: Socket): void {
    const server = this.#servers[door];
    if (server) server.accept(client);
    else client.destroy();
  }

  secure(pair: TlsPair): void {
    for (const server of Object.values(this.#servers)) server.secure(pair);
  }

  counts(): Counts {
    return this.#meter.counts();
  }

  async serve({ variables, storage, demo, version, started }: ServeSettings): Promise<void> {
    const stores = await this.#open(storage);
    const { counts, backup } = this.#primary;
    const server = { version, started, counts, backup };
    const ports = { stores, now: this.#time.now, wake: this.#wake, meter: this.#meter, server };
    // one process runs all jobs, including those for which requests in other processes wait
    const once = (store: string, kind: string, id: string): Promise<void> =>
      this.#jobs ? this.#jobs.run({ store, kind, id }) : this.#primary.run({ store, kind, id });
    const authority = authorityOf(variables, this.#own ? ports : { ...ports, once });
    const site: Site = {
      authority,
      ...(demo === undefined ? {} : { assets: filesBelow(demo) }),
      ...(isClocked ? { setClock: (now) => this.#primary.setClock(now) } : {}),
    };
    const lead = async (): Promise<Jobs> => {
      if ("database" in storage) return this.#shareJobs(variables, storage, ports);
      const { ca } = this.#own ? authority : authorityOf(variables, ports);
      return ownJobs({ ca, now: this.#time.now, report: serverLog(variables).report });
    };
    this.#serving = { site, stores, lead };
    for (const server of Object.values(this.#servers)) server.open();
  }

  async issueTls(request: TlsRequest): Promise<IssuedTls> {
    if (!this.#serving)
      throw new TypeError(
        "cannot issue a TLS certificate before the server process has started serving",
      );
    return issueTls(this.#serving.site.authority.ca, request);
  }

  async lead(): Promise<void> {
    if (!this.#serving) throw new TypeError("a process must serve requests before it can lead");
    this.#jobs = await this.#serving.lead();
  }

  async run(job: JobName): Promise<void> {
    await this.#leading().run(job);
  }
  wake(at: number): void {
    this.#jobs?.wake(at);
  }
  /** Returns the time of this process, in Unix ms. */
  now(): number {
    return this.#time.now();
  }
  setClock(now: number): void {
    this.#time.set(now);
  }
  async runDue(): Promise<void> {
    await this.#leading().runDue();
  }

  async finish(graceMs: number): Promise<void> {
    const stopped = this.#jobs?.stop();
    const servers = Object.values(this.#servers);
    await Promise.all(servers.map((server) => server.close(graceMs)));
    const closed = stopped?.then(() => this.#jobs?.close());
    // do not wait long for an unresponsive database
    await withTimeout(
      Promise.all([closed, this.#serving?.stores.close()]),
      closeTimeoutMs,
      () => undefined,
    );
  }

  /** Opens the stores for the requests of this process. */
  async #open(storage: StorageSettings): Promise<ClosableStores> {
    if ("database" in storage) return openPostgres(storage.database);
    const lost = (): void => this.#primary.lostWriter();
    return this.#own ? this.#own() : connectStores(storage.file, storage.writer, lost);
  }

  /** Runs jobs over separate database connections, so that they take none from requests. */
  async #shareJobs(
    variables: Variables,
    { database }: Extract<StorageSettings, { readonly database: unknown }>,
    ports: AuthorityPorts,
  ): Promise<Jobs> {
    const stores = await openPostgres(database);
    const { ca } = authorityOf(variables, { ...ports, stores });
    const { report } = serverLog(variables);
    const jobs = new SharedJobs(stores, { ca, now: this.#time.now, report });
    await jobs.start();
    return jobs;
  }

  #leading() {
    if (this.#jobs) return this.#jobs;
    throw new CaError("storage", "another process runs the jobs");
  }
}

function httpServers(
  { host, tls, trustedProxies: trusted, clientCertificates, workers }: HttpSettings,
  site: () => Site | undefined,
  now: () => number,
): Partial<Record<ListenerKind, HttpServer>> {
  const { requested, port, header: clientCertHeader } = clientCertificates;
  const limits = connectionLimits(descriptorLimit(), workers, port === undefined ? 1 : 2);
  const options = {
    host,
    limits,
    now,
    respond: async (...[request, peer]: Parameters<HttpServerOptions["respond"]>) => {
      const there = site();
      if (there) return respond(there, request, peer);
      throw new TypeError("a request arrived before the server was opened");
    },
  };
  const at = (requestCert: boolean): HttpServer => {
    const layer = tls ? { tls: { requestCert } } : {};
    return httpServer({ ...options, trusted, clientCertHeader, ...layer });
  };
  return {
    port: at(requested),
    ...(port === undefined ? {} : { certificates: at(true) }),
    socket: httpServer({ ...options, host: "localhost" }),
  };
}

/**
 * Returns a function that forwards the time of a scheduled job, unless an earlier time in the
 * future was already forwarded. The job runner finds later jobs itself.
 */
function waker(wake: (at: number) => void, now: () => number): (at: number) => void {
  let soonest = -Infinity;
  return (at) => {
    if (soonest <= at && soonest > now()) return;
    soonest = at;
    wake(at);
  };
}
