import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { acmeClient, type AcmeClient } from "../acme/client.ts";
import { freePort } from "../support/ports.ts";
import { startServer, type RunningServer } from "../support/server.ts";
import { apiOf, makeAuthority } from "./api.ts";

const servers: Server[] = [];
let running: RunningServer | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});
afterAll(() => {
  for (const server of servers) server.close();
});
async function listening(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // a TCP server has a port
  return (server.address() as AddressInfo).port;
}

/** Starts a server with `npm start`, enables ACME, and returns a client. */
async function authority(
  env: Record<string, string>,
  config: Readonly<Record<string, unknown>> = {},
): Promise<AcmeClient> {
  running = await startServer({ env });
  const api = apiOf(running);
  await makeAuthority(api);
  expect((await api("POST", "pki/config/acme", { enabled: true, ...config })).status).toBe(200);
  const client = acmeClient({ fetch, directory: `${running.url}/v1/pki/acme/directory` });
  expect((await client.register()).status).toBe(201);
  return client;
}
interface Challenge {
  readonly type: string;
  readonly url: string;
  readonly token: string;
}
/** Returns an accepted http-01 challenge of an identifier. */
async function accepted(
  client: AcmeClient,
  value: string,
  before: (challenge: Challenge) => void = () => undefined,
): Promise<Challenge> {
  const type = /^[\d.]+$/.test(value) ? "ip" : "dns";
  const order = await client.post(await client.url("newOrder"), { identifiers: [{ type, value }] });
  expect(order.status, order.text).toBe(201);
  const [url] = order.json["authorizations"] as readonly string[];
  const { json } = await client.post(url ?? "");
  const challenges = json["challenges"] as readonly Challenge[];
  const challenge = challenges.find((one) => one.type === "http-01");
  if (!challenge) throw new Error("there is no http-01");
  before(challenge);
  expect((await client.post(challenge.url, {})).status).toBe(200);
  return challenge;
}
/** Returns the state of a challenge, or the error of its last attempt. */
const told = async (client: AcmeClient, { url }: Challenge): Promise<string> => {
  const { json } = await client.post(url);
  const error = json["error"] as { readonly type: string; readonly detail: string } | undefined;
  return error ? `${error.type.split(":").at(-1)}: ${error.detail}` : String(json["status"]);
};
const poll = (client: AcmeClient, challenge: Challenge) =>
  expect.poll(() => told(client, challenge), { interval: 20 });

describe("http-01 under npm start", () => {
  it("security row 35: resolves names with the hosts file, refuses loopback addresses unless config/acme permits them, and names address and setting", async () => {
    const client = await authority({});
    const refusal =
      ": 127.0.0.1 is a loopback address and is not contacted; to permit it, add 127.0.0.0/8 to challenge_permitted_ip_ranges of config/acme, which then permits only the ranges it lists";
    for (const identifier of ["localhost", "127.0.0.1"])
      await poll(client, await accepted(client, identifier)).toContain(refusal);
  });

  it("validates a name at the configured ACME_HTTP_PORT", async () => {
    const pages = new Map<string, string>();
    const hosts: (string | undefined)[] = [];
    const web = createHttpServer((request, response) => {
      hosts.push(request.headers.host);
      response.end(pages.get(request.url ?? "") ?? "");
    });
    const client = await authority(
      { ACME_HTTP_PORT: String(await listening(web)) },
      { challenge_permitted_ip_ranges: ["127.0.0.0/8"] },
    );
    const challenge = await accepted(client, "localhost", ({ token }) =>
      pages.set(`/.well-known/acme-challenge/${token}`, client.keyAuthorization(token)),
    );
    await poll(client, challenge).toBe("valid");
    expect(hosts).toEqual(["localhost"]);
  });

  it("reports an unreachable nameserver", async () => {
    const client = await authority({ DNS_NAMESERVER: `127.0.0.1:${await freePort()}` });
    await poll(client, await accepted(client, "www.example.com")).toMatch(
      /^dns: .*www\.example\.com.*: cannot connect to the nameserver$/,
    );
  });

  it("reports a refused connection", async () => {
    const client = await authority(
      { ACME_HTTP_PORT: String(await freePort()) },
      { challenge_permitted_ip_ranges: ["127.0.0.1/32"] },
    );
    await poll(client, await accepted(client, "127.0.0.1")).toMatch(
      /^connection: cannot connect to /,
    );
  });
});
