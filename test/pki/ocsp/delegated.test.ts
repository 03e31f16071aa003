import { describe, expect, it } from "vitest";
import { sha1 } from "../../../src/base/hashes.ts";
import { toHex } from "../../../src/base/bytes.ts";
import { encodePem } from "../../../src/base/pem.ts";
import { algorithmName, parsePublicKey } from "../../../src/x509/public-key.ts";
import { signedAnswers, type SignedAnswers } from "../../../src/x509/ocsp-response.ts";
import { authority, start, type Authority } from "../../support/authority.ts";
import { openssl, withFiles } from "../../x509/fixture.ts";
import { certificateIn, requestFor, send, signedBy } from "./asking.ts";

const now = start / 1000;
const day = 86_400;
const root = { issuer_ref: "root" };

interface KeyParameters {
  readonly key_type?: string;
  readonly key_bits?: number;
}
/** Creates an authority with a leaf and a responder; `ask` returns signer and status. */
async function ready(given: Parameters<Authority["root"]>[0] = {}, chosen: KeyParameters = {}) {
  const a = authority();
  const { certificate: issuer } = await a.root(given);
  await a.role("web");
  const { serial_number: serial } = await a.pki.issue({
    role: "web",
    common_name: "a.test",
    ttl: "2000h",
  });
  const responder = await a.pki.makeResponder({ ...root, ...chosen });
  const asked = async (at = a): Promise<SignedAnswers & { readonly by: string }> => {
    const answer = await send(at, await requestFor({ issuer, serial }));
    const { certificates } = signedAnswers(answer.bytes);
    const [der] = certificates;
    if (!der) return { ...(await signedBy(answer, issuer)), by: "issuer" };
    const pem = encodePem("CERTIFICATE", der);
    return { ...(await signedBy(answer, pem)), by: pem };
  };
  return { a, issuer, serial, responder, asked };
}

describe("an OCSP response of an issuer with a responder", () => {
  it.each<
    readonly [
      KeyParameters & { readonly revocation_signature_algorithm?: string },
      KeyParameters,
      string,
    ]
  >([
    [{ key_type: "ec" }, {}, "ECDSAWithSHA256"],
    [{ key_type: "ec", key_bits: 384 }, { key_type: "ec", key_bits: 521 }, "ECDSAWithSHA512"],
    [{ key_type: "ec", key_bits: 384 }, {}, "ECDSAWithSHA256"],
    [{ key_type: "ec", key_bits: 224 }, { key_type: "ec", key_bits: 224 }, "ECDSAWithSHA256"],
    [{ key_type: "rsa" }, {}, "SHA256WithRSA"],
    [{ key_type: "rsa", revocation_signature_algorithm: "SHA384WithRSAPSS" }, {}, "SHA384WithRSA"],
    [{ key_type: "ed25519" }, {}, "ECDSAWithSHA256"],
    [{ key_type: "ed25519" }, { key_type: "ed25519" }, "Ed25519"],
  ])(
    "of %j is signed by that one (%j), named by the hash of its key, with its certificate",
    async (kind, chosen, algorithm) => {
      const { revocation_signature_algorithm, ...key } = kind;
      const { a, responder, asked } = await ready(key, chosen);
      if (revocation_signature_algorithm !== undefined)
        await a.pki.patchIssuer({ ...root, revocation_signature_algorithm });
      const answer = await asked();
      expect(answer.by).toBe(responder.certificate);
      expect(algorithmName(answer.algorithm)).toBe(algorithm);
      const { spki } = certificateIn(responder.certificate);
      const keyHash = toHex(sha1(parsePublicKey(spki).keyBits));
      expect("keyHash" in answer.responder && toHex(answer.responder.keyHash)).toBe(keyHash);
      expect(answer.answers).toMatchObject([
        { status: "good", thisUpdate: now, nextUpdate: now + 12 * 3600 },
      ]);
    },
  );

  it("is accepted by openssl with the CA certificate alone", async () => {
    const { a, issuer, serial } = await ready();
    const answer = await send(a, await requestFor({ issuer, serial, hash: "SHA-256" }));
    const said = withFiles({ "ca.pem": `${issuer}\n`, answer: answer.bytes }, (path) =>
      openssl(
        ["ocsp", "-CAfile", path("ca.pem"), "-sha256", "-issuer", path("ca.pem")].concat(
          ["-serial", `0x${serial.replaceAll(":", "")}`, "-no_nonce", "-respin", path("answer")],
          ["-attime", String(now), "-validity_period", "999999999"],
        ),
      ),
    );
    expect(said).toMatch(/: good\n/);
  });

  it("is signed by the default issuer's responder if the requested issuer is unknown", async () => {
    const { a, responder } = await ready();
    const elsewhere = await authority({ seed: 5 }).root({ common_name: "Elsewhere" });
    const request = await requestFor({ issuer: elsewhere.certificate, serial: "0a:0b" });
    const { answers } = await signedBy(await send(a, request), responder.certificate);
    expect(answers[0]?.status).toBe("unknown");
  });

  it("expires no later than the responder's certificate, after which the issuer signs", async () => {
    const { a, responder, asked } = await ready();
    a.clock.advance(30 * day - 60);
    const last = await asked();
    expect([last.by, last.answers[0]?.nextUpdate]).toEqual([responder.certificate, now + 30 * day]);
    a.clock.advance(59);
    expect((await asked()).by).toBe(responder.certificate);
    a.clock.advance(1);
    const after = await asked();
    expect([after.by, after.answers[0]?.nextUpdate]).toEqual([
      "issuer",
      now + 30 * day + 12 * 3600,
    ]);
    await a.ca.tick();
    const renewed = await a.pki.readResponder(root);
    expect((await asked()).by).toBe(renewed.certificate);
    // the clock was ahead and is corrected
    a.clock.advance(-2 * day);
    expect((await asked()).by).toBe("issuer");
  });

  it("is signed by the issuer as soon as the responder is revoked or deleted, or its issuer revoked", async () => {
    const { a, responder, asked } = await ready();
    await a.pki.revoke({ serial_number: responder.serial_number });
    expect((await asked()).by).toBe("issuer");
    const second = await a.pki.makeResponder(root);
    expect((await asked()).by).toBe(second.certificate);
    await a.pki.deleteResponder(root);
    expect((await asked()).by).toBe("issuer");
    const third = await a.pki.makeResponder(root);
    expect((await asked()).by).toBe(third.certificate);
    await a.pki.revokeIssuer(root);
    expect((await asked()).by).toBe("issuer");
  });

  it("is signed by the issuer in another engine within a second after the responder is deleted or revoked", async () => {
    const { a, asked } = await ready();
    const b = authority({ stores: a.stores, clock: a.clock, seed: 7 });
    const one = (await asked(b)).by;
    expect(one).not.toBe("issuer");
    await a.pki.deleteResponder(root);
    expect((await asked(a)).by).toBe("issuer");
    a.clock.advance(1);
    expect((await asked(b)).by).toBe("issuer");
    const made = await a.pki.makeResponder(root);
    a.clock.advance(1);
    expect((await asked(b)).by).toBe(made.certificate);
    await a.pki.revoke({ serial_number: made.serial_number });
    a.clock.advance(1);
    expect((await asked(b)).by).toBe("issuer");
  });

  it("is signed by the issuer if the responder was altered in storage", async () => {
    const { a, responder, asked } = await ready();
    const { uuid } = (await a.call("GET", "sys/mounts/pki")).data as { readonly uuid: string };
    const store = a.stores(uuid);
    const [[key, { value }] = ["", { value: {} }]] = await store.list("config/responder/");
    const row = value as {
      readonly der: Uint8Array;
      readonly key: { readonly sealed: Uint8Array };
    };
    const put = async (changed: object) => {
      await store.commit({ epoch: "next", put: [[key, { ...row, ...changed }]] });
      a.clock.advance(1);
    };
    for (const changed of [
      { der: row.der.with(100, (row.der[100] ?? 0) ^ 1) },
      { der: row.der.subarray(0, 100) },
      { key: { ...row.key, sealed: row.key.sealed.with(50, (row.key.sealed[50] ?? 0) ^ 1) } },
    ]) {
      await put(changed);
      expect((await asked()).by).toBe("issuer");
    }
    await put({});
    expect((await asked()).by).toBe(responder.certificate);
  });

  it("security row 67: for a rotated root is signed by the responder of the requested key", async () => {
    const { a, asked, responder } = await ready();
    const next = await a.pki.rotateRoot({ common_name: "Root CA", key_type: "ec" });
    await a.pki.replaceRoot({ default: next.issuer_id });
    const other = await a.pki.makeResponder({ issuer_ref: next.issuer_id });
    expect((await asked()).by).toBe(responder.certificate);
    const request = await requestFor({ issuer: next.certificate, serial: next.serial_number });
    await signedBy(await send(a, request), other.certificate);
  });

  it("needs no complete CRL, which is removed if there are shards, and its responder can still be revoked", async () => {
    const { a, issuer, asked } = await ready();
    await a.pki.writeUrls({ crl_distribution_points: ["http://ca.test/v1/pki/crl"] });
    await a.pki.writeCrlConfig({ shards: 2 });
    // the leaf, which names no shard, expires after 2000 hours
    for (let days = 0; days < 100; days += 10) {
      a.clock.advance(10 * day);
      await a.ca.tick();
    }
    expect((await a.call("GET", "pki/crl")).status).toBe(204);
    const { serial_number: serial } = await a.pki.readResponder(root);
    expect((await asked()).by).not.toBe("issuer");
    expect((await a.pki.revoke({ serial_number: serial })).state).toBe("revoked");
    expect((await asked()).by).toBe("issuer");
    const { answers } = await signedBy(await send(a, await requestFor({ issuer, serial })), issuer);
    expect(answers[0]?.status).toEqual({ revokedAt: now + 100 * day, reason: 0 });
    await a.ca.tick();
    expect((await a.call("GET", "pki/crl")).status).toBe(204);
    expect(a.events.filter(({ status, refusal }) => status >= 500 || refusal)).toEqual([]);
  });
});
