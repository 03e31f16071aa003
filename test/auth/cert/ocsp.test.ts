import { createServer } from "node:http";
import { afterAll, describe, expect, it } from "vitest";
import { decodePem } from "../../../src/base/pem.ts";
import { authority, clockAt, type Authority } from "../../support/authority.ts";
import { dial, listening, now } from "../../net/tls-fixture.ts";

const at = "http://ocsp.example/v1/pki/ocsp";
/** The URLs requested, and a response that replaces that of the issuing authority. */
const state: { asked: string[]; answer?: (body: Uint8Array) => Promise<Uint8Array> | undefined } = {
  asked: [],
};
/** Another authority, which issues the client certificates. */
const theirs = await issuing();
const server = createServer((request, reply) => {
  void (async () => {
    const parts: Uint8Array[] = [];
    for await (const part of request) parts.push(part as Uint8Array);
    const body = Buffer.concat(parts);
    state.asked.push(`${request.method} ${request.headers.host}${request.url}`);
    reply.end(await (state.answer?.(body) ?? ocspOf(theirs, body)));
  })().catch(() => reply.writeHead(500).end());
});
const port = await listening(server);
afterAll(() => server.close().closeAllConnections());

async function issuing(): Promise<Authority> {
  const a = authority({ clock: clockAt(now * 1000), seed: 7 });
  await a.root();
  await a.call("POST", "pki/config/urls", { ocsp_servers: at });
  await a.role("client", { allow_any_name: true, enforce_hostnames: false });
  return a;
}
async function ocspOf(a: Authority, body: Uint8Array): Promise<Uint8Array> {
  const asked = new Request("http://ca/v1/pki/ocsp", {
    method: "POST",
    headers: { "content-type": "application/ocsp-request" },
    body: Uint8Array.from(body),
  });
  return new Uint8Array(await (await a.ca.fetch(asked)).arrayBuffer());
}
async function client(a: Authority) {
  const { data } = await a.call("POST", "pki/issue/client", { common_name: "alice", ttl: "1h" });
  const { certificate, serial_number } = data as Record<string, string>;
  return { chain: decodePem(certificate ?? "").map(({ der }) => der), serial_number };
}

/** Creates an authority with a role that checks OCSP. */
async function prepared(
  role: object = {},
  { address = "198.41.0.4", of = theirs } = {},
): Promise<Authority> {
  state.asked = [];
  delete state.answer;
  const a = authority({
    clock: clockAt(now * 1000),
    dial: () => dial(port),
    resolve: async ({ type }) => (type === "A" ? [address] : []),
  });
  await a.call("POST", "sys/auth/cert", { type: "cert" });
  const { data } = await of.call("GET", "pki/cert/ca");
  const body = { certificate: data["certificate"], ocsp_enabled: true, ocsp_max_retries: 0 };
  const written = await a.call("POST", "auth/cert/certs/web", { ...body, ...role });
  expect(written.errors ?? []).toEqual([]);
  return a;
}
async function login(a: Authority, tlsChain: readonly Uint8Array[]) {
  const request = new Request("http://ca.example/v1/auth/cert/login", { method: "POST" });
  const answer = await a.ca.fetch(request, { peer: { tlsChain } });
  const { errors } = (await answer.json()) as { readonly errors?: readonly string[] };
  return [answer.status, errors?.[0]];
}
const letIn = [200, undefined];
const revoked = [400, "invalid certificate or no client certificate supplied"];
const nobody = [
  503,
  "no OCSP responder answered; the revocation status of the client certificate is unknown",
];

describe("a role that checks OCSP", () => {
  it("accepts a certificate whose OCSP status is good, and rejects a revoked one", async () => {
    const a = await prepared();
    const [good, bad] = [await client(theirs), await client(theirs)];
    await theirs.call("POST", "pki/revoke", { serial_number: bad.serial_number });
    expect(await login(a, good.chain)).toEqual(letIn);
    expect(await login(a, bad.chain)).toEqual(revoked);
    expect(state.asked).toEqual([`POST ${at.slice(7)}`, `POST ${at.slice(7)}`]);
    await a.call("POST", "auth/cert/certs/web", { ocsp_enabled: false });
    expect(await login(a, bad.chain)).toEqual(letIn);
    expect(state.asked).toHaveLength(2);
  });

  it("rejects a certificate without a valid OCSP response, unless ocsp_fail_open is set", async () => {
    const a = await prepared();
    const { chain } = await client(theirs);
    const other = await client(theirs);
    const garbage = async () => Uint8Array.of(0x30, 0);
    const refusal = async () => Uint8Array.of(0x30, 3, 0x0a, 1, 6);
    const stranger = await issuing();
    const forged = (body: Uint8Array) => ocspOf(stranger, body);
    const [first] = [await captured(a, other.chain)];
    for (const answer of [garbage, refusal, forged, async () => first]) {
      state.answer = answer;
      expect(await login(a, chain)).toEqual(nobody);
    }
    await a.call("POST", "auth/cert/certs/web", { ocsp_fail_open: true });
    expect(await login(a, chain)).toEqual(letIn);
  });

  it("trusts the responders in ocsp_ca_certificates, as PEM or base64", async () => {
    const stranger = await issuing();
    const { data } = await stranger.call("GET", "pki/cert/ca");
    const pem = data["certificate"] as string;
    const { chain } = await client(theirs);
    for (const ocsp_ca_certificates of [pem, Buffer.from(pem).toString("base64")]) {
      const a = await prepared({ ocsp_ca_certificates });
      // this responder does not know the certificate and returns `unknown`
      state.answer = (body) => ocspOf(stranger, body);
      expect(await login(a, chain)).toEqual(revoked);
    }
  });

  it("trusts delegated responders of the issuer, but none of another issuer", async () => {
    const [of, other] = [await issuing(), await issuing()];
    for (const one of [of, other])
      await one.call("POST", "pki/issuer/default/ocsp-responder", { ttl: "24h" });
    const a = await prepared({}, { of });
    const [good, bad] = [await client(of), await client(of)];
    await of.call("POST", "pki/revoke", { serial_number: bad.serial_number });
    state.answer = (body) => ocspOf(of, body);
    expect(await login(a, good.chain)).toEqual(letIn);
    expect(await login(a, bad.chain)).toEqual(revoked);
    state.answer = (body) => ocspOf(other, body);
    expect(await login(a, good.chain)).toEqual(nobody);
  });

  it("rejects OCSP responses older than ocsp_this_update_max_age", async () => {
    const a = await prepared();
    const { chain } = await client(theirs);
    const held = await captured(a, chain);
    state.answer = async () => held;
    expect(await login(a, chain)).toEqual(letIn);
    a.clock.advance(1800);
    await a.call("POST", "auth/cert/certs/web", { ocsp_this_update_max_age: "10m" });
    expect(await login(a, chain)).toEqual(nobody);
    await a.call("POST", "auth/cert/certs/web", { ocsp_this_update_max_age: 0 });
    expect(await login(a, chain)).toEqual(letIn);
  });

  it("queries the configured responders, all of them with ocsp_query_all_servers, and retries failed ones", async () => {
    const override = ["http://one.example/a", "http://two.example/b"];
    const a = await prepared({ ocsp_servers_override: override, ocsp_max_retries: 2 });
    const { chain } = await client(theirs);
    expect(await login(a, chain)).toEqual(letIn);
    expect(state.asked).toEqual(["POST one.example/a"]);
    await a.call("POST", "auth/cert/certs/web", { ocsp_query_all_servers: true });
    expect(await login(a, chain)).toEqual(letIn);
    expect(state.asked.slice(1)).toEqual(["POST one.example/a", "POST two.example/b"]);
    state.answer = () => Promise.reject(new Error("down"));
    expect(await login(a, chain)).toEqual(nobody);
    expect(state.asked.slice(3)).toHaveLength(6);
  });

  it("returns the OCSP settings, and contacts no private address", async () => {
    const a = await prepared({ ocsp_fail_open: "true" }, { address: "10.0.0.1" });
    expect((await a.call("GET", "auth/cert/certs/web")).data).toMatchObject({
      ocsp_enabled: true,
      ocsp_fail_open: true,
      ocsp_query_all_servers: false,
      ocsp_servers_override: [],
      ocsp_ca_certificates: "",
      ocsp_this_update_max_age: 0,
      ocsp_max_retries: 0,
    });
    await a.call("POST", "auth/cert/certs/web", { ocsp_fail_open: false });
    expect(await login(a, (await client(theirs)).chain)).toEqual(nobody);
    expect(state.asked).toEqual([]);
  });
});

/** Returns the OCSP response that a login receives. */
async function captured(a: Authority, chain: readonly Uint8Array[]): Promise<Uint8Array> {
  let got = new Uint8Array();
  state.answer = async (body) => (got = Uint8Array.from(await ocspOf(theirs, body)));
  expect(await login(a, chain)).toEqual(letIn);
  delete state.answer;
  return got;
}
