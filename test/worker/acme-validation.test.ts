import { once } from "node:events";
import { createServer as createTcp, type AddressInfo, type Server } from "node:net";
import { createServer as createTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { acceptChallenge } from "../../src/acme/validation/challenge-state.ts";
import { validationPut } from "../../src/acme/validation/authz-put.ts";
import { digestText, proofOf } from "../../src/acme/validation/proof.ts";
import type { ChallengeName } from "../../src/acme/validation/challenge-table.ts";
import { octets } from "../../src/base/der.ts";
import { acmeKeys, type AcmeChallenge, type AuthzRow } from "../../src/acme/rows/records.ts";
import { answerTo, questionIn, strings } from "../net/dns-messages.ts";
import { certificate } from "../net/tls-fixture.ts";
import { startDeployed, type Deployment } from "../support/deployed.ts";
import { temporaryDirectory } from "../support/server.ts";

const entry = new URL("validation-worker.ts", import.meta.url).pathname;
const thumbprint = "thumbprintthumbprintthumbprintthumbprint123";
const tokenOf = (id: string) => `token-${id}`.padEnd(28, "x");
const proofOfId = (id: string) => proofOf(tokenOf(id), thumbprint);
const idOf = (name: string) => name.replace(/^_acme-challenge\./, "").split(".")[0] ?? "";

const closing: (() => void)[] = [];
async function listening(server: Server): Promise<number> {
  closing.push(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // a TCP server has a port
  return (server.address() as AddressInfo).port;
}

/** Names whose validation gets no response until a test allows it. */
let stalls = /^bad/;
let connections = 0;
/** Answers http-01 requests with the key authorization of the requested token. */
const web = createTcp((socket) => {
  connections++;
  socket.on("error", () => undefined);
  socket.on("close", () => connections--);
  socket.once("data", (data: Buffer) => {
    const [, token = "", host = ""] =
      /^GET \S*\/(\S+) HTTP\/1\.1\r\nHost: ([^:\r]+)/.exec(data.toString()) ?? [];
    if (!stalls.test(host)) socket.end(`HTTP/1.1 200 OK\r\n\r\n${token}.${thumbprint}\n`);
  });
});
/** Serves DNS: every name resolves to this host, and its TXT records contain its dns-01 digest. */
const names = createTcp((socket) => {
  socket.on("error", () => undefined);
  socket.once("data", async (data: Buffer) => {
    const question = questionIn(data.subarray(2));
    const { name: owner, type } = question;
    const found =
      type === 1
        ? [{ owner, type, data: Uint8Array.of(127, 0, 0, 1) }]
        : type === 16
          ? [strings("another"), strings(digestText(await proofOfId(idOf(owner))))].map((text) => ({
              owner,
              type,
              data: text,
            }))
          : [];
    const answer = answerTo(question, found);
    socket.write(Uint8Array.of(answer.length >> 8, answer.length & 0xff, ...answer));
  });
});

let server: Deployment;
let [uuid, dataDir, now] = ["", "", 0];
const env: Record<string, string> = { ACME_PRIVATE_NETWORKS: "true", ACME_CONNECTIONS: "50" };
const call = async (method: string, path: string, body?: unknown) => {
  const reply = await fetch(`${server.url}${path}`, {
    method,
    headers: { "X-Service-Token": server.token },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  return {
    status: reply.status,
    text,
    data: (text.startsWith("{") ? JSON.parse(text).data : {}) ?? {},
  };
};

beforeAll(async () => {
  const own = await certificate({
    names: { dns: ["alpn.example"] },
    extensions: [
      {
        oid: "1.3.6.1.5.5.7.1.31",
        critical: true,
        value: octets((await proofOfId("alpn")).digest),
      },
    ],
  });
  const tls = createTls(
    { key: own.key.pem, cert: own.pem, ALPNProtocols: ["acme-tls/1"] },
    (socket) => {
      socket.on("error", () => undefined);
    },
  );
  env["ACME_HTTP_PORT"] = String(await listening(web));
  env["ACME_TLS_PORT"] = String(await listening(tls));
  const nameserver = await listening(names);
  dataDir = temporaryDirectory();
  server = await startDeployed({ entry, env, dataDir });
  await call("POST", "/v1/pki/root/generate/internal", {
    common_name: "Root",
    key_type: "ec",
    ttl: "80000h",
  });
  await call("POST", "/v1/pki/roles/web", { allow_any_name: true, key_type: "ec" });
  const acme = await call("POST", "/v1/pki/config/acme", {
    enabled: true,
    dns_resolver: `127.0.0.1:${nameserver}`,
    challenge_permitted_ip_ranges: ["127.0.0.1/32"],
  });
  expect(acme.status, acme.text).toBe(200);
  uuid = (await call("GET", "/v1/sys/mounts/pki")).data.uuid;
  now = Date.now();
});
afterAll(async () => {
  await server.stop();
  for (const close of closing) close();
});

/** Stores orders of an account, each with one accepted authorization, in one batch. */
async function order(
  account: string,
  ids: readonly string[],
  type: ChallengeName = "http-01",
): Promise<void> {
  const seconds = Math.floor(now / 1000);
  const of = { account, directory: "acme", expires: seconds + 86_400 };
  const put = ids.flatMap((id) => {
    const row: AuthzRow = {
      ...of,
      order: id,
      identifier: { type: "dns", value: `${id}.example` },
      wildcard: false,
      status: "pending",
      challenges: [{ type, token: tokenOf(id), status: "pending", attempts: 0 }],
    };
    const changed = acceptChallenge(row, type, now) ?? { row };
    return [
      [
        acmeKeys.order(id),
        { ...of, identifiers: [], authorizations: [id], created: seconds, status: "pending" },
      ],
      ...validationPut({ id, changed, now }),
    ];
  });
  const made = { jwk: { kty: "EC" }, thumbprint, status: "valid", contact: [], directory: "acme" };
  const body = JSON.stringify({ put: [[acmeKeys.account(account), made], ...put] });
  const reply = await fetch(`${server.url}/test/rows?store=${uuid}`, { method: "PUT", body });
  expect(await reply.json()).toEqual({ done: true });
}
async function authz(id: string): Promise<Pick<AuthzRow, "status"> & Pick<AcmeChallenge, "error">> {
  const reply = await fetch(`${server.url}/test/rows?store=${uuid}&key=${acmeKeys.authz(id)}`);
  const row = (await reply.json()) as AuthzRow;
  const [challenge] = row.challenges;
  if (!challenge) return expect.fail(`no challenge of ${id}`);
  return { ...challenge, status: row.status };
}
const status = async (id: string) => {
  const { status: is, error } = await authz(id);
  return error ? `${is}: ${error.detail}` : is;
};
const settled = (id: string, is = "valid") =>
  expect.poll(() => status(id), { interval: 10 }).toBe(is);

describe("ACME validation in a Durable Object, over real sockets", () => {
  it.each<[ChallengeName, string]>([
    ["http-01", "http"],
    ["dns-01", "dns"],
    ["tls-alpn-01", "alpn"],
  ])("%s", async (type, id) => {
    await order("one", [id], type);
    await settled(id);
  });

  it("500 stalled validations of fifty accounts delay neither another account's validation nor CRLs", async () => {
    const issued = await call("POST", "/v1/pki/issue/web", { common_name: "a.example" });
    expect(issued.status, issued.text).toBe(200);
    for (let at = 0; at < 50; at++)
      await order(
        `bad${at}`,
        Array.from({ length: 10 }, (_, i) => `bad${at}-${i}`),
      );
    // the names are resolved first, so that it takes a moment until all slots are in use
    await expect.poll(() => connections, { interval: 10 }).toBeGreaterThan(40);
    expect(connections).toBeLessThanOrEqual(50);
    // Fifty at once take minutes; how long another order waits is tested with the slots and a fake
    // clock.
    await order("good", ["good"]);
    await settled("good");

    const list = (await call("GET", "/v1/pki/crl/pem")).text;
    await call("POST", "/v1/pki/revoke", { serial_number: issued.data.serial_number });
    await expect
      .poll(async () => (await call("GET", "/v1/pki/crl/pem")).text, { interval: 10 })
      .not.toBe(list);
    expect((await authz("bad0-0")).status).toBe("pending");
  });

  it("pending validations continue after the process was killed", async () => {
    await server.kill9();
    stalls = /^nothing/;
    server = await startDeployed({ entry, env, dataDir });
    now += 130_000;
    await fetch(`${server.url}/test/clock`, { method: "PUT", body: JSON.stringify({ now }) });
    for (const id of ["bad0-0", "bad49-9"]) await settled(id);
  });
});
