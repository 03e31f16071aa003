import type { Socket } from "node:net";
import type { Writer } from "../data/database.ts";
import type { IssuedTls } from "../data/own-tls.ts";
import type { TlsPair } from "../http/tls-layer.ts";
import type { HttpSettings, JobName, ListenerKind, PrimaryCalls, ServeSettings } from "./calls.ts";
import { clock } from "./clock.ts";
import { forkWorker } from "./forked.ts";
import type { TlsRequest } from "./issue-tls.ts";
import { collectEarly } from "./memory.ts";
import type { Report } from "./server-log.ts";
import { ServerProcess } from "./server-process.ts";
import { Workers } from "./workers.ts";

/** The processes that serve clients; this process alone if there is only one. */
export interface ServingProcesses {
  /** Whether accepted sockets are passed to other processes. */
  readonly hands: boolean;
  /** Starts accepting HTTP connections. Clients get no response until `serve` is called. */
  http(settings: HttpSettings): void | Promise<void>;
  accept(door: ListenerKind, client: Socket): void;
  /** Presents a certificate on new connections from now on. */
  secure(pair: TlsPair): void | Promise<void>;
  /** Starts responding to requests. */
  serve(settings: ServeSettings): Promise<void>;
  /** Issues a certificate for the server itself. */
  issueTls(request: TlsRequest): Promise<IssuedTls>;
  /** Returns the time of these processes, in Unix ms. */
  now(): number;
  /** Starts running the jobs of all stores. */
  lead(): Promise<void>;
  /** Runs a job now, in the process that runs jobs. */
  run(job: JobName): Promise<void>;
  finish(graceMs: number): Promise<void>;
}

/**
 * Returns `count` processes that serve clients. `writer` is the thread that writes their database
 * file, if any.
 */
export const servingBy = (
  count: number,
  writer: Writer | undefined,
  backup: PrimaryCalls["backup"],
  report: Report,
): ServingProcesses => (count === 1 ? alone(writer, backup) : together(count, backup, report));

function alone(writer: Writer | undefined, backup: PrimaryCalls["backup"]): ServingProcesses {
  collectEarly();
  const primary: PrimaryCalls = {
    // the only process runs jobs itself
    run: (job) => one.run(job),
    wake: () => undefined,
    setClock: async (now) => {
      one.setClock(now);
      await one.runDue();
    },
    counts: async () => [one.counts()],
    backup,
    lostWriter: () => undefined,
  };
  const one = new ServerProcess(primary, writer && (() => writer.stores()));
  return Object.assign(one, { hands: false });
}

function together(count: number, backup: PrimaryCalls["backup"], report: Report): ServingProcesses {
  const time = clock();
  const primary: PrimaryCalls = {
    run: (job) => all.run(job),
    wake: (at) => all.wake(at),
    setClock: async (now) => {
      time.set(now);
      await all.setClock(now);
      await all.runDue();
    },
    counts: () => all.counts(),
    backup,
    // this process itself notices when the writer ends
    lostWriter: () => undefined,
  };
  const all = new Workers(count, {
    primary,
    fork: forkWorker,
    elapsed: () => performance.now(),
    report: (sentence) => report("error", sentence),
    pause: (milliseconds) => new Promise((resolve) => void setTimeout(resolve, milliseconds)),
  });
  return Object.assign(all, { hands: true, now: time.now });
}
