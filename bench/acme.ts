import { Agent } from "node:http";
import { createCa, memoryStore } from "../src/index.ts";
import {
  Client,
  clientsAt,
  csrFor,
  enable,
  flowsFor,
  httpSender,
  startStub,
  type Send,
} from "./acme-flows.ts";
import { atLeast, atMost, cpuMs, figure, peakMiB, median, round } from "./figures.ts";
import { workers } from "./flags.ts";
import { floorKinds, medianOf, roundsOf } from "./kinds.ts";
import { startFloor } from "./programs.ts";
import { startSubject, type Subject } from "./server.ts";

/** Options for the ACME benchmark. */
export interface AcmeOptions {
  readonly seconds: number;
  readonly rounds: number;
  /** Minimum number of flows to run before memory is measured. */
  readonly flows: number;
}
/**
 * Prints how many store reads and commits a flow makes, measured in this process without network
 * validation.
 */
async function countTrips(): Promise<void> {
  const counted = { get: 0, list: 0, commit: 0 };
  const inner = memoryStore();
  const base = "http://bench/v1/pki";
  const ca = createCa({
    stores: Object.assign(
      (name: string) => {
        const store = inner(name);
        return {
          ...store,
          get: (keys: readonly string[]) => (counted.get++, store.get(keys)),
          list: (...page: Parameters<typeof store.list>) => (counted.list++, store.list(...page)),
          commit: (...batch: Parameters<typeof store.commit>) => (
            counted.commit++,
            store.commit(...batch)
          ),
        };
      },
      { durable: false },
    ),
    challenger: async () => undefined,
    wake: () => void setTimeout(() => void ca.tick(), 1),
  });
  await ca.pki.generateRoot({ common_name: "Bench Root", key_type: "ec", ttl: "87600h" });
  await ca.pki.writeCluster({ path: base });
  await ca.pki.writeAcmeConfig({ enabled: true });
  const csr = await csrFor(createCa({ stores: memoryStore() }), "192.0.2.1");
  const send: Send = async (url, body) => {
    const response = await ca.fetch(
      new Request(url, {
        method: body === undefined ? "HEAD" : "POST",
        ...(body === undefined
          ? {}
          : { body, headers: { "content-type": "application/jose+json" } }),
      }),
    );
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text: await response.text(),
    };
  };
  const client = new Client(send, { base: `${base}/acme`, address: "192.0.2.1", csr });
  await client.register();
  await client.flow();
  client.requests = 0;
  Object.assign(counted, { get: 0, list: 0, commit: 0 });
  await client.flow();
  figure(
    "a flow: requests, and reads of the store",
    `${client.requests} requests, ${counted.get} gets, ${counted.list} lists`,
  );
  atMost("a flow: commits", counted.commit, 12, "commits");
}

/** Returns the flows per second that the clients complete together: the median of all rounds. */
async function rateOf(
  clients: readonly Client[],
  { seconds, rounds }: AcmeOptions,
): Promise<number> {
  const rates: number[] = [];
  for (let at = 0; at < rounds; at++) rates.push((await flowsFor(clients, seconds)).rps);
  return median(rates);
}

const flowsBy = (clients: readonly Client[]): number =>
  clients.reduce((sum, { flows }) => sum + flows, 0);
/**
 * Measures complete ACME flows over HTTP against the built server, with http-01 challenges answered
 * by this process.
 */
export async function benchAcme(options: AcmeOptions): Promise<void> {
  await countTrips();
  const stub = await startStub();
  const floor = await startFloor(workers);
  const subject = await startSubject({ env: { ACME_HTTP_PORT: String(stub.port) } });
  const agent = new Agent({ keepAlive: true });
  try {
    const base = `${subject.url}/v1/pki`;
    await enable(subject.call, base);
    const clients = await clientsAt(`${base}/acme`, stub, httpSender(agent));
    const { "floor x8": store, "empty read": empty } = floorKinds(floor);
    if (!store || !empty)
      throw new TypeError("the floor must have the kinds that store a row and that do nothing");
    const seen = await roundsOf({ store, empty }, options);
    const rate = (name: string) => medianOf(seen, name, ({ rps }) => rps);
    const one = await rateOf(clients.slice(0, 1), options);
    const before = { cpu: cpuMs(subject.pid), flows: flowsBy(clients) };
    const eight = await rateOf(clients, options);
    const cpu = (cpuMs(subject.pid) - before.cpu) / (flowsBy(clients) - before.flows);
    figure("flows at 1 client", `${round(one)}/s, ${round(1000 / one)} ms each`);
    figure(
      "flows at 8 clients, relative to an empty read",
      `${round((100 * eight) / rate("empty"))} %`,
    );
    atLeast(
      "flows at 8 clients, relative to the floor",
      eight / rate("store"),
      0.06,
      `${round(eight)}/s`,
    );
    const times = cpu / medianOf(seen, "store", (seenOnce) => seenOnce.cpu);
    figure("CPU time of a flow", `${round(cpu)} ms, ${round(times)} times the floor's`);
    await memoryAfter(subject, clients, options.flows);
  } finally {
    agent.destroy();
    stub.server.close();
    await subject.stop();
    await floor.stop();
  }
}
async function memoryAfter(
  subject: Subject,
  clients: readonly Client[],
  flows: number,
): Promise<void> {
  if (flows === 0) return;
  let left = flows;
  await Promise.all(
    clients.map(async (client) => {
      while (left-- > 0) await client.flow();
    }),
  );
  atMost(
    `resident memory of the largest process after ${flows} flows`,
    peakMiB(subject.pid),
    300,
    "MiB",
  );
}
