import { expect, it } from "vitest";
import { derOf } from "../pki/reading.ts";
import { acmeAuthority, acmeClient, binding, clusterPath, type AcmeAuthority } from "./client.ts";
import { newKey } from "./key.ts";
import { csrOf, finalize, issue, newOrder, readyOrder, sharedKey } from "./ordering.ts";

interface Event {
  readonly endpoint: string;
  readonly caller?: string;
}
/** Returns the events of a log of the mount, oldest first. */
async function eventsOf(a: AcmeAuthority, log: string): Promise<readonly Event[]> {
  const query = `list=true&limit=1000&mount=pki&log=${log}`;
  const { data, status } = await a.call("GET", `sys/audit/events?${query}`);
  if (status === 404) return [];
  // the type that the endpoint declares
  return Object.values(data["key_info"] as Readonly<Record<string, Event>>).toReversed();
}
/** Counts the events of a log by endpoint. */
async function counted(a: AcmeAuthority, log: string): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const { endpoint } of await eventsOf(a, log)) counts[endpoint] = (counts[endpoint] ?? 0) + 1;
  return counts;
}
/** Returns a client with an account, registered from an address. */
async function registeredAt(a: AcmeAuthority, address: string) {
  const client = acmeClient({
    fetch: (request) => a.ca.fetch(request, { peer: { address } }),
    directory: `${clusterPath}/acme/directory`,
  });
  expect((await client.register()).status).toBe(201);
  return client;
}
/** Returns a client whose account has a binding. */
async function bound(a: AcmeAuthority) {
  const { data } = await a.call("POST", "pki/acme/new-eab", {});
  const client = a.client();
  const eab = { kid: String(data["id"]), mac: String(data["key"]) };
  const externalAccountBinding = binding(client.key, {
    ...eab,
    url: await client.url("newAccount"),
  });
  expect((await client.register({ externalAccountBinding })).status).toBe(201);
  return client;
}
const idOf = (url: string) => url.slice(url.lastIndexOf("/") + 1);
const der = (pem: unknown) => Buffer.from(derOf(pem)).toString("base64url");

it("audit: events of accounts with a binding are separate from those of anonymous accounts", async () => {
  const a = await acmeAuthority();
  const client = await bound(a);
  const { chain } = await issue(a, client, ["a.test"]);
  const certificate = der(chain[0]);
  const url = await client.url("keyChange");
  const to = newKey();
  const payload = { account: client.kid, oldKey: client.key.jwk };
  const inner = client.jws({ alg: "ES256", jwk: to.jwk, url }, payload, to);
  await client.post(await client.url("revokeCert"), { certificate });
  await client.post(client.kid, { contact: ["mailto:a@example.com"] });
  expect((await client.post(url, inner)).status).toBe(200);
  const changed = a.client({ key: to });
  changed.kid = client.kid;
  await changed.post(client.kid, { status: "deactivated" });
  const caller = `acme account ${idOf(client.kid)}`;
  expect(await eventsOf(a, "acme")).toMatchObject(
    [
      "acmeNewAccount",
      "acmeFinalize",
      "acmeRevoke",
      "acmeAccount",
      "acmeKeyChange",
      "acmeAccount",
    ].map((endpoint) => ({ endpoint, caller })),
  );
  expect(await counted(a, "anonymous")).toEqual({ acmeNewOrder: 1 });
  expect(await counted(a, "public")).toEqual({});
});

it("audit: the event of an order contains the hashes of the names in its certificate", async () => {
  const a = await acmeAuthority();
  await issue(a, await bound(a), ["a.test", "b.test"]);
  for (const name of ["a.test", "b.test"]) {
    const query = `list=true&endpoint=acmeFinalize&name=${name}`;
    expect([name, (await a.call("GET", `sys/audit/events?${query}`)).status]).toEqual([name, 200]);
  }
});

it("audit: accounts without a binding share a quota per network that registered them, and never write to the acme log", async () => {
  const a = await acmeAuthority();
  const csr = await csrOf({ names: ["a.test"] });
  const busy = [await registeredAt(a, "2001:db8:0:1::1"), await registeredAt(a, "2001:db8:0:2::1")];
  const other = await registeredAt(a, "192.0.2.1");
  for (let n = 0; n < 104; n++) {
    const [client] = n % 2 ? busy : busy.toReversed();
    if (!client) throw new Error("expected two clients");
    const done = await finalize(client, await readyOrder(a, client, ["a.test"]), csr);
    expect(done.status).toBe(200);
  }
  const { chain } = await issue(a, other, ["a.test"]);
  await other.post(await other.url("revokeCert"), { certificate: der(chain[0]) });
  await other.post(other.kid, { contact: ["mailto:a@example.com"] });
  expect(await counted(a, "public")).toEqual({ acmeFinalize: 101, acmeRevoke: 1 });
  expect(await counted(a, "anonymous")).toEqual({
    acmeNewAccount: 3,
    acmeNewOrder: 105,
    acmeAccount: 1,
    acmeFinalize: 4,
  });
  expect(await counted(a, "acme")).toEqual({});
});

it("audit: a revocation signed with the key of a certificate counts towards the account of the certificate", async () => {
  const a = await acmeAuthority();
  await a.role("web", { key_type: "ec" });
  const owner = await bound(a);
  const free = await a.registered();
  const revoke = async (
    certificate: string,
    key: Awaited<ReturnType<typeof sharedKey>>["acme"],
  ) => {
    const client = a.client({ key });
    const done = await client.postWithKey(await client.url("revokeCert"), { certificate });
    expect(done.status).toBe(200);
  };
  const serials: string[] = [];
  for (const client of [owner, free]) {
    const key = await sharedKey();
    const { chain, leaf } = await issue(a, client, ["a.test"], { csr: { key: key.csr } });
    serials.push(
      Buffer.from(leaf.serial)
        .toString("hex")
        .replace(/(..)(?=.)/g, "$1:"),
    );
    await revoke(der(chain[0]), key.acme);
  }
  const byHand = await sharedKey();
  const csr = `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from(await csrOf({ names: ["a.test"], key: byHand.csr }), "base64url").toString("base64")}\n-----END CERTIFICATE REQUEST-----`;
  const { certificate, serial_number } = await a.pki.sign({
    role: "web",
    csr,
    common_name: "a.test",
  });
  await revoke(der(certificate), byHand.acme);
  const revocations = async (log: string) =>
    (await eventsOf(a, log))
      .filter(({ endpoint }) => endpoint === "acmeRevoke")
      .map(({ caller }) => caller)
      .toSorted();
  const named = [serials[0], serial_number].map((serial) => `certificate ${serial}`);
  // in a partitioned mount, events of the same time have no order
  expect(await revocations("acme")).toEqual(named.toSorted());
  expect(await revocations("public")).toEqual([`certificate ${serials[1]}`]);
  expect(await revocations("anonymous")).toEqual([]);
});

it("audit: accounts whose bindings were created by one caller share one tenth of the acme log", async () => {
  const a = await acmeAuthority();
  const before = await bound(a);
  for (let account = 0; account < 10; account++) {
    const client = await bound(a);
    for (let n = 0; n < 100; n++)
      await client.post(client.kid, { contact: [`mailto:${n}@example.com`] });
  }
  await before.post(before.kid, { contact: ["mailto:a@example.com"] });
  const [all, more] = [await counted(a, "acme"), await counted(a, "frequent")];
  expect(all["acmeNewAccount"]).toBe(11);
  expect(all["acmeAccount"]).toBe(1000 - 11);
  expect(more).toEqual({ acmeAccount: 12 });
});

it("audit: refusals of accounts are in a log of the mount, apart from those of tokens, with one quota per network", async () => {
  const a = await acmeAuthority();
  const csr = await csrOf({ names: ["a.test"] });
  const accounts = [];
  for (let n = 0; n < 20; n++) accounts.push(await registeredAt(a, `2001:db8:7:${n}::1`));
  for (const client of [...accounts, await bound(a)]) {
    const { location } = await newOrder(client, ["a.test"]);
    for (let n = 0; n < 40; n++)
      expect((await finalize(client, location, csr)).problem).toBe("orderNotReady");
  }
  await a.call("POST", "pki/roles/x", {}, { token: "reader" });
  const { data } = await a.call("GET", "sys/audit/events?list=true&log=refusal");
  // the type that the endpoint declares
  expect(Object.values(data["key_info"] as Readonly<Record<string, object>>)).toMatchObject([
    { caller: "token reader", status: 403, kind: "refusal" },
  ]);
  const refusals = await eventsOf(a, "acme_refusal");
  expect(refusals).toHaveLength(30 + 30);
  expect(refusals.at(-1)).toMatchObject({ kind: "refusal", refusal: "order_not_ready" });
});
