import { Agent, createServer, request, type Server } from "node:http";
import { createCa, memoryStore, type Ca } from "../src/index.ts";
import { jwsOf, newKey, type AcmeKey } from "../test/acme/key.ts";
import {
  atLeast,
  atMost,
  cpuMs,
  figure,
  median,
  residentMiB,
  round,
  runtimeOf,
} from "./figures.ts";
import { floorKinds, middle, roundsOf } from "./kinds.ts";
import { startFloor, startSubject, type Subject } from "./server.ts";

/** How much is measured. */
export interface AcmeOptions {
  readonly seconds: number;
  readonly rounds: number;
  /** How many flows there are at least when the memory is looked at. */
  readonly flows: number;
}
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}
/** Sends a request; `body` undefined: HEAD. */
type Send = (url: string, body?: string) => Promise<Answer>;
type Members = Readonly<Record<string, unknown>>;

/** Whoever answers http-01 for one client. */
interface Stub {
  readonly server: Server;
  readonly port: number;
  /** Thumbprints by the address that is asked. */
  readonly thumbprints: Map<string, string>;
}
export async function startStub(): Promise<Stub> {
  const thumbprints = new Map<string, string>();
  const server = createServer((asked, answer) => {
    const token = asked.url?.split("/").at(-1) ?? "";
    answer.end(`${token}.${thumbprints.get(asked.socket.localAddress ?? "") ?? ""}`);
  });
  await new Promise<void>((done) => server.listen(0, "0.0.0.0", done));
  const address = server.address();
  return { server, thumbprints, port: typeof address === "object" ? (address?.port ?? 0) : 0 };
}

/** Over kept connections, as clients of HTTP do. */
export function httpSender(agent: Agent, socketPath?: string): Send {
  return (url, body) =>
    new Promise((resolve, reject) => {
      const method = body === undefined ? "HEAD" : "POST";
      const headers = body === undefined ? {} : { "content-type": "application/jose+json" };
      const sent = request(
        url,
        { agent, method, headers, ...(socketPath ? { socketPath } : {}) },
        (answer) => {
          const parts: Buffer[] = [];
          answer.on("data", (part: Buffer) => void parts.push(part));
          answer.on("end", () =>
            resolve({
              status: answer.statusCode ?? 0,
              // Node joins what comes several times, but for cookies, which nobody sends here
              headers: answer.headers as Answer["headers"],
              text: Buffer.concat(parts).toString("utf8"),
            }),
          );
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
}

/** A client with an account, which orders one certificate after the other for one address. */
class Client {
  readonly key: AcmeKey = newKey();
  readonly #send: Send;
  readonly #base: string;
  readonly #address: string;
  readonly #csr: string;
  #nonce = "";
  #kid = "";
  requests = 0;
  flows = 0;

  constructor(
    send: Send,
    { base, address, csr }: Readonly<Record<"base" | "address" | "csr", string>>,
  ) {
    [this.#send, this.#base, this.#address, this.#csr] = [send, base, address, csr];
  }
  async #post(
    url: string,
    payload?: unknown,
  ): Promise<{ readonly json: Members; readonly location: string }> {
    const named = this.#kid === "" ? { jwk: this.key.jwk } : { kid: this.#kid };
    const header = { alg: this.key.alg, nonce: this.#nonce, url, ...named };
    this.requests++;
    const { status, headers, text } = await this.#send(
      url,
      JSON.stringify(jwsOf(this.key, header, payload)),
    );
    this.#nonce = headers["replay-nonce"] ?? "";
    if (status >= 300) throw new Error(`${url}: ${status} ${text}`);
    const isJson = headers["content-type"] === "application/json";
    return {
      json: isJson ? (JSON.parse(text) as Members) : { text },
      location: headers["location"] ?? "",
    };
  }
  async register(): Promise<void> {
    this.#nonce = (await this.#send(`${this.#base}/new-nonce`)).headers["replay-nonce"] ?? "";
    const { location } = await this.#post(`${this.#base}/new-account`, {
      termsOfServiceAgreed: true,
    });
    this.#kid = location;
  }
  /** From the order to the certificate. */
  async flow(): Promise<void> {
    const { json: order, location } = await this.#post(`${this.#base}/new-order`, {
      identifiers: [{ type: "ip", value: this.#address }],
    });
    const [authorization] = order["authorizations"] as readonly string[];
    const { json: authz } = await this.#post(authorization ?? "");
    const [challenge] = authz["challenges"] as readonly { readonly url: string }[];
    await this.#post(challenge?.url ?? "", {});
    let state = "pending";
    for (let wait = 5; state === "pending"; wait *= 2) {
      await new Promise((done) => setTimeout(done, wait));
      state = String((await this.#post(location)).json["status"]);
    }
    const { json: done } = await this.#post(String(order["finalize"]), { csr: this.#csr });
    const { json: certificate } = await this.#post(String(done["certificate"]));
    if (!String(certificate["text"]).startsWith("-----BEGIN CERTIFICATE"))
      throw new Error(`no certificate: ${JSON.stringify(done)}`);
    this.flows++;
  }
}

/** A request for a certificate of an address, base64url. */
async function csrFor(ca: Ca, address: string): Promise<string> {
  const { csr } = await ca.pki.generateIntermediate({ common_name: address, key_type: "ec" });
  const [, body = ""] = /-----BEGIN [^-]+-----([^-]+)-----END/.exec(csr) ?? [];
  return Buffer.from(body.replaceAll(/\s/g, ""), "base64").toString("base64url");
}

/** How often one flow asks the store, in this process, where no host answers challenges. */
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
    "a flow: requests, and what the store was asked",
    `${client.requests} requests, ${counted.get} gets, ${counted.list} lists`,
  );
  atMost("a flow: commits", counted.commit, 12, "commits");
}

/** Flows a second of some clients, the middle one of several rounds. */
async function flowsOf(
  clients: readonly Client[],
  { seconds, rounds }: AcmeOptions,
): Promise<number> {
  const rates: number[] = [];
  for (let at = 0; at < rounds; at++) {
    const begun = performance.now();
    const end = begun + seconds * 1000;
    let flows = 0;
    await Promise.all(
      clients.map(async (client) => {
        while (performance.now() < end) {
          await client.flow();
          flows++;
        }
      }),
    );
    rates.push((flows * 1000) / (performance.now() - begun));
  }
  return median(rates);
}

/** Eight clients with an account each, whose challenges a stub answers. */
export async function clientsAt(base: string, stub: Stub, send: Send): Promise<readonly Client[]> {
  const made = createCa({ stores: memoryStore() });
  return Promise.all(
    Array.from({ length: 8 }, async (_, at) => {
      const address = `127.0.0.${at + 2}`;
      const csr = await csrFor(made, address);
      const client = new Client(send, { base, address, csr });
      stub.thumbprints.set(address, client.key.thumbprint);
      await client.register();
      return client;
    }),
  );
}
const flowsBy = (clients: readonly Client[]): number =>
  clients.reduce((sum, { flows }) => sum + flows, 0);
async function enable(subject: Subject): Promise<void> {
  await subject.call("config/cluster", { path: `${subject.url}/v1/pki` });
  await subject.call("config/acme", {
    enabled: true,
    challenge_permitted_ip_ranges: ["127.0.0.0/8"],
  });
}

/** Whole flows of ACME over the public port of the launcher, http-01 answered beside it. */
export async function benchAcme(options: AcmeOptions): Promise<void> {
  await countTrips();
  const stub = await startStub();
  const floor = await startFloor();
  const subject = await startSubject({ ACME_HTTP_PORT: String(stub.port) });
  const agent = new Agent({ keepAlive: true });
  try {
    await enable(subject);
    const clients = await clientsAt(`${subject.url}/v1/pki/acme`, stub, httpSender(agent));
    const { "floor x8": store, "empty read": empty } = floorKinds(floor);
    if (!store || !empty) throw new TypeError("the floor lacks a kind");
    const seen = await roundsOf({ store, empty }, options);
    const rate = (name: string) => middle(seen, name, ({ rps }) => rps);
    const one = await flowsOf(clients.slice(0, 1), options);
    const before = { cpu: cpuMs(subject.pid), flows: flowsBy(clients) };
    const eight = await flowsOf(clients, options);
    const cpu = (cpuMs(subject.pid) - before.cpu) / (flowsBy(clients) - before.flows);
    figure("flows at 1 client", `${round(one)}/s, ${round(1000 / one)} ms each`);
    figure("flows at 8 clients, of an empty read", `${round((100 * eight) / rate("empty"))} %`);
    atLeast("flows at 8 clients, of the floor", eight / rate("store"), 0.06, `${round(eight)}/s`);
    const times = cpu / middle(seen, "store", (seenOnce) => seenOnce.cpu);
    figure("processor time of a flow", `${round(cpu)} ms, ${round(times)} times the floor's`);
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
    `memory of the runtime after ${flows} flows`,
    residentMiB(runtimeOf(subject.pid)),
    300,
    "MiB",
  );
}
