import { beforeEach, describe, expect, it } from "vitest";
import { memoryStore, sealedVault } from "../../src/index.ts";
import { authority, clockAt } from "../support/authority.ts";
import { acmeAuthority, acmeClient, binding, clusterPath, type AcmeAuthority } from "./client.ts";
import { chainIn, finalize, issue, newOrder, orderIn, readyOrder } from "./ordering.ts";
import { newEab } from "./registering.ts";

const names = ["a.test"];

describe("changes between an order and its finalization", () => {
  let a: AcmeAuthority;
  const stored = async () => (await a.call("LIST", "pki/certs")).data["keys"] as readonly string[];
  beforeEach(async () => {
    a = await acmeAuthority();
    await a.role("web");
    await a.intermediate({}, {});
  });
  const web = { key_type: "ec", allow_any_name: true } as const;
  const issuerOf = async (reference: string) =>
    String((await a.call("GET", `pki/issuer/${reference}`)).data["issuer_id"]);

  it.each([
    {
      what: "its role stores no certificates any more",
      at: "roles/web/acme",
      change: () => a.role("web", { no_store: true }),
      back: () => a.role("web"),
      refused: [403, "unauthorized"],
    },
    {
      what: "its role is removed",
      at: "roles/web/acme",
      change: () => a.call("DELETE", "pki/roles/web"),
      back: () => a.role("web"),
      refused: [400, "malformed"],
    },
    {
      what: "its role allows the name no more",
      at: "roles/web/acme",
      change: () => a.role("web", { allow_any_name: false, allowed_domains: ["b.test"] }),
      back: () => a.role("web"),
      refused: [400, "badCSR"],
    },
    {
      what: "its profile is removed",
      at: "acme",
      more: { profile: "web" },
      change: () => a.call("DELETE", "pki/roles/web"),
      back: () => a.pki.writeRole({ name: "web", ...web }),
      refused: [400, "invalidProfile"],
    },
    {
      what: "its issuer issues no more",
      at: "issuer/root/acme",
      change: () =>
        a.call("POST", "pki/issuer/root", { usage: "crl-signing", issuer_name: "root" }),
      back: () =>
        a.call("POST", "pki/issuer/root", {
          usage: "crl-signing,issuing-certificates",
          issuer_name: "root",
        }),
      refused: [403, "unauthorized"],
    },
    {
      what: "the policy forbids the directory",
      at: "acme",
      change: () => a.call("POST", "pki/config/acme", { default_directory_policy: "forbid" }),
      back: () => a.call("POST", "pki/config/acme", { default_directory_policy: "sign-verbatim" }),
      refused: [403, "unauthorized"],
    },
  ])(
    "$what: finalization is rejected and stores nothing, and succeeds once the change is undone",
    async (it) => {
      const client = await a.registered({ at: it.at });
      const order = await readyOrder(a, client, names, it.more ?? {});
      const before = await stored();
      await it.change();
      const refused = await finalize(client, order, { names });
      expect([refused.status, refused.problem], refused.detail).toEqual(it.refused);
      expect(await stored()).toEqual(before);
      await it.back();
      expect(orderIn(await client.post(order)).status).toBe("ready");
      const done = await finalize(client, order, { names });
      expect([done.status, orderIn(done).status], done.detail).toEqual([200, "valid"]);
      expect(await stored()).toHaveLength(before.length + 1);
    },
  );

  it("the default issuer is replaced: the new one signs, with its own chain", async () => {
    const client = await a.registered();
    const order = await readyOrder(a, client, names);
    await a.pki.generateRoot({ common_name: "Next CA", issuer_name: "next", key_type: "ec" });
    await a.call("POST", "pki/config/issuers", { default: "next" });
    const done = await finalize(client, order, { names });
    const chain = chainIn(await client.post(orderIn(done).certificate));
    expect(chain[1]?.trim()).toBe(
      String((await a.call("GET", "pki/issuer/next")).data["certificate"]).trim(),
    );
  });

  it("the default issuer is removed: finalization is rejected until there is another one", async () => {
    const client = await a.registered();
    const order = await readyOrder(a, client, names);
    const { order: older } = await issue(a, client, names);
    await a.call("DELETE", `pki/issuer/${await issuerOf("root")}`);
    const refused = await finalize(client, order, { names });
    expect([refused.status, refused.problem], refused.detail).toEqual([400, "malformed"]);
    await a.pki.generateRoot({ common_name: "Next CA", issuer_name: "next", key_type: "ec" });
    await a.call("POST", "pki/config/issuers", { default: "next" });
    expect((await finalize(client, order, { names })).status).toBe(200);
    // certificates of the removed issuer can still be downloaded, without its chain
    const { certificate } = orderIn(await client.post(older));
    expect(chainIn(await client.post(certificate))).toHaveLength(1);
  });
});

describe("ACME after restarts and beside other mounts", () => {
  const keyOf = (byte: number) => new Uint8Array(32).fill(byte);

  it("accounts, orders, nonces and unused bindings stay valid after resealing under another key and a restart", async () => {
    const stores = memoryStore();
    const clock = clockAt();
    const a = await acmeAuthority({ stores, clock, vault: sealedVault({ key: keyOf(1) }) });
    const client = await a.registered();
    const order = await readyOrder(a, client, names);
    const eab = await newEab(a);
    const vault = sealedVault({ key: keyOf(2), previous: keyOf(1) });
    const second = authority({ stores, clock, vault, seed: 2 });
    expect((await second.call("POST", "sys/rotate")).data).toEqual({ resealed: 3 });
    const third = authority({
      stores,
      clock,
      seed: 3,
      vault: sealedVault({ key: keyOf(2) }),
    });
    const fetch = (request: Request) => third.ca.fetch(request);
    const directory = `${clusterPath}/acme/directory`;
    const again = acmeClient({ fetch, directory, key: client.key });
    again.kid = client.kid;
    // a nonce issued earlier
    const nonce = await client.nonce();
    expect((await again.post(order, undefined, { nonce })).status).toBe(200);
    expect((await finalize(again, order, { names })).status).toBe(200);
    const bound = acmeClient({ fetch, directory });
    const url = await bound.url("newAccount");
    const externalAccountBinding = binding(bound.key, { kid: eab.id, mac: eab.key, url });
    expect((await bound.register({ externalAccountBinding })).status).toBe(201);
  });

  it("a second mount shares no accounts, nonces or bindings with the first, and is unaffected by its deletion", async () => {
    const a = await acmeAuthority();
    const client = await a.registered();
    const eab = await newEab(a);
    await a.sys.createMount({ path: "more", type: "pki" });
    const path = clusterPath.replace("/pki", "/more");
    await a.call("POST", "more/root/generate/internal", { common_name: "More", key_type: "ec" });
    await a.call("POST", "more/config/cluster", { path });
    await a.call("POST", "more/config/acme", { enabled: true });
    const fetch = (request: Request) => a.ca.fetch(request);
    const directory = `${path}/acme/directory`;
    const other = acmeClient({ fetch, directory, key: client.key });
    const nonce = await client.nonce();
    expect((await other.register({}, { nonce })).problem).toBe("badNonce");
    other.kid = client.kid.replace("/pki/", "/more/");
    expect((await other.post(other.kid)).problem).toBe("accountDoesNotExist");
    other.kid = "";
    const url = await other.url("newAccount");
    const externalAccountBinding = binding(other.key, { kid: eab.id, mac: eab.key, url });
    expect((await other.register({ externalAccountBinding })).status).toBe(401);
    expect((await other.register()).status).toBe(201);
    await newOrder(client, names);
    const store = a.stores(await a.uuid());
    await a.call("DELETE", "sys/mounts/pki");
    for (let look = 0; look < 10; look++) {
      a.clock.advance(400);
      await a.ca.tick();
    }
    const left = (await store.list("", { values: false })).map(([key]) => key);
    expect(left.filter((key) => key !== "epoch")).toEqual([]);
    await other.post(other.kid);
    const made = await newOrder(other, names);
    expect(made.status).toBe(201);
  });
});
