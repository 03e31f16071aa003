import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { importObjects } from "../../server/data/import-objects.ts";
import { acmeClient } from "../support/data-0.2/acme-client.ts";
import { keysOf, numberOf } from "../support/data-0.2/answers.ts";
import { done, memberAt, type Ask } from "../support/data-0.2/ask.ts";
import { acmeDirectory, finalize } from "../support/data-0.2/fill-acme.ts";
import { recording, writeDataDir } from "../support/data-0.2/fixture.ts";
import { openDataDir, type OpenedDataDir } from "../support/data-0.2/imported.ts";

const { now, address, access, pki, acme, vars, answers } = recording();
const dataDir = mkdtempSync(join(tmpdir(), "sealwright-imported-"));
let opened: OpenedDataDir;
let ask: Ask;
beforeAll(async () => {
  writeDataDir(dataDir, "killed");
  await importObjects(dataDir, () => undefined);
  opened = openDataDir(dataDir, { now: now + 60_000, address });
  ({ send: ask } = opened);
});
afterAll(() => {
  opened.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const post = async (path: string, body: unknown = {}, token?: string) =>
  done(ask, "POST", path, { body, ...(token === undefined ? {} : { token }) });
/** Returns the number of a CRL as recorded from the old server. */
const recordedNumber = (mount: string, crl: string): number =>
  (memberAt(answers, `${mount}: CRLs`) as Readonly<Record<string, readonly [number]>>)[crl]?.[0] ??
  0;
const numberNow = async (mount: string, crl: string): Promise<number> =>
  numberOf((await done(ask, "GET", `${mount}/${crl}`, { token: "" })).bytes);

it("imported mounts issue and revoke, and CRL numbers continue", async () => {
  const issued = await post("team/ca/issue/device", { common_name: "new.example.com" });
  const issuer = await done(ask, "GET", "team/ca/ca/pem", { token: "" });
  const certificate = new X509Certificate(issued.at("data.certificate"));
  expect(certificate.verify(new X509Certificate(issuer.text).publicKey)).toBe(true);
  const serial_number = issued.at("data.serial_number");
  expect((await ask("GET", `team/ca/cert/${serial_number}`)).status).toBe(200);
  await post("team/ca/revoke", { serial_number });
  expect(await numberNow("team/ca", "crl")).toBe(recordedNumber("team/ca", "crl") + 1);
  // complete and delta CRLs of an issuer share their numbers
  const last = Math.max(recordedNumber("pki", "crl"), recordedNumber("pki", "crl/delta"));
  await done(ask, "GET", "pki/crl/rotate");
  expect(await numberNow("pki", "crl")).toBe(last + 1);
  const shard = Math.max(
    ...["", "delta/"].map((part) => recordedNumber("pki", `crl/${part}shard/4-0`)),
  );
  expect(await numberNow("pki", "crl/shard/4-0")).toBe(shard + 1);
});

it("imported tokens and logins work, and a revoked token does not", async () => {
  const { token, periodic, child, revoked } = access;
  for (const each of [token, periodic]) {
    const issued = await post("pki/issue/web", { common_name: "by.example.com" }, each);
    expect(issued.at("data.serial_number")).toMatch(/^[\da-f:]+$/);
  }
  expect((await done(ask, "GET", "cubbyhole/notes", { token })).at("data.rack")).toBe("7");
  expect((await ask("GET", "auth/token/lookup-self", { token: revoked })).status).toBe(403);
  const renewed = await post("auth/token/renew-self", {}, periodic);
  expect(memberAt(renewed.json, "auth.lease_duration")).toBe(86_400);
  await post("auth/token/revoke", { token });
  expect((await ask("GET", "auth/token/lookup-self", { token: child })).status).toBe(403);
  const { roleId: role_id, secretId: secret_id, username, password, entity } = access;
  await post("auth/approle/login", { role_id, secret_id }, "");
  const login = await post(`auth/userpass/login/${username}`, { password }, "");
  expect(login.at("auth.entity_id")).toBe(entity);
});

it("imported wrapped replies are unwrapped once", async () => {
  const unwrapped = await post("sys/wrapping/unwrap", {}, access.wrapped);
  expect(unwrapped.at("data.rack")).toBe("7");
  const refused = await ask("POST", "sys/wrapping/unwrap", { token: access.wrapped });
  expect(refused.status).toBe(400);
  const certificate = await post("sys/wrapping/unwrap", {}, access.wrappedCertificate);
  expect(certificate.at("data.private_key")).toContain("PRIVATE KEY");
});

it("imported ACME accounts read their orders, and finalize one that is ready", async () => {
  const at = { address, directory: acmeDirectory };
  const client = acmeClient(ask, at, acme.accounts.main);
  for (const [state, url] of Object.entries(acme.orders))
    expect((await client.post(url)).at("status")).toBe(state === "revoked" ? "valid" : state);
  const issued = await finalize(client, acme.orders.ready);
  expect(new X509Certificate(issued.text).subjectAltName).toBe("IP Address:127.0.0.2");
  const bound = acmeClient(ask, at, acme.accounts.bound);
  expect((await bound.post(acme.accounts.bound.kid)).at("status")).toBe("valid");
  const deactivated = acmeClient(ask, at, acme.accounts.deactivated);
  expect((await deactivated.post(acme.accounts.deactivated.kid)).status).toBe(401);
});

it("an imported lease can be revoked", async () => {
  const lease_id = pki.leases.at(-1) ?? "";
  await post("sys/leases/revoke", { lease_id, sync: true });
  expect((await ask("POST", "sys/leases/lookup", { body: { lease_id } })).status).toBe(400);
});

it("the imported audit log is continued", async () => {
  const newest = async (): Promise<string> =>
    keysOf(await ask("GET", "sys/audit/events?list=true&limit=1&mount=pki/"))[0] ?? "";
  const before = await newest();
  await post("pki/issue/web", { common_name: "audited.example.com" });
  expect((await newest()) > before).toBe(true);
});

it("users and tokens of the old server can write imported variables", async () => {
  const headers = { "content-type": "application/vnd.api+json" };
  const path = `/api/v2/workspaces/${vars.workspace}/vars`;
  const variable = { type: "vars", attributes: { key: "more", value: "1", category: "env" } };
  const root = readFileSync(join(dataDir, "vars-token"), "utf8").trim();
  for (const [n, token] of [root, vars.userToken, vars.teamToken].entries()) {
    const attributes = { ...variable.attributes, key: `more-${n}` };
    await done(ask, "POST", path, { body: { data: { ...variable, attributes } }, token, headers });
  }
  const listed = await done(ask, "GET", path, { token: root });
  const keys = (listed.json["data"] as readonly { readonly attributes: { readonly key: string } }[])
    .map(({ attributes }) => attributes.key)
    .toSorted();
  expect(keys).toEqual(["NOTE", "TOKEN", "more-0", "more-1", "more-2", "region", "zones"]);
});

it("every imported mount is healthy", async () => {
  const health = await ask("GET", "sys/health", { token: "" });
  expect([health.status, health.json["degraded"]]).toEqual([200, undefined]);
});

it("a job scheduled by the old server runs when it is due", async () => {
  const later = openDataDir(dataDir, { now: now + 4 * 86_400_000, address });
  const before = await numberNow("team/ca", "issuer/team-root/crl/der");
  await later.ca.tick();
  const crl = await later.send("GET", "team/ca/issuer/team-root/crl/der", { token: "" });
  expect(numberOf(crl.bytes)).toBe(before + 1);
  later.close();
});
