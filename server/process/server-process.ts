import type { Socket } from "node:net";
import { CaError } from "../../src/base/errors.ts";
import type { Ca } from "../../src/index.ts";
import { connectStores, type OpenStores } from "../data/database.ts";
import type { IssuedTls } from "../data/own-tls.ts";
import { descriptorLimit } from "../http/descriptors.ts";
import { filesBelow } from "../http/files.ts";
import { connectionLimits } from "../http/limits.ts";
import { httpServer, type HttpServer, type HttpServerOptions } from "../http/http-server.ts";
import type { TlsPair } from "../http/tls-layer.ts";
import { respond, type Site } from "../http/routes.ts";
import { authorityOf } from "./authority.ts";
import type {
  Door,
  HttpSettings,
  JobName,
  PrimaryCalls,
  ServeSettings,
  ServerCalls,
} from "./calls.ts";
import { clock, isClocked } from "./clock.ts";
import { issueTls, type TlsRequest } from "./issue-tls.ts";
import { jobTimer, type JobTimer } from "./jobs.ts";

/** The stores of the process that has the writer of the database; others reach it by a socket. */
export type OwnStores = () => OpenStores;

/** What a process has once it serves. */
interface Serving {
  readonly site: Site;
  readonly stores: OpenStores;
  /** Makes an authority that runs jobs by itself. */
  leading(): Ca;
}

/** A process that serves clients, which are handed to it. */
export class ServerProcess implements ServerCalls {
  readonly #primary: PrimaryCalls;
  readonly #own: OwnStores | undefined;
  readonly #time = clock();
  readonly #wake: (at: number) => void;
  #servers: Readonly<Partial<Record<Door, HttpServer>>> = {};
  #serving: Serving | undefined;
  /** Of the process that leads. */
  #jobs: { readonly ca: Ca; readonly timer: JobTimer } | undefined;

  /**
   * `own`: given where it is the only process, and has the writer of the database itself.
   */
  constructor(primary: PrimaryCalls, own?: OwnStores) {
    this.#primary = primary;
    this.#own = own;
    const wake = (at: number): void => (this.#jobs ? this.#jobs.timer.wake(at) : primary.wake(at));
    this.#wake = waker(wake, this.#time.now);
  }

  http(settings: HttpSettings): void {
    this.#servers = httpServers(settings, () => this.#serving?.site, this.#time.now);
  }

  /** Serves a client that has come. */
  accept(door: Door, client: Socket): void {
    const server = this.#servers[door];
    if (server) server.accept(client);
    else client.destroy();
  }

  secure(pair: TlsPair): void {
    for (const server of Object.values(this.#servers)) server.secure(pair);
  }

  async serve({ variables, file, writer, demo }: ServeSettings): Promise<void> {
    const lost = (): void => this.#primary.lostWriter();
    const stores = this.#own ? this.#own() : await connectStores(file, writer ?? "", lost);
    const ports = { stores, now: this.#time.now, wake: this.#wake };
    // of several processes the one that leads runs jobs, also those that others want run now
    const once = (store: string, kind: string, id: string): Promise<void> =>
      this.#jobs ? this.#jobs.ca.run(store, kind, id) : this.#primary.run({ store, kind, id });
    const authority = authorityOf(variables, this.#own ? ports : { ...ports, once });
    const site: Site = {
      authority,
      ...(demo === undefined ? {} : { assets: filesBelow(demo) }),
      ...(isClocked ? { setClock: (now) => this.#primary.setClock(now) } : {}),
    };
    const leading = () => (this.#own ? authority : authorityOf(variables, ports)).ca;
    this.#serving = { site, stores, leading };
    for (const server of Object.values(this.#servers)) server.open();
  }

  async issueTls(request: TlsRequest): Promise<IssuedTls> {
    if (!this.#serving) throw new TypeError("a process issues once it serves");
    return issueTls(this.#serving.site.authority.ca, request);
  }

  async lead(): Promise<void> {
    if (!this.#serving) throw new TypeError("a process leads once it serves");
    const ca = this.#serving.leading();
    const failed = (cause: unknown): void => console.error("Jobs failed:", cause);
    const timer = jobTimer({ tick: () => ca.tick(), now: this.#time.now, failed });
    this.#jobs = { ca, timer };
    // the first run may take long, and nobody waits for it
    void timer.start();
  }

  async run({ store, kind, id }: JobName): Promise<void> {
    await this.#leading().ca.run(store, kind, id);
  }
  wake(at: number): void {
    this.#jobs?.timer.wake(at);
  }
  /** The time of this process, Unix milliseconds. */
  now(): number {
    return this.#time.now();
  }
  setClock(now: number): void {
    this.#time.set(now);
  }
  async runDue(): Promise<void> {
    await this.#leading().timer.run();
  }

  async finish(graceMs: number): Promise<void> {
    this.#jobs?.timer.stop();
    const servers = Object.values(this.#servers);
    await Promise.all(servers.map((server) => server.close(graceMs)));
    this.#serving?.stores.close();
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
): Partial<Record<Door, HttpServer>> {
  const { requested, port, header: clientCertHeader } = clientCertificates;
  const limits = connectionLimits(descriptorLimit(), workers, port === undefined ? 1 : 2);
  const options = {
    host,
    limits,
    now,
    respond: async (...[request, peer]: Parameters<HttpServerOptions["respond"]>) => {
      const there = site();
      if (there) return respond(there, request, peer);
      throw new TypeError("clients wait until the server is opened");
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
 * Passes on for when jobs are planned, unless a time before it was passed on that is yet to come:
 * whoever runs jobs then finds the others by itself.
 */
function waker(wake: (at: number) => void, now: () => number): (at: number) => void {
  let soonest = -Infinity;
  return (at) => {
    if (soonest <= at && soonest > now()) return;
    soonest = at;
    wake(at);
  };
}
