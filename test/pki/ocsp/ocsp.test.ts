import { describe, expect, it, vi } from "vitest";
import { toHex } from "../../../src/base/bytes.ts";
import { algorithmName } from "../../../src/x509/public-key.ts";
import { encodeOcspRequest } from "../../../src/x509/ocsp-request.ts";
import { signedAnswers } from "../../../src/x509/ocsp-response.ts";
import { authority, start, type Authority } from "../../support/authority.ts";
import {
  certIdOf,
  certificateIn,
  failureOf,
  getPath,
  requestFor,
  send,
  signedBy,
  statusOf,
} from "./asking.ts";
import { threadTime } from "../../support/spent.ts";

const now = start / 1000;
const unissued = "12:34:56:78:9a:bc:de:f0:12:34:56:78:9a:bc:de:f0:12:34:56:78";
async function withLeaf(key: Parameters<Authority["root"]>[0] = {}, role: object = {}) {
  const a = authority();
  const root = await a.root(key);
  await a.role("web", role);
  const leaf = await a.pki.issue({ role: "web", common_name: "a.test", ttl: "100h" });
  return { a, issuer: root.certificate, root, leaf, serial: leaf.serial_number };
}

const keys: readonly (readonly [string, object, string])[] = [
  ["RSA", { key_type: "rsa" }, "SHA256WithRSA"],
  [
    "RSA with PSS",
    { key_type: "rsa", revocation_signature_algorithm: "SHA384WithRSAPSS" },
    "SHA384WithRSA",
  ],
  [
    "RSA with SHA-512",
    { key_type: "rsa", revocation_signature_algorithm: "SHA512WithRSA" },
    "SHA512WithRSA",
  ],
  ["P-224", { key_type: "ec", key_bits: 224 }, "ECDSAWithSHA256"],
  ["P-256", { key_type: "ec", key_bits: 256 }, "ECDSAWithSHA256"],
  ["P-384", { key_type: "ec", key_bits: 384 }, "ECDSAWithSHA384"],
  ["P-521", { key_type: "ec", key_bits: 521 }, "ECDSAWithSHA512"],
  ["Ed25519", { key_type: "ed25519" }, "Ed25519"],
];

describe("OCSP", () => {
  it("askOcsp, readOcsp; B 2 POST ocsp, B 2 GET ocsp, B 2 answered, B 2 signing, B 2 responder id, B 2 thisUpdate and nextUpdate: responds to POST and GET for its certificates, signed by the issuer itself", async () => {
    const { a, issuer, serial } = await withLeaf();
    const request = await requestFor({ issuer, serial });
    const posted = await send(a, request);
    expect(posted.headers.get("cache-control")).toBe("no-store");
    const got = await a.call("GET", getPath(request), undefined, { token: "" });
    expect(got.headers.get("cache-control")).toBe("max-age=0, must-revalidate");
    for (const answer of [posted, got]) {
      const { answers, responder, certificates, producedAt, nonce } = await signedBy(
        answer,
        issuer,
      );
      expect(answers).toMatchObject([
        { status: "good", thisUpdate: now, nextUpdate: now + 12 * 3600 },
      ]);
      expect(responder).toEqual({ name: certificateIn(issuer).subject });
      expect([certificates, producedAt, nonce]).toEqual([[], now, undefined]);
    }
    expect(await a.pki.askOcsp({ request })).toEqual(posted.bytes);
    const path = getPath(request).slice("pki/ocsp/".length);
    const read = await a.pki.readOcsp({ request: decodeURIComponent(path) });
    expect(read).toEqual(posted.bytes);
  });

  it("B 2 status: returns time and reason of a revocation, and omits `unspecified`", async () => {
    const { a, issuer, serial } = await withLeaf();
    a.clock.advance(60);
    await a.pki.revoke({ serial_number: serial, reason: "keyCompromise" });
    a.clock.advance(60);
    expect(await statusOf(a, { issuer, serial })).toEqual({ revokedAt: now + 60, reason: 1 });
    const other = await a.pki.issue({ role: "web", common_name: "b.test" });
    await a.pki.revoke({ serial_number: other.serial_number, reason: "unspecified" });
    const asked = await send(a, await requestFor({ issuer, serial: other.serial_number }));
    const { tbs, answers } = await signedBy(asked, issuer);
    expect(answers[0]?.status).toEqual({ revokedAt: now + 120, reason: 0 });
    expect(toHex(tbs)).not.toContain("a0030a01");
  });

  it("security row 67: returns `unknown` for a serial number that the mount never issued, and `good` for one that it did not store", async () => {
    const { a, issuer } = await withLeaf({}, { no_store: true });
    expect(await statusOf(a, { issuer, serial: unissued })).toBe("unknown");
    for (const serial of ["01", "00", "ff".repeat(20), "7f".repeat(21), "11".repeat(900)])
      expect(await statusOf(a, { issuer, serial })).toBe("unknown");
    const { serial_number: serial } = await a.pki.issue({ role: "web", common_name: "b.test" });
    expect(await statusOf(a, { issuer, serial })).toBe("good");
  });

  it("returns `unknown` for a presented certificate if its issuer has no key in the mount", async () => {
    const elsewhere = authority({ seed: 9 });
    const root = await elsewhere.root({ key_type: "ec" });
    await elsewhere.role("web");
    const issued = await elsewhere.pki.issue({ role: "web", common_name: "a.test" });
    const a = authority();
    const own = await a.root();
    await a.pki.importBundle({ pem_bundle: root.certificate });
    await a.pki.revoke({ certificate: issued.certificate });
    // its issuer has no key here, so that nothing can sign a response for it
    const wanted = { issuer: root.certificate, serial: issued.serial_number };
    expect(await statusOf(a, wanted, own.certificate)).toBe("unknown");
  });

  it("B 2 status: returns `good` for unknown serial numbers of an issuer imported with its key, unless configured otherwise", async () => {
    const elsewhere = authority({ seed: 9 });
    const key = await elsewhere.pki.generateExportedRoot({
      common_name: "Old Root",
      key_type: "ec",
    });
    const a = authority();
    const bundle = `${key.certificate}\n${key.private_key}`;
    const { imported_issuers: ids } = await a.pki.importBundle({ pem_bundle: bundle });
    const wanted = { issuer: key.certificate, serial: unissued };
    expect(await statusOf(a, wanted)).toBe("good");
    await a.pki.patchIssuer({ issuer_ref: ids?.[0] ?? "", ocsp_unknown_serials: true });
    expect(await statusOf(a, wanted)).toBe("unknown");
  });

  it.each(["SHA-1", "SHA-256", "SHA-384", "SHA-512"] as const)(
    "B 2 issuer match, B 2 CertID, security row 67: finds the issuer by %s and repeats the CertID byte for byte",
    async (hash) => {
      const { a, issuer, serial } = await withLeaf();
      const certId = await certIdOf({ issuer, serial, hash });
      const answer = await signedBy(await send(a, encodeOcspRequest([certId])), issuer);
      expect(answer.answers.map((one) => [toHex(one.certId.der), one.status])).toEqual([
        [toHex(certId), "good"],
      ]);
    },
  );

  it("B 2 unknown issuer: returns `unknown` for another CA and for an unsupported hash, signed by the default issuer", async () => {
    const { a, issuer, serial } = await withLeaf();
    const other = await authority({ seed: 5 }).root({ common_name: "Other" });
    expect(await statusOf(a, { issuer: other.certificate, serial }, issuer)).toBe("unknown");
    const certId = await certIdOf({ issuer, serial });
    // no other hash has an identifier of the same length, so the last arc of SHA-1's is changed
    const strange = certId.slice();
    strange[strange.indexOf(0x1a)] = 0x1b;
    const asked = await send(a, encodeOcspRequest([strange]));
    expect((await signedBy(asked, issuer)).answers[0]?.status).toBe("unknown");
  });

  it("B 2 several requests: responds to all in their order, including duplicates", async () => {
    const { a, issuer, serial } = await withLeaf();
    const second = await a.pki.issue({ role: "web", common_name: "b.test" });
    await a.pki.revoke({ serial_number: second.serial_number });
    const serials = [serial, second.serial_number, unissued, serial];
    const certIds = await Promise.all(serials.map((one) => certIdOf({ issuer, serial: one })));
    const { answers } = await signedBy(await send(a, encodeOcspRequest(certIds)), issuer);
    expect(answers.map((one) => toHex(one.certId.der))).toEqual(certIds.map(toHex));
    expect(answers.map((one) => one.status)).toEqual([
      "good",
      { revokedAt: now, reason: 0 },
      "unknown",
      "good",
    ]);
  });

  it("B 2 several requests: hashes the issuers once for a whole message, which anyone may send", async () => {
    const { a, issuer } = await withLeaf();
    const numbers = Array.from({ length: 20 }, (_, n) => `${unissued.slice(0, -2)}${10 + n}`);
    const certIds = await Promise.all(
      numbers.map((serial) => certIdOf({ issuer, serial, hash: "SHA-512" })),
    );
    const digest = vi.spyOn(crypto.subtle, "digest");
    try {
      for (const some of [certIds.slice(0, 9), certIds.slice(9, 18)])
        await send(a, encodeOcspRequest(some));
      expect(digest.mock.calls.filter(([hash]) => hash === "SHA-512")).toHaveLength(2);
    } finally {
      digest.mockRestore();
    }
  });

  it("B 2 nonce, security row 67: repeats a nonce of 1 to 128 bytes, and rejects any other length", async () => {
    const { a, issuer, serial } = await withLeaf();
    const ask = async (length: number) =>
      send(a, await requestFor({ issuer, serial }, new Uint8Array(length).fill(length)));
    for (const length of [1, 32, 128])
      expect((await signedBy(await ask(length), issuer)).nonce).toEqual(
        new Uint8Array(length).fill(length),
      );
    for (const length of [0, 129, 300])
      expect(failureOf(await ask(length))).toEqual([400, "malformedRequest"]);
  });

  it("B 2 nonce: signs a new response for each request with a nonce", async () => {
    const { a, issuer, serial } = await withLeaf();
    const ask = async (byte: number) =>
      signedBy(await send(a, await requestFor({ issuer, serial }, Uint8Array.of(byte))), issuer);
    expect([(await ask(1)).nonce, (await ask(2)).nonce]).toEqual([
      Uint8Array.of(1),
      Uint8Array.of(2),
    ]);
  });

  it.each(keys)("B 2 signature algorithm: depends on the issuer (%s)", async (_, given, name) => {
    const { revocation_signature_algorithm: algorithm, ...key } = {
      revocation_signature_algorithm: "",
      ...given,
    };
    const { a, issuer, serial, root } = await withLeaf(key);
    if (algorithm !== "")
      await a.pki.patchIssuer({
        issuer_ref: root.issuer_id,
        revocation_signature_algorithm: algorithm,
      });
    const answer = await signedBy(await send(a, await requestFor({ issuer, serial })), issuer);
    expect(algorithmName(answer.algorithm)).toBe(name);
    expect(answer.answers[0]?.status).toBe("good");
  });

  it("B 2 thisUpdate and nextUpdate: a response is valid for `ocsp_expiry`, and has no nextUpdate if that is 0", async () => {
    const { a, issuer, serial } = await withLeaf();
    const next = async () => {
      const answer = await signedBy(await send(a, await requestFor({ issuer, serial })), issuer);
      return answer.answers[0]?.nextUpdate;
    };
    await a.pki.writeCrlConfig({ ocsp_expiry: "90s" });
    expect(await next()).toBe(now + 90);
    await a.pki.writeCrlConfig({ ocsp_expiry: "0s" });
    expect(await next()).toBeUndefined();
  });
});

describe("OCSP with several issuers", () => {
  it("B 2 issuer of the record, security row 63: a certificate is revoked under its own issuer only", async () => {
    const { a, issuer, serial } = await withLeaf();
    const other = await a.root({ common_name: "Second", issuer_name: "second" });
    await a.pki.revoke({ serial_number: serial });
    expect(await statusOf(a, { issuer, serial })).toMatchObject({ revokedAt: now });
    expect(await statusOf(a, { issuer: other.certificate, serial })).toBe("unknown");
  });

  it("security row 68: the parent signs that an intermediate is revoked", async () => {
    const { a, issuer } = await withLeaf();
    const { id, certificate } = await a.intermediate();
    const { serial } = certificateIn(certificate);
    const wanted = { issuer, serial: toHex(serial) };
    expect(await statusOf(a, wanted)).toBe("good");
    await a.pki.revokeIssuer({ issuer_ref: id });
    expect(await statusOf(a, wanted)).toEqual({ revokedAt: now, reason: 0 });
  });

  it("B 2 revoked issuers sign, security row 67: a revoked or expired issuer still signs responses", async () => {
    const { a } = await withLeaf();
    const { id, certificate } = await a.intermediate({ ttl: "200h" });
    await a.pki.writeRole({ name: "low", issuer_ref: id, allow_any_name: true, key_type: "ec" });
    const leaf = await a.pki.issue({ role: "low", common_name: "a.test", ttl: "100h" });
    const wanted = { issuer: certificate, serial: leaf.serial_number };
    await a.pki.revokeIssuer({ issuer_ref: id });
    expect(await statusOf(a, wanted)).toBe("good");
    a.clock.advance(300 * 3600);
    expect(await statusOf(a, wanted)).toBe("good");
  });

  it("B 2 unauthorized: an issuer without the usage does not respond, but another one with its name and key does", async () => {
    const { a, issuer, serial, root } = await withLeaf();
    const request = await requestFor({ issuer, serial });
    await a.pki.patchIssuer({ issuer_ref: root.issuer_id, usage: ["crl-signing"] });
    expect(failureOf(await send(a, request))).toEqual([401, "unauthorized"]);
    // another issuer with the same key and name
    await a.pki.generateRootFromKey({
      common_name: "Root CA",
      key_ref: root.key_id,
      issuer_name: "again",
      ttl: "70000h",
    });
    expect((await signedBy(await send(a, request), issuer)).answers[0]?.status).toBe("good");
  });

  it("B 2 unauthorized: is returned for an unknown issuer if the default one may not sign or is missing", async () => {
    const { a, serial, root } = await withLeaf();
    const other = await authority({ seed: 5 }).root({ common_name: "Other" });
    const request = await requestFor({ issuer: other.certificate, serial });
    await a.pki.patchIssuer({ issuer_ref: root.issuer_id, usage: ["crl-signing"] });
    expect(failureOf(await send(a, request))).toEqual([401, "unauthorized"]);
    expect(failureOf(await send(authority(), request))).toEqual([401, "unauthorized"]);
  });

  it("B 2 unauthorized: is returned for every request if `ocsp_disable` is set", async () => {
    const { a, issuer, serial } = await withLeaf();
    await a.pki.writeCrlConfig({ ocsp_disable: true });
    const request = await requestFor({ issuer, serial });
    expect(failureOf(await send(a, request))).toEqual([401, "unauthorized"]);
    const got = await a.call("GET", getPath(request));
    expect(failureOf(got)).toEqual([401, "unauthorized"]);
  });

  it("askUnifiedOcsp, readUnifiedOcsp; B 2 unified-ocsp: responds the same way while `unified_crl` is on", async () => {
    const { a, issuer, serial } = await withLeaf();
    const request = await requestFor({ issuer, serial });
    const unified = "pki/unified-ocsp";
    expect(failureOf(await send(a, request, unified))).toEqual([401, "unauthorized"]);
    expect(failureOf(await a.call("GET", getPath(request, unified)))).toEqual([
      401,
      "unauthorized",
    ]);
    await a.pki.writeCrlConfig({ auto_rebuild: true, unified_crl: true });
    await signedBy(await send(a, request, unified), issuer);
    const got = await a.call("GET", getPath(request, unified));
    expect((await signedBy(got, issuer)).answers[0]?.status).toBe("good");
  });
});

describe("invalid OCSP requests", () => {
  it("B 2 malformedRequest: is returned promptly for a malformed, empty or too long request", async () => {
    const { a, issuer, serial } = await withLeaf();
    const certId = await certIdOf({ issuer, serial });
    const request = encodeOcspRequest([certId]);
    const many = encodeOcspRequest(Array.from({ length: 10_000 }, () => certId));
    const bad: readonly (Uint8Array | string)[] = [
      "",
      "hello",
      request.slice(0, -1),
      Uint8Array.of(...request, 0),
      Uint8Array.of(0x30, 0x80, ...request.slice(2), 0, 0),
      new Uint8Array(1024 * 1024).fill(0x30),
      many,
      encodeOcspRequest([]),
    ];
    for (const body of bad) {
      const times: number[] = [];
      for (let n = 0; n < 5; n++) {
        const begun = threadTime();
        const answer = await send(a, body);
        times.push(threadTime() - begun);
        expect(failureOf(answer)).toEqual([400, "malformedRequest"]);
      }
      expect(Math.min(...times)).toBeLessThan(20);
    }
    expect((await send(a, request)).status).toBe(200);
  });

  it("B 2 POST ocsp: accepts 2,047 bytes and no more", async () => {
    const { a, issuer, serial } = await withLeaf();
    const certId = await certIdOf({ issuer, serial });
    const count = Math.floor(2047 / (certId.length + 2));
    const most = encodeOcspRequest(Array.from({ length: count }, () => certId));
    const room = Array.from({ length: 128 }, (_, n) =>
      encodeOcspRequest(
        Array.from({ length: count - 1 }, () => certId),
        new Uint8Array(n + 1),
      ),
    );
    expect(most.length).toBeGreaterThan(1900);
    const fitting = room.filter(({ length }) => length <= 2047).at(-1) ?? most;
    const { answers } = await signedBy(await send(a, fitting), issuer);
    expect(answers).toHaveLength(count - 1);
    expect(failureOf(await send(a, new Uint8Array(2048)))).toEqual([400, "malformedRequest"]);
  });

  it.each(["application/json", "application/octet-stream", "", "text/plain"])(
    "B 2 content type: a body with the type %j is rejected",
    async (type) => {
      const { a, issuer, serial } = await withLeaf();
      const request = await requestFor({ issuer, serial });
      expect(failureOf(await send(a, request, "pki/ocsp", type))).toEqual([
        400,
        "malformedRequest",
      ]);
      const fits = await send(a, request, "pki/ocsp", "Application/OCSP-Request; x=y");
      expect(signedAnswers(fits.bytes).answers).toHaveLength(1);
    },
  );

  it("get 403 without a mount, and 405 for another method", async () => {
    const { a, issuer, serial } = await withLeaf();
    const request = await requestFor({ issuer, serial });
    // an anonymous caller does not learn which mounts exist
    expect((await send(a, request, "nowhere/ocsp")).status).toBe(403);
    expect((await a.call("GET", "pki/ocsp")).status).toBe(405);
    expect((await a.call("DELETE", "pki/ocsp/abcd")).status).toBe(405);
  });
});
