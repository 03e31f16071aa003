import { type Agent, createServer, request, type Server } from "node:http";
import { createCa, memoryStore, type Ca } from "../src/index.ts";
import { jwsOf, newKey, type AcmeKey } from "../test/acme/key.ts";
import { median } from "./figures.ts";
import type { LoadResult } from "./load.ts";
import type { Subject } from "./server.ts";

interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}
/** A function that sends a POST request with `body`, or a HEAD request if there is no body. */
export type Send = (url: string, body?: string) => Promise<HttpReply>;
type Members = Readonly<Record<string, unknown>>;

/** An HTTP server that answers http-01 challenges for several clients. */
interface Stub {
  readonly server: Server;
  readonly port: number;
  /** Account key thumbprints, by the IP address to which validation requests are sent. */
  readonly thumbprints: Map<string, string>;
}
export async function startStub(): Promise<Stub> {
  const thumbprints = new Map<string, string>();
  const server = createServer((request, answer) => {
    const token = request.url?.split("/").at(-1) ?? "";
    answer.end(`${token}.${thumbprints.get(request.socket.localAddress ?? "") ?? ""}`);
  });
  await new Promise<void>((done) => server.listen(0, "0.0.0.0", done));
  const address = server.address();
  return { server, thumbprints, port: typeof address === "object" ? (address?.port ?? 0) : 0 };
}

/** Returns a function that sends requests over persistent connections, as HTTP clients do. */
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
              // Node joins repeated fields, except for cookies, which are not used here
              headers: answer.headers as HttpReply["headers"],
              text: Buffer.concat(parts).toString("utf8"),
            }),
          );
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
}

/**
 * An ACME client with an account, which orders certificates for one IP address, one after another.
 */
export class Client {
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
  /** Runs a flow, from the order to the certificate. */
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

/** Creates a CSR for an IP address, as base64url. */
export async function csrFor(ca: Ca, address: string): Promise<string> {
  const { csr } = await ca.pki.generateIntermediate({ common_name: address, key_type: "ec" });
  const [, body = ""] = /-----BEGIN [^-]+-----([^-]+)-----END/.exec(csr) ?? [];
  return Buffer.from(body.replaceAll(/\s/g, ""), "base64").toString("base64url");
}

/**
 * Creates eight clients, each with an account, whose challenges a stub answers. `first` is the last
 * octet of the first client's IP address: two servers that share a stub must not share addresses.
 */
export async function clientsAt(
  base: string,
  stub: Stub,
  send: Send,
  first = 2,
): Promise<readonly Client[]> {
  const ca = createCa({ stores: memoryStore() });
  return Promise.all(
    Array.from({ length: 8 }, async (_, at) => {
      const address = `127.0.0.${at + first}`;
      const csr = await csrFor(ca, address);
      const client = new Client(send, { base, address, csr });
      stub.thumbprints.set(address, client.key.thumbprint);
      await client.register();
      return client;
    }),
  );
}

/** Enables ACME in a mount at a base URL. */
export async function enable(call: Subject["call"], base: string): Promise<void> {
  await call("config/cluster", { path: base });
  await call("config/acme", { enabled: true, challenge_permitted_ip_ranges: ["127.0.0.0/8"] });
}

/** Runs flows in all clients for the given number of seconds, one after another in each client. */
export async function flowsFor(clients: readonly Client[], seconds: number): Promise<LoadResult> {
  const begun = performance.now();
  const end = begun + seconds * 1000;
  const times: number[] = [];
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < end) {
        const since = performance.now();
        await client.flow();
        times.push(performance.now() - since);
      }
    }),
  );
  const took = (performance.now() - begun) / 1000;
  const p99 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
  const rate = { count: times.length, seconds: took, rps: times.length / took };
  return { ...rate, p50: median(times), p99, bytes: 0, errors: 0, firstError: "" };
}
