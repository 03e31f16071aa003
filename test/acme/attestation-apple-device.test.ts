import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { keyFingerprint } from "../../src/acme/attestation/key-fingerprint.ts";
import { verifyAttestation } from "../../src/acme/attestation/verify-attestation.ts";
import { decodePem } from "../../src/base/pem.ts";
import { parseCertificate } from "../../src/x509/certificate.ts";
import { parsePublicKey } from "../../src/x509/public-key.ts";
import {
  appleObject,
  appleOids,
  makerCa,
  pemOf,
  raw,
  sha256Of,
  signed,
  testTime,
} from "./attestation.ts";

const [block] = decodePem(
  readFileSync(new URL("../vectors/apple-attestation.pem", import.meta.url), "utf8"),
);
const issued = parseCertificate(block?.der ?? new Uint8Array());
const token = "evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA";
const [serial, udid] = ["TMWFWWWP67", "00006030-000651690A84001C"];
const root = await makerCa("Maker Root");
const context = {
  identifier: { type: "permanent-identifier", value: serial },
  proof: { token, keyAuthorization: `${token}.thumbprint` },
  config: {
    attestation_apple_roots: pemOf(root.der),
    attestation_tpm_roots: "",
    attestation_crls: "",
    attestation_devices: [],
  },
  now: testTime * 1000,
};

const { subject, spki } = issued;
/** Issues the certificate again, with the root of this test and the given extensions. */
const reissued = (extensions: typeof issued.extensions): Promise<Uint8Array> =>
  signed(root, { subject, spki, extensions });

describe("device-attest-01 with a certificate that Apple issued", () => {
  it("attests its key, serial number and UDID if the freshness code is right", async () => {
    const extensions = issued.extensions.map((one) =>
      one.oid === appleOids.freshness ? raw(one.oid, sha256Of(token)) : one,
    );
    expect(await verifyAttestation(appleObject(await reissued(extensions)), context)).toEqual({
      format: "apple",
      key: keyFingerprint(parsePublicKey(spki)),
      ids: [serial, udid],
    });
  });

  it("rejects the freshness code of another token", async () => {
    const object = appleObject(await reissued(issued.extensions));
    await expect(verifyAttestation(object, context)).rejects.toMatchObject({
      code: "bad_attestation_statement",
      message: "the freshness code is not the SHA-256 of the challenge's token",
    });
  });

  it("does not trust the certificate without Apple's root", async () => {
    const atIssuance = { ...context, now: (issued.notBefore + 60) * 1000 };
    await expect(verifyAttestation(appleObject(issued.der), atIssuance)).rejects.toMatchObject({
      code: "bad_attestation_statement",
      message: expect.stringMatching(/not trusted: .*\(issuer_unknown\)/) as string,
    });
  });
});
