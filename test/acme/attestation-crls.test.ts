import { beforeAll, describe, expect, it } from "vitest";
import type { AttestationConfig } from "../../src/acme/attestation/format.ts";
import { verifyAttestation } from "../../src/acme/attestation/verify-attestation.ts";
import { encodePem } from "../../src/base/pem.ts";
import { basicConstraints } from "../../src/x509/basic-constraints.ts";
import { parseCertificate } from "../../src/x509/certificate.ts";
import { keyUsage } from "../../src/x509/usage.ts";
import { crlOf } from "../verify/hierarchy.ts";
import { makeKey } from "../x509/fixture.ts";
import {
  appleCertificate,
  appleObject,
  makerCa,
  pemOf,
  raw,
  sha256Of,
  testTime,
  type MakerCa,
} from "./attestation.ts";
import { acmeAuthority, type AcmeAuthority } from "./client.ts";
import { attestationCertificate, certInfo, nameOf, publicArea, tpmObject } from "./tpm-emulator.ts";

const day = 86_400;
const signsCrls = { with: [basicConstraints(true), keyUsage(["CertSign", "CRLSign"])] };
const root = await makerCa("Maker Root", undefined, signsCrls);
const sub = await makerCa("Maker Sub CA", root, signsCrls);
const device = { serial: "C02XG0FDJG5J", udid: "00008103-001E2D", key: await makeKey("P-256") };
const token = "evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA";
const proof = { token, keyAuthorization: `${token}.thumbprint` };
const identifier = { type: "permanent-identifier", value: device.serial };
const ofApple = await appleCertificate(sub, device, token);

const ak = await makeKey("P-256");
const ofTpm = await attestationCertificate(sub, ak, [
  { type: "permanent-identifier", value: device.serial },
]);
const area = publicArea(device.key);
const info = certInfo(sha256Of(proof.keyAuthorization), nameOf(area));
const objects = {
  apple: appleObject(ofApple, sub.der),
  tpm: tpmObject({
    ver: "2.0",
    alg: -7,
    x5c: [ofTpm, sub.der],
    sig: await ak.sign(info),
    certInfo: info,
    pubArea: area,
  }),
};

/** Returns a CRL of a CA in PEM that lists the given certificates. */
const crl = async (
  by: MakerCa,
  revoked: readonly Uint8Array[],
  options: Parameters<typeof crlOf>[2] = {},
) => {
  const serials = revoked.map((der) =>
    parseCertificate(der).serial.reduce((sum, byte) => sum * 256 + byte, 0),
  );
  // serial numbers of these tests have two octets
  const der = await crlOf({ ...by, name: "" }, serials, {
    thisUpdate: testTime - day,
    nextUpdate: testTime + day,
    ...options,
  });
  return encodePem("X509 CRL", der);
};
const verifyWith = (attestation_crls: string, format: keyof typeof objects = "apple") => {
  const config: AttestationConfig = {
    attestation_apple_roots: pemOf(root.der),
    attestation_tpm_roots: pemOf(root.der),
    attestation_crls,
    attestation_devices: [],
  };
  return verifyAttestation(objects[format], { identifier, proof, config, now: testTime * 1000 });
};
const revokedText =
  /^the certificates of x5c are not trusted: according to the CRL, .* \(revoked\)$/;
const empty = await crl(sub, []);

describe("attestations with revoked certificates", () => {
  it.each([
    ["apple", ofApple],
    ["tpm", ofTpm],
  ] as const)("%s: are rejected if a CRL lists the attesting certificate", async (format, der) => {
    await expect(verifyWith("", format)).resolves.toMatchObject({ format });
    await expect(verifyWith(await crl(sub, []), format)).resolves.toMatchObject({ format });
    await expect(verifyWith(await crl(sub, [der]), format)).rejects.toMatchObject({
      code: "bad_attestation_statement",
      message: expect.stringMatching(revokedText) as string,
    });
  });

  it("are rejected if a CRL lists the intermediate CA", async () => {
    const crls = `${await crl(sub, [])}\n${await crl(root, [sub.der])}`;
    await expect(verifyWith(crls)).rejects.toThrow(revokedText);
  });

  it("are rejected by entries of an expired CRL, whose expiry itself does not matter", async () => {
    const expired = { thisUpdate: testTime - 9 * day, nextUpdate: testTime - day };
    await expect(verifyWith(await crl(sub, [ofApple], expired))).rejects.toThrow(revokedText);
    await expect(verifyWith(await crl(sub, [], expired))).resolves.toBeDefined();
  });

  it("are not rejected by a CRL with the name of the CA that another key has signed", async () => {
    const other = await makerCa("Maker Sub CA", undefined, signsCrls);
    await expect(verifyWith(await crl(other, [ofApple]))).resolves.toBeDefined();
  });
});

describe("attestation_crls of config/acme", () => {
  let a: AcmeAuthority;
  beforeAll(async () => {
    a = await acmeAuthority();
  });
  const write = async (attestation_crls: string) => {
    const { status, json } = await a.call("POST", "pki/config/acme", { attestation_crls });
    return [status, JSON.stringify(json)] as const;
  };

  it("is returned as written, and removed by an empty string", async () => {
    const pem = await crl(sub, [ofApple], { nextUpdate: 4_000_000_000 });
    expect((await write(`${pem}\n`))[0]).toBe(200);
    const read = async () => (await a.call("GET", "pki/config/acme")).data["attestation_crls"];
    expect(await read()).toBe(pem);
    await write("");
    expect(await read()).toBe("");
  });

  it("is written with a warning if a CRL has expired", async () => {
    const [fresh, old] = [
      await crl(sub, [], { thisUpdate: 1_000_000_000, nextUpdate: 4_000_000_000 }),
      await crl(root, [], { thisUpdate: 1_000_000_000, nextUpdate: 1_000_086_400 }),
    ];
    expect((await write(`${fresh}\n${old}`))[1]).toContain(
      "attestation_crls: CRL 2 expired on 2001-09-10T01:46:40Z; replace it",
    );
    expect((await write(fresh))[1]).not.toContain("attestation_crls: CRL");
  });

  it.each([
    ["a text without PEM", () => "x", "expected 1 to 50 CRLs in PEM, got 0"],
    ["a certificate", () => pemOf(root.der), "block 1 is a CERTIFICATE, not an X509 CRL"],
    [
      "DER that is no CRL",
      () => encodePem("X509 CRL", Uint8Array.of(0x30, 0)),
      "attestation_crls: CRL",
    ],
    [
      "a CRL with an unknown critical extension",
      () => crl(sub, [], { more: [{ ...raw("1.2.3", "x"), critical: true }] }),
      "unknown critical extension 1.2.3",
    ],
    ["too long a text", () => "x".repeat(1024 * 1024 + 1), "has 1048577 characters"],
    [
      "51 CRLs",
      () => Array.from({ length: 51 }, () => empty).join("\n"),
      "expected 1 to 50 CRLs in PEM, got 51",
    ],
  ])("rejects %s", async (_, make, why) => {
    const [status, text] = await write(await make());
    expect([status, text]).toEqual([400, expect.stringContaining(why)]);
  });
});
