import { describe, expect, it } from "vitest";
import { authority } from "../support/authority.ts";
import {
  binding,
  clientKey,
  directory,
  newEab,
  registering,
  type ClientKey,
  type Eab,
  distantStore,
  turn,
} from "./registering.ts";

const prefixes = [
  "acme",
  "roles/web/acme",
  "issuer/default/acme",
  "issuer/default/roles/web/acme",
] as const;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe("newEab: POST new-eab", () => {
  it("B 5.1 new-eab, B 5.8 new-eab, B 5.8 acme_directory: returns a binding in each of the four kinds of directories, with a new id and key each time", async () => {
    const a = authority();
    const keys = new Set<unknown>();
    for (const prefix of prefixes) {
      const answer = await a.call("POST", `pki/${prefix}/new-eab`, {});
      expect(answer.status).toBe(200);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(answer.data).toEqual({
        id: expect.stringMatching(uuid),
        key_type: "hs",
        key: expect.stringMatching(/^[\w-]{43}$/),
        acme_directory: `${prefix}/directory`,
        created_on: "2030-01-02T03:04:05Z",
      });
      keys.add(answer.data["key"]).add(answer.data["id"]);
    }
    expect(keys.size).toBe(8);
    expect((await a.call("PUT", "pki/acme/new-eab", {}, { compat: true })).status).toBe(200);
  });

  it("B 5.8 key, security row 59: the key is 32 bytes in base64url without a leading hyphen, and is in no row, log or listing", async () => {
    const stores = distantStore();
    const a = authority({ stores });
    const made: string[] = [];
    for (let n = 0; n < 300; n++) made.push((await newEab(a)).key);
    for (const key of made) {
      expect(key.startsWith("-")).toBe(false);
      expect(Buffer.from(key, "base64url")).toHaveLength(32);
    }
    const { uuid: mount } = (await a.call("GET", "sys/mounts/pki")).data;
    const rows = JSON.stringify(await stores(String(mount)).list("eab/"));
    const logs = JSON.stringify(a.events);
    expect(made.some((key) => rows.includes(key) || logs.includes(key))).toBe(false);
    const told = (await a.call("LIST", "pki/eab")).text;
    expect(made.some((key) => told.includes(key))).toBe(false);
    const { headers } = await a.call("POST", "pki/acme/new-eab");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("B 5.8 not gated: works while ACME is disabled, without a cluster path, and for unknown roles and issuers", async () => {
    const a = authority();
    for (const prefix of ["roles/none/acme", "issuer/none/acme", "issuer/n/roles/o/acme"]) {
      expect((await a.call("POST", `pki/${prefix}/new-eab`)).data["acme_directory"]).toBe(
        `${prefix}/directory`,
      );
      expect((await a.call("GET", `pki/${prefix}/directory`)).status).toBe(404);
    }
  });

  it("B 5.1 new-eab: requires a token with update on the path; listing and deleting bindings require a token too", async () => {
    const a = authority();
    for (const prefix of prefixes) {
      expect((await a.call("POST", `pki/${prefix}/new-eab`, {}, { token: "" })).status).toBe(403);
      const reader = await a.call("POST", `pki/${prefix}/new-eab`, {}, { token: "reader" });
      expect(reader.status).toBe(403);
    }
    for (const [method, path] of [
      ["LIST", "pki/eab"],
      ["DELETE", "pki/eab/00000000-0000-4000-8000-000000000000"],
    ] as const)
      expect((await a.call(method, path, undefined, { token: "" })).status).toBe(403);
    expect((await a.call("LIST", "pki/eab")).status).toBe(404);
  });
});

describe("unused bindings", () => {
  it("B 5.8 LIST eab: lists bindings by id in pages, and returns 404 if there are none", async () => {
    const a = authority();
    expect((await a.call("LIST", "pki/eab")).status).toBe(404);
    const made = [await newEab(a), await newEab(a, "roles/web/acme")];
    const ids = made.map(({ id }) => id).toSorted();
    const { data } = await a.call("LIST", "pki/eab");
    expect(data["keys"]).toEqual(ids);
    expect(data["key_info"]).toEqual({
      [made[0]?.id ?? ""]: {
        key_type: "hs",
        acme_directory: "acme/directory",
        created_on: "2030-01-02T03:04:05Z",
      },
      [made[1]?.id ?? ""]: {
        key_type: "hs",
        acme_directory: "roles/web/acme/directory",
        created_on: "2030-01-02T03:04:05Z",
      },
    });
    const page = await a.call("GET", `pki/eab?list=true&after=${ids[0] ?? ""}`);
    expect(page.data["keys"]).toEqual([ids[1]]);
    expect(await a.pki.listEab({ limit: 1 })).toMatchObject({ keys: [ids[0]] });
  });

  it("B 5.8 DELETE eab/:key_id: deletes a binding, warns about an unknown id, and returns 404 for a malformed one", async () => {
    const { a, acme, key } = await registering();
    const eab = await newEab(a);
    const deleted = await a.call("DELETE", `pki/eab/${eab.id}`, undefined, { compat: true });
    expect([deleted.status, deleted.json["warnings"]]).toEqual([200, null]);
    const again = await a.call("DELETE", `pki/eab/${eab.id}`, undefined, { compat: true });
    expect([again.status, again.json["warnings"]]).toEqual([
      200,
      [`No key id found with id: ${eab.id}`],
    ]);
    expect((await a.pki.deleteEab({ key_id: eab.id }))?.warnings).toHaveLength(1);
    for (const other of ["x", eab.id.toUpperCase(), `${eab.id}0`])
      expect((await a.call("DELETE", `pki/eab/${other}`)).status).toBe(404);
    expect((await a.call("LIST", "pki/eab")).status).toBe(404);
    const externalAccountBinding = await binding(eab, key.jwk, { url: acme.url("/new-account") });
    const refused = await acme.post("/new-account", key, { externalAccountBinding });
    expect([refused.status, refused.problem]).toEqual([401, "unauthorized"]);
  });
});

/** A registration whose binding deviates from a valid one. */
interface Bent {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly payload?: (key: ClientKey) => unknown;
  readonly hash?: string;
  readonly change?: (jws: Readonly<Record<string, unknown>>) => unknown;
}
const proper: Bent = {};
async function bent(
  acme: ReturnType<typeof directory>,
  key: ClientKey,
  eab: Eab,
  { header, payload = (own) => own.jwk, hash, change = (jws) => jws }: Bent,
) {
  const signed = await binding(
    eab,
    payload(key),
    { url: acme.url("/new-account"), ...header },
    hash,
  );
  return acme.post("/new-account", key, { externalAccountBinding: change(signed) });
}

describe("externalAccountBinding (B 5.8 binding alg, B 5.8 binding kid, B 5.8 binding url, B 5.8 binding nonce, B 5.8 binding payload)", () => {
  it.each([
    ["HS256", "SHA-256"],
    ["HS384", "SHA-384"],
    ["HS512", "SHA-512"],
  ])("B 5.8 binding alg, security row 24: is accepted with %s", async (alg, hash) => {
    const { a, acme, key } = await registering({ eab_policy: "always-required" });
    const made = await bent(acme, key, await newEab(a), { header: { alg }, hash });
    expect([made.status, made.json["status"]]).toEqual([201, "valid"]);
    expect(made.json["externalAccountBinding"]).toMatchObject({ protected: expect.any(String) });
  });

  it("badSignatureAlgorithm lists the algorithms of bindings, not those of requests (RFC 8555 section 6.2)", async () => {
    const { a, acme, key } = await registering({ eab_policy: "always-required" });
    const refused = await bent(acme, key, await newEab(a), { header: { alg: "ES256" } });
    expect(refused.json["algorithms"]).toEqual(["HS256", "HS384", "HS512"]);
  });

  it.each<readonly [string, Bent, number, string]>([
    ["binding alg: none", { header: { alg: "none" } }, 400, "badSignatureAlgorithm"],
    ["binding alg: ES256", { header: { alg: "ES256" } }, 400, "badSignatureAlgorithm"],
    ["binding alg: HS1", { header: { alg: "HS1" } }, 400, "badSignatureAlgorithm"],
    ["binding alg: another hash than alg says", { hash: "SHA-512" }, 401, "unauthorized"],
    ["binding kid: none", { header: { kid: undefined } }, 400, "malformed"],
    ["binding kid: no text", { header: { kid: 7 } }, 400, "malformed"],
    ["binding kid: no id", { header: { kid: "../config/serial" } }, 401, "unauthorized"],
    [
      "binding kid: another id",
      { header: { kid: "00000000-0000-4000-8000-000000000000" } },
      401,
      "unauthorized",
    ],
    ["binding kid: jwk besides", { header: { jwk: {} } }, 400, "malformed"],
    [
      "binding url: another directory's",
      { header: { url: "http://ca.test/v1/pki/roles/web/acme/new-account" } },
      401,
      "unauthorized",
    ],
    ["binding url: none", { header: { url: undefined } }, 401, "unauthorized"],
    ["binding nonce: one", { header: { nonce: "abc" } }, 400, "malformed"],
    ["crit", { header: { crit: ["exp"] } }, 400, "malformed"],
    ["b64", { header: { b64: false } }, 400, "malformed"],
    [
      "binding payload: another key",
      { payload: () => ({ kty: "EC", crv: "P-256", x: "AA", y: "AA" }) },
      400,
      "badPublicKey",
    ],
    ["binding payload: no key", { payload: () => ({}) }, 400, "badPublicKey"],
    ["binding payload: no object", { payload: () => [1] }, 400, "malformed"],
    [
      "a wrong MAC",
      {
        change: (jws) => ({ ...jws, signature: "A".repeat(43) }),
      },
      401,
      "unauthorized",
    ],
    ["an empty MAC", { change: (jws) => ({ ...jws, signature: "" }) }, 401, "unauthorized"],
    ["an unprotected header", { change: (jws) => ({ ...jws, header: {} }) }, 400, "malformed"],
    ["several signatures", { change: (jws) => ({ ...jws, signatures: [] }) }, 400, "malformed"],
    ["no payload", { change: (jws) => ({ ...jws, payload: undefined }) }, 400, "malformed"],
    ["a number", { change: () => 7 }, 400, "malformed"],
    ["a list", { change: () => [] }, 400, "malformed"],
    ["a text", { change: () => "e30" }, 400, "malformed"],
    [
      "what is too long",
      { change: (jws) => ({ ...jws, protected: "A".repeat(9000) }) },
      400,
      "malformed",
    ],
  ])(
    "security row 24: is rejected with %s and creates no account",
    async (_, how, status, type) => {
      const { a, acme, key } = await registering();
      const eab = await newEab(a);
      const refused = await bent(acme, key, eab, how);
      expect([refused.status, refused.problem]).toEqual([status, type]);
      expect(refused.headers.get("replay-nonce")).toMatch(/./);
      expect((await a.call("LIST", "pki/acme/mgmt/account/keyid")).status).toBe(404);
      // the binding is still unused
      expect((await bent(acme, key, eab, proper)).status).toBe(201);
    },
  );

  it("B 5.8 binding payload, security row 24: the payload must be the account key, with its members in any order", async () => {
    const { a, acme, key } = await registering();
    const eab = await newEab(a);
    const other = await clientKey();
    const refused = await bent(acme, key, eab, { payload: () => other.jwk });
    expect([refused.status, refused.problem]).toEqual([400, "malformed"]);
    const { kty, crv, x, y } = key.jwk;
    expect((await bent(acme, key, eab, { payload: () => ({ y, x, crv, kty }) })).status).toBe(201);
  });

  it("B 5.8 wrong MAC, security row 24: an unknown id, a used binding, a wrong MAC and another directory return the same error", async () => {
    const { a, acme } = await registering();
    const [used, other, unused] = [
      await newEab(a),
      await newEab(a, "roles/web/acme"),
      await newEab(a),
    ];
    expect((await bent(acme, await clientKey(), used, proper)).status).toBe(201);
    const tries = [
      used,
      other,
      { ...unused, key: other.key },
      { ...unused, id: "00000000-0000-4000-8000-000000000000" },
    ];
    for (const eab of tries) {
      const { status, json } = await bent(acme, await clientKey(), eab, proper);
      expect([status, json]).toEqual([
        401,
        { type: "urn:ietf:params:acme:error:unauthorized", detail: "failed to verify eab" },
      ]);
    }
    const theirs = directory(a, "roles/web/acme");
    expect((await bent(theirs, await clientKey(), other, proper)).status).toBe(201);
  });

  it("B 5.8 consumed, security row 24: only one of several concurrent registrations with one binding creates an account, across engines", async () => {
    for (let round = 0; round < 10; round++) {
      const stores = distantStore();
      const { a } = await registering({ stores, eab_policy: "new-account-required" });
      const b = authority({ stores, seed: 100 + round });
      const eab = await newEab(a);
      const answers = await Promise.all(
        [a, b, a, b].map(async (one) => bent(directory(one), await clientKey(), eab, proper)),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 401, 401, 401]);
      expect((await a.call("LIST", "pki/acme/mgmt/account/keyid")).data["keys"]).toHaveLength(1);
      expect((await a.call("LIST", "pki/eab")).status).toBe(404);
    }
  });
});

it("B 5.8 consumed: a registration sent twice concurrently creates one account and returns it both times", async () => {
  const { a, acme } = await registering({ stores: distantStore(), eab_policy: "always-required" });
  for (let round = 0; round < 20; round++) {
    const [key, eab] = [await clientKey(), await newEab(a)];
    const late = async (turns: number) => {
      for (let n = 0; n < turns; n++) await turn();
      return bent(acme, key, eab, proper);
    };
    const answers = await Promise.all([late(0), late(round)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 201]);
    expect(new Set(answers.map(({ headers }) => headers.get("location"))).size).toBe(1);
  }
});

describe("eab_policy", () => {
  const policy = async (a: ReturnType<typeof authority>, eab_policy: string) =>
    expect((await a.call("POST", "pki/config/acme", { eab_policy })).status).toBe(200);

  it("B 5.8 not-required: the binding is optional, and verified if sent", async () => {
    const { a, acme, key } = await registering();
    const eab = await newEab(a);
    expect((await bent(acme, key, { ...eab, key: "A".repeat(43) }, proper)).problem).toBe(
      "unauthorized",
    );
    expect((await acme.post("/new-account", key, {})).status).toBe(201);
    expect((await bent(acme, await clientKey(), eab, proper)).status).toBe(201);
  });

  it("B 5.8 new-account-required, security row 25: new accounts need a binding; existing accounts continue to work without one", async () => {
    const { a, acme, key } = await registering();
    const old = await acme.post("/new-account", key, {});
    const kid = old.headers.get("location") ?? "";
    await policy(a, "new-account-required");
    const refused = await acme.post("/new-account", await clientKey(), {});
    expect([refused.status, refused.problem]).toEqual([401, "externalAccountRequired"]);
    expect((await acme.post("/new-account", key, {})).status).toBe(200);
    const path = kid.slice(acme.url("").length);
    expect((await acme.post(path, key, undefined, { kid })).status).toBe(200);
    expect((await bent(acme, await clientKey(), await newEab(a), proper)).status).toBe(201);
  });

  it("B 5.8 always-required, B 5.7 key already registered, security row 25: every request needs an account that was created with a binding", async () => {
    const { a, acme, key } = await registering();
    const kid = (await acme.post("/new-account", key, {})).headers.get("location") ?? "";
    const bound = await clientKey();
    const its = (await bent(acme, bound, await newEab(a), proper)).headers.get("location") ?? "";
    await policy(a, "always-required");
    const below = (url: string) => url.slice(acme.url("").length);
    for (const payload of [{}, { onlyReturnExisting: true }]) {
      const refused = await acme.post("/new-account", key, payload);
      expect([refused.status, refused.problem]).toEqual([401, "externalAccountRequired"]);
      expect((await acme.post("/new-account", bound, payload)).status).toBe(200);
    }
    for (const [path, payload] of [
      [below(kid), undefined],
      [below(kid), { status: "deactivated" }],
      ["/orders", undefined],
      [`${below(kid)}/orders`, undefined],
      ["/key-change", {}],
    ] as const) {
      const refused = await acme.post(path, key, payload, { kid });
      expect([refused.status, refused.problem]).toEqual([401, "externalAccountRequired"]);
    }
    expect((await acme.post(below(its), bound, undefined, { kid: its })).status).toBe(200);
    // a binding sent later does not help: the account was created without one
    const late = await bent(acme, key, await newEab(a), proper);
    expect([late.status, late.problem]).toEqual([401, "externalAccountRequired"]);
    await policy(a, "not-required");
    expect((await acme.post(below(kid), key, undefined, { kid })).status).toBe(200);
  });
});
