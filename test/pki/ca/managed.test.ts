import type { KeyObject } from "node:crypto";
import { afterAll, describe, expect, it, vi } from "vitest";
import { ecdsaToRaw } from "../../../src/algorithms/nist-curves.ts";
import { concat } from "../../../src/base/bytes.ts";
import { verifySignature } from "../../../src/x509/public-key.ts";
import { parseCertificate } from "../../../src/x509/certificate.ts";
import { decodePem } from "../../../src/base/pem.ts";
import { pki } from "../../../src/endpoints/all.ts";
import { memoryStore } from "../../../src/index.ts";
import {
  awsKey,
  json,
  keeperKey,
  keeping,
  kmsOf,
  serviceKey,
  serviceOf,
  signDigest,
  spkiOf,
  type Answering,
  type Kept,
} from "../../support/keepers.ts";
import { statusOf } from "../ocsp/asking.ts";
import { authority, clockAt, refusal, type Authority } from "../../support/authority.ts";

const kept: Kept[] = [];
afterAll(() => kept.forEach(({ close }) => close()));
async function opened(...given: Parameters<typeof keeping>): Promise<Kept> {
  const one = await keeping(...given);
  kept.push(one);
  return one;
}
/** Creates an authority with the managed key `one` of a signing service. */
async function served(key: KeyObject, settings: object = {}, encoding?: "raw"): Promise<Kept> {
  const one = await opened(serviceOf(key, encoding));
  await one.a.call("POST", "sys/managed-keys/https/one", { ...serviceKey, ...settings });
  return one;
}
const named = { managed_key_name: "one" };
const root = (a: Authority, more: object = {}) =>
  a.call("POST", "pki/root/generate/kms", { ...named, common_name: "R", ttl: "8760h", ...more });
const leaf = { common_name: "a.example", ttl: "1h" };
const rowsOf = async (a: Authority, below: string) => {
  const { uuid } = (await a.call("GET", "sys/mounts/pki")).data as { readonly uuid: string };
  return (await a.stores(uuid).list(below)).map(([key]) => key);
};
/** Returns the rows of a mount except counters, to check that an error has stored nothing. */
const state = async (a: Authority) =>
  (await rowsOf(a, "")).filter((key) => !/^(epoch|audit|log)/.test(key));

/** Reports whether a key signed a certificate of the mount. */
async function isSigned(pem: unknown, key: KeyObject): Promise<boolean> {
  const [block] = decodePem(String(pem));
  const { tbs, algorithm, signature } = parseCertificate(block?.der ?? new Uint8Array());
  return verifySignature(spkiOf(key), algorithm, tbs, signature);
}

describe("a CA key in an external key service (B 8)", () => {
  it.each(["rsa", "P-256", "P-384", "P-521", "ed25519"])(
    "of kind %s signs roots, certificates and CRLs, with both types of service",
    async (kind) => {
      const key = keeperKey(kind);
      const kms = await opened(kmsOf(new Map([["alias/ca", key]]), () => kms.a.clock.now));
      await kms.a.call("POST", "sys/managed-keys/awskms/one", awsKey);
      for (const { a } of [await served(key), kms]) {
        const made = await root(a);
        expect(made.status).toBe(200);
        expect(made.data).not.toHaveProperty("private_key");
        expect(await isSigned(made.data["certificate"], key)).toBe(true);
        await a.role("web");
        const issued = await a.pki.issue({ role: "web", ...leaf });
        expect(await isSigned(issued.certificate, key)).toBe(true);
        await a.pki.revoke({ serial_number: issued.serial_number });
        const list = await a.call("GET", "pki/crl/pem");
        expect(list.text).toContain("BEGIN X509 CRL");
        expect((await a.call("GET", "pki/certs/revoked?list=true")).data["keys"]).toHaveLength(1);
      }
    },
  );

  it("serves generateRootFromManagedKey, rotateRootFromManagedKey, generateIntermediateFromManagedKey and generateManagedCaKey by name or ID", async () => {
    const key = keeperKey("P-256");
    const { a } = await served(key);
    const { data: shown } = await a.call("GET", "sys/managed-keys/https/one");
    const id = { managed_key_id: shown["UUID"] };
    const { data: first } = await a.call("POST", "pki/keys/generate/kms", {
      ...id,
      key_name: "far",
    });
    expect(first).toMatchObject({ key_name: "far", key_type: "ec" });
    const { data: made } = await a.call("POST", "pki/issuers/generate/root/kms", {
      ...id,
      common_name: "R",
    });
    // the same public key is the same key of the mount
    expect(made["key_id"]).toBe(first["key_id"]);
    const { data: rotated } = await a.call("POST", "pki/root/rotate/kms", {
      ...named,
      common_name: "R2",
    });
    expect(rotated["issuer_name"]).toBe("next");
    for (const path of ["intermediate/generate/kms", "issuers/generate/intermediate/kms"]) {
      const { data } = await a.call("POST", `pki/${path}`, { ...id, common_name: "I" });
      expect(data["csr"]).toContain("BEGIN CERTIFICATE REQUEST");
      expect(data["key_id"]).toBe(first["key_id"]);
      expect(data).not.toHaveProperty("private_key");
    }
    expect((await a.call("GET", "pki/key/far")).data).toMatchObject({
      key_type: "ec",
      managed_key_id: shown["UUID"],
      managed_key_name: "one",
    });
    expect((await a.call("GET", "pki/keys?list=true")).data["keys"]).toEqual([first["key_id"]]);
    expect((await a.call("POST", "pki/key/far", { key_name: "away" })).data["key_name"]).toBe(
      "away",
    );
    const again = await a.call("POST", "pki/keys/generate/kms", { ...named, key_name: "new" });
    expect(again.json["warnings"]).toContain("Key already imported");
    expect(again.data["key_name"]).toBe("away");
    expect((await a.call("DELETE", "pki/key/away")).status).toBe(400);
    const { data: bound } = await a.call("GET", "sys/managed-keys/https/one");
    expect(bound["public_key"]).toContain(spkiOf(key).toString("base64").slice(0, 60));
  });

  it.each([
    [{ managed_key_name: "one", managed_key_id: "x" }, "set exactly one of"],
    [{}, "set exactly one of"],
    [{ managed_key_name: "two" }, "no managed key two is configured on this server"],
    [{ managed_key_id: "two" }, "no managed key two is configured on this server"],
    [{ ...named, key_type: "ec" }, "key_type nor key_bits arguments can be set in this mode"],
    [{ ...named, key_bits: 256 }, "key_type nor key_bits arguments can be set in this mode"],
  ])("is rejected for %j in every form, without a call to the service", async (body, text) => {
    const { a, requests } = await served(keeperKey("P-256"));
    for (const path of [
      "root/generate/kms",
      "issuers/generate/root/kms",
      "root/rotate/kms",
      "intermediate/generate/kms",
      "issuers/generate/intermediate/kms",
      "keys/generate/kms",
    ]) {
      const sent = { common_name: "R", ...body };
      const answer = await a.call("POST", `pki/${path}`, sent, { compat: true });
      expect([path, answer.status, answer.errors.join("")]).toEqual([
        path,
        400,
        expect.stringContaining(text),
      ]);
    }
    expect(requests).toEqual([]);
    expect(await rowsOf(a, "key/")).toEqual([]);
  });

  it("can be used by mounts that list it, or by any mount if allowed", async () => {
    const { a } = await served(keeperKey("P-256"), { any_mount: false });
    const refused = await root(a);
    expect([refused.status, refused.errors.join("")]).toEqual([
      400,
      expect.stringContaining("the mount pki/ is not permitted to use the managed key one"),
    ]);
    await a.call("POST", "sys/mounts/pki/tune", { allowed_managed_keys: "other,one" });
    expect((await a.call("GET", "sys/mounts/pki/tune")).data["allowed_managed_keys"]).toEqual([
      "other",
      "one",
    ]);
    expect((await root(a)).status).toBe(200);
    await a.role("web");
    await a.call("POST", "sys/mounts/pki/tune", { allowed_managed_keys: [] });
    expect(await refusal(a.pki.issue({ role: "web", ...leaf }))).toEqual([
      400,
      expect.stringContaining("not permitted"),
    ]);
    await a.call("POST", "sys/managed-keys/https/one", { any_mount: true, usages: "verify" });
    expect((await refusal(a.pki.issue({ role: "web", ...leaf })))[1]).toContain(
      "do not include sign",
    );
    await a.call("POST", "sys/managed-keys/https/one", { usages: "" });
    expect(await a.pki.issue({ role: "web", ...leaf })).toHaveProperty("certificate");
  });

  it("is rejected on each path only with declared errors", async () => {
    const { a } = await served(keeperKey("P-256"));
    await root(a, { issuer_name: "root", key_name: "taken" });
    const shared = [
      { format: "x" },
      { max_path_length: "x" },
      { alt_names: "a_b.test" },
      { not_before_duration: "2000000h" },
      { ttl: "1h", not_after: "2031-01-01T00:00:00Z" },
      { key_name: "taken" },
      { signature_bits: 1 },
    ];
    const forms = {
      generateRootFromManagedKey: ["root/generate/kms", [...shared, { issuer_name: "root" }]],
      rotateRootFromManagedKey: ["root/rotate/kms", [...shared, { issuer_name: "root" }]],
      generateIntermediateFromManagedKey: [
        "intermediate/generate/kms",
        [...shared, { common_name: [] }],
      ],
      generateManagedCaKey: ["keys/generate/kms", [{ key_name: "taken" }, { key_name: "a b" }]],
    } as const;
    const general = ["malformed", "invalid_field"];
    for (const [id, [path, bodies]] of Object.entries(forms)) {
      a.events.length = 0;
      for (const body of bodies)
        await a.call("POST", `pki/${path}`, { ...named, ...body }, { compat: true });
      const refused = new Set(a.events.flatMap(({ refusal }) => refusal ?? []));
      const declared = pki.find((one) => one.id === id)?.refuses ?? [];
      expect([id, [...new Set([...refused, ...general])].sort()]).toEqual([
        id,
        [...new Set([...declared, ...general])].sort(),
      ]);
    }
  });

  it("is rejected if the mount itself has the private key", async () => {
    const key = keeperKey("P-256");
    const { a } = await served(key);
    await a.call("POST", "pki/keys/import", {
      pem_bundle: key.export({ type: "pkcs8", format: "pem" }),
    });
    const answer = await root(a);
    expect([answer.status, answer.errors.join("")]).toEqual([
      400,
      "the mount already has the private key of this managed key",
    ]);
  });
});

describe("a signature of a key service (security row 80)", () => {
  it("may have r and s that are short or have the high bit set: both become canonical DER", async () => {
    const key = keeperKey("P-256");
    const one = await served(key, {}, "raw");
    const { a } = one;
    await root(a);
    await a.role("web");
    for (const wanted of [
      (raw: Buffer) => raw[0] === 0,
      (raw: Buffer) => raw[32] === 0,
      (raw: Buffer) => (raw[0] ?? 0) >= 0x80 && (raw[32] ?? 0) >= 0x80,
    ]) {
      one.answer = (_, body, response) => {
        const digest = Buffer.from(JSON.parse(body).digest, "base64");
        let raw = signDigest(key, "sha256", digest, "raw");
        while (!wanted(raw)) raw = signDigest(key, "sha256", digest, "raw");
        json(response, 200, { signature: raw.toString("base64"), encoding: "raw" });
      };
      const { certificate } = await a.pki.issue({ role: "web", ...leaf });
      expect(await isSigned(certificate, key)).toBe(true);
    }
    expect(one.requests.length).toBeGreaterThan(3);
  });

  const other = keeperKey("P-256");
  const bad: readonly (readonly [
    string,
    (key: KeyObject, digest: Buffer, der: Buffer) => object,
  ])[] = [
    ["by another key", (_, digest) => ({ signature: signDigest(other, "sha256", digest, "der") })],
    [
      "over other data",
      (key) => ({ signature: signDigest(key, "sha256", Buffer.alloc(32), "der") }),
    ],
    ["garbage", () => ({ signature: Buffer.alloc(70, 7) })],
    ["nothing", () => ({ signature: Buffer.alloc(0) })],
    ["longer than it is", (_, __, der) => ({ signature: concat([der, Buffer.of(0)]) })],
    [
      "with a zero in front of r",
      (_, __, der) => {
        const raw = ecdsaToRaw(der, 32);
        const part = (bytes: Uint8Array) => Buffer.from([2, bytes.length + 2, 0, 0, ...bytes]);
        const body = Buffer.concat([part(raw.subarray(0, 32)), part(raw.subarray(32))]);
        return { signature: Buffer.concat([Buffer.of(0x30, body.length), body]) };
      },
    ],
    ["raw without saying so", (_, __, der) => ({ signature: ecdsaToRaw(der, 32) })],
    ["raw of an odd length", () => ({ signature: Buffer.alloc(63, 1), encoding: "raw" })],
    ["of zeros", () => ({ signature: Buffer.alloc(64), encoding: "raw" })],
    ["as no text", () => ({ signature: 7 })],
  ];
  it.each(bad)("%s is rejected with 500, and nothing is stored", async (_, make) => {
    const key = keeperKey("P-256");
    const { a, one } = await rooted(key);
    const before = await state(a);
    one.answer = (__, body, response) => {
      const digest = Buffer.from(JSON.parse(body).digest, "base64");
      const made = make(key, digest, signDigest(key, "sha256", digest, "der"));
      json(response, 200, JSON.parse(JSON.stringify(made, base64)));
    };
    await failing(a, before);
  });
  it("is rejected under another scheme", async () => {
    const key = keeperKey("rsa");
    const { a, one } = await rooted(key);
    const before = await state(a);
    one.answer = (_, body, response) => {
      const digest = Buffer.from(JSON.parse(body).digest, "base64");
      const signature = signDigest(key, "sha256", digest, "pss").toString("base64");
      json(response, 200, { signature });
    };
    await failing(a, before);
  });

  const failures: readonly (readonly [string, Answering, string])[] = [
    ["fails", (_, __, response) => json(response, 500, {}), "status 500"],
    ["redirects", (_, __, response) => json(response, 302, {}), "status 302"],
    [
      "breaks off",
      (_, __, response) => void response.destroy(),
      "could not be reached, or did not respond",
    ],
    [
      "sends too much",
      (_, __, response) => json(response, 200, { signature: "A".repeat(100_000) }),
      "could not be reached, or did not respond",
    ],
    ["is no service", (_, __, response) => void response.end("<html>"), "not a JSON object"],
  ];
  it.each(failures)("is not stored if the key service %s", async (_, answer, text) => {
    const { a, one } = await rooted(keeperKey("P-256"));
    const before = await state(a);
    one.answer = answer;
    expect(await failing(a, before)).toContain(text);
    const made = await root(a);
    expect([made.status, await state(a)]).toEqual([500, before]);
  });

  it("times out with an error, after which only test/sign contacts the service for ten seconds", async () => {
    const { a, one } = await rooted(keeperKey("P-256"));
    const right = one.answer;
    one.answer = () => undefined;
    const real = AbortSignal.timeout.bind(AbortSignal);
    const soon = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => real(30));
    try {
      await refusal(a.pki.issue({ role: "web", ...leaf }));
    } finally {
      soon.mockRestore();
    }
    one.answer = right;
    const { length } = one.requests;
    expect(await refusal(a.pki.issue({ role: "web", ...leaf }))).toEqual([
      500,
      expect.stringContaining("did not respond in time"),
    ]);
    expect(one.requests.length).toBe(length);
    a.clock.advance(11);
    await a.pki.issue({ role: "web", ...leaf });
    one.answer = () => undefined;
    const again = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => real(30));
    try {
      await refusal(a.pki.issue({ role: "web", ...leaf }));
    } finally {
      again.mockRestore();
    }
    one.answer = right;
    const tested = await a.call("POST", "sys/managed-keys/https/one/test/sign", {});
    expect(tested.status).toBeLessThan(300);
    await a.pki.issue({ role: "web", ...leaf });
  });

  it("is awaited for ten seconds, and nothing is stored if it does not arrive", async () => {
    const { a, one } = await rooted(keeperKey("P-256"));
    const before = await state(a);
    one.answer = () => undefined;
    const real = AbortSignal.timeout.bind(AbortSignal);
    const limits: number[] = [];
    const soon = vi.spyOn(AbortSignal, "timeout").mockImplementation((limit) => {
      limits.push(limit);
      return real(30);
    });
    try {
      expect(await failing(a, before)).toContain("did not respond in time");
    } finally {
      soon.mockRestore();
    }
    expect(limits).toEqual([10_000]);
  });

  it("causes a warning in sys/health from its failure until the next success", async () => {
    const key = keeperKey("P-256");
    const { a, one } = await rooted(key);
    const right = one.answer;
    one.answer = (_, __, response) => json(response, 500, {});
    const warned = async () => (await a.call("GET", "sys/health")).json["warnings"];
    await refusal(a.pki.issue({ role: "web", ...leaf }));
    a.clock.advance(2);
    expect(await warned()).toContainEqual(expect.stringContaining("of type https has failed"));
    one.answer = right;
    await a.pki.issue({ role: "web", ...leaf });
    a.clock.advance(2);
    expect(await warned()).toBeUndefined();
  });

  it("is audited in the store of its mount, with the call that needed it, only if it succeeds", async () => {
    const one = await served(keeperKey("P-256"));
    const { a, answer } = one;
    const events = async () => {
      const { data } = await a.call("GET", "sys/audit/events?list=true&mount=pki");
      return Object.values((data["key_info"] ?? {}) as Record<string, Record<string, unknown>>);
    };
    one.answer = (_, __, response) => json(response, 500, {});
    expect((await root(a)).status).toBe(500);
    expect(await events()).toEqual([]);
    one.answer = answer;
    a.clock.advance(2);
    expect((await root(a)).status).toBe(200);
    expect(await events()).toEqual([
      expect.objectContaining({
        endpoint: "generateRootFromManagedKey",
        kind: "change",
        store: (await a.sys.listMounts())["pki/"]?.uuid,
      }),
    ]);
  });

  it("reveals the address of an unreachable service in test/sign only", async () => {
    const { a } = await rooted(keeperKey("P-256"));
    await a.call("POST", "sys/managed-keys/https/one", { allow_private_network: false });
    a.clock.advance(2);
    const issued = await a.call("POST", "pki/issue/web", leaf);
    expect([issued.status, issued.errors.join("")]).toEqual([
      500,
      "the managed key one has failed: its key management service could not be reached, or did not respond in time",
    ]);
    const test = await a.call("POST", "sys/managed-keys/https/one/test/sign");
    expect(test.errors.join("")).toContain("10.1.2.3 is a private address and is not contacted");
  });

  it("is rejected if the service now has another key", async () => {
    const { a, one } = await rooted(keeperKey("P-256"));
    one.answer = serviceOf(other);
    expect((await refusal(a.pki.issue({ role: "web", ...leaf })))[1]).toContain(
      "does not verify with its public key",
    );
    const test = await a.call("POST", "sys/managed-keys/https/one/test/sign");
    expect(test.errors.join("")).toContain("its public key has changed since it was first used");
  });
});

const base64 = (_: string, value: unknown): unknown => {
  const { type, data } = (value ?? {}) as { readonly type?: string; readonly data?: number[] };
  if (type === "Buffer" && data) return Buffer.from(data).toString("base64");
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
};
async function rooted(key: KeyObject) {
  const one = await served(key);
  await root(one.a);
  await one.a.role("web");
  return { a: one.a, one };
}
/** Returns the error of an issue that must leave the rows unchanged. */
async function failing(a: Authority, before: readonly string[]): Promise<string> {
  const [status, text] = await refusal(a.pki.issue({ role: "web", ...leaf }));
  expect(status).toBe(500);
  expect(text).toContain("the managed key one has failed: ");
  expect(await state(a)).toEqual(before);
  return text;
}

describe("a mount with a managed key", () => {
  it("signs CRLs in jobs, intermediates, self-issued certificates and re-signed CRLs", async () => {
    const key = keeperKey("P-256");
    const { a } = await rooted(key);
    const { csr } = await a.pki.generateIntermediate({ common_name: "I", key_type: "ec" });
    const made = await a.pki.signIntermediate({ csr, common_name: "I", ttl: "100h" });
    expect(await isSigned(made.certificate, key)).toBe(true);
    const own = await authority({ seed: 5, clock: clockAt(a.clock.now) }).root();
    const self = await a.call("POST", "pki/root/sign-self-issued", {
      certificate: own.certificate,
      require_matching_certificate_algorithms: false,
    });
    expect(await isSigned(self.data["certificate"], key)).toBe(true);
    const resigned = await a.call("POST", "pki/issuer/default/resign-crls", {
      crls: [(await a.call("GET", "pki/crl/pem")).text],
      crl_number: 9,
    });
    expect(resigned.data["crl"]).toContain("BEGIN X509 CRL");
    await a.call("POST", "pki/config/crl", { expiry: "20h" });
    await a.call("GET", "pki/crl/rotate");
    // a job re-signs CRLs before they expire
    const { data: before } = await a.call("GET", "pki/cert/crl");
    a.clock.advance(19 * 3600);
    await a.ca.tick();
    const { data: after } = await a.call("GET", "pki/cert/crl");
    expect(after["certificate"]).not.toBe(before["certificate"]);
  });

  it("answers OCSP requests itself, or with a delegated responder", async () => {
    const { a, one } = await rooted(keeperKey("P-256"));
    const { serial_number: serial, issuing_ca: issuer } = await a.pki.issue({
      role: "web",
      ...leaf,
    });
    expect(await statusOf(a, { issuer, serial })).toBe("good");
    const { data } = await a.call("POST", "pki/issuer/default/ocsp-responder", {});
    const asked = one.requests.length;
    a.clock.advance(10);
    expect(await statusOf(a, { issuer, serial }, String(data["certificate"]))).toBe("good");
    // its own key is local: the service is not called
    expect(one.requests.length).toBe(asked);
  });

  it("is backed up without the key: a restored mount reports the missing key, and works once it is configured", async () => {
    const key = keeperKey("P-256");
    const { a } = await rooted(key);
    const parts: Uint8Array[] = [];
    for await (const part of a.ca.backup("pki")) parts.push(part);
    const elsewhere = await opened(serviceOf(key), {
      authority: { stores: memoryStore(), seed: 9 },
    });
    const { a: b } = elsewhere;
    await b.call("DELETE", "sys/mounts/pki");
    await b.ca.restore("pki", parts);
    const refused = await b.call("POST", "pki/issue/web", leaf);
    expect([refused.status, refused.errors.join("")]).toEqual([
      400,
      "the managed key one of type https is not configured on this server; write it to sys/managed-keys/https/one",
    ]);
    await b.call("POST", "sys/managed-keys/https/one", serviceKey);
    expect(await b.pki.issue({ role: "web", ...leaf })).toHaveProperty("certificate");
    expect((await b.call("POST", "sys/rotate")).data).not.toHaveProperty("unopened");
    const removal = await b.call("DELETE", "sys/managed-keys/https/one");
    expect(removal.errors.join("")).toContain("a key of the mount pki/ refers to it");
  });

  it("keeps working after a remount, and releases the managed key when it is deleted", async () => {
    const { a } = await rooted(keeperKey("P-256"));
    await a.call("POST", "sys/remount", { from: "pki", to: "moved" });
    await a.ca.tick();
    expect((await a.call("POST", "moved/issue/web", leaf)).status).toBe(200);
    expect((await a.call("DELETE", "sys/managed-keys/https/one")).errors.join("")).toContain(
      "a key of the mount moved/ refers to it",
    );
    await a.call("DELETE", "sys/mounts/moved");
    expect((await a.call("DELETE", "sys/managed-keys/https/one")).status).toBe(204);
  });
});
