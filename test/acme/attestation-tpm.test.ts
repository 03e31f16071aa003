import { lib } from "fido2-helpers";
import { decodeCBOR } from "@levischuck/tiny-cbor";
import { describe, expect, it } from "vitest";
import type { AttestationConfig } from "../../src/acme/attestation/format.ts";
import { keyFingerprint } from "../../src/acme/attestation/key-fingerprint.ts";
import { parseKeyCertification } from "../../src/acme/attestation/tpm-attest.ts";
import { parsePublicArea } from "../../src/acme/attestation/tpm-public.ts";
import { verifyAttestation } from "../../src/acme/attestation/verify-attestation.ts";
import { ecdsaToRaw } from "../../src/algorithms/nist-curves.ts";
import { oid, sequence, tlvOf, utf8String } from "../../src/base/der.ts";
import { encodeName } from "../../src/x509/name.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { basicConstraints } from "../../src/x509/basic-constraints.ts";
import type { DeviceName } from "../../src/x509/device-name.ts";
import { parsePublicKey } from "../../src/x509/public-key.ts";
import { makeKey, type TestKey } from "../x509/fixture.ts";
import { makerCa, pemOf, sha256Of, testTime } from "./attestation.ts";
import {
  attestationCertificate,
  attestationExtensions,
  certInfo,
  joined,
  nameOf,
  publicArea,
  sized,
  tpmNames,
  tpmObject,
  u16,
  type TpmStatement,
} from "./tpm-emulator.ts";

const token = "evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA";
const proof = { token, keyAuthorization: `${token}.thumbprint` };
const names: readonly DeviceName[] = [
  { type: "permanent-identifier", value: "EK-1/2.23.133.12.1" },
  { type: "hardware-module", value: "0042/1.2.3" },
];
const root = await makerCa("TPM Root");
const sub = await makerCa("TPM Sub CA", root);
/** The attestation key, and the key of the certificate to be issued. */
const [ak, key] = [await makeKey("RSA"), await makeKey("P-256")];
const certificate = await attestationCertificate(sub, ak, names);
const config: AttestationConfig = {
  attestation_apple_roots: "",
  attestation_tpm_roots: pemOf(root.der),
  attestation_crls: "",
  attestation_devices: [],
};
const right = {
  identifier: { type: "hardware-module", value: "0042/1.2.3" },
  proof,
  config,
  now: testTime * 1000,
};
const extraData = sha256Of(proof.keyAuthorization);
const area = publicArea(key);
const info = certInfo(extraData, nameOf(area));

/** Returns the right statement with other members; `by` signs its certInfo. */
async function statement(
  change: Partial<TpmStatement> = {},
  by: TestKey = ak,
): Promise<TpmStatement> {
  const signedInfo = change.certInfo ?? info;
  return {
    ver: "2.0",
    alg: -257,
    x5c: [certificate, sub.der],
    sig: await by.sign(signedInfo),
    certInfo: signedInfo,
    pubArea: area,
    ...change,
  };
}
const object = async (...change: Parameters<typeof statement>) =>
  tpmObject(await statement(...change));
/** Returns an attestation object whose certificate has other fields. */
const certified = async (
  fields: Parameters<typeof attestationCertificate>[3],
  by = sub,
): Promise<Uint8Array> =>
  object({ x5c: [await attestationCertificate(by, ak, names, fields), by.der] });
const without = (attribute: string) => tpmNames.filter(({ oid }) => oid !== attribute);
/** Returns extensions with a PermanentIdentifier that has this identifier and no assigner. */
const withIdentifier = (id: string) =>
  attestationExtensions([]).map((one) =>
    one.oid === extensionOid.subjectAltName
      ? {
          ...one,
          value: sequence(
            tlvOf(0xa0, [oid("1.3.6.1.5.5.7.8.3"), tlvOf(0xa0, [sequence(utf8String(id))])]),
            tlvOf(0xa4, [encodeName([tpmNames])]),
          ),
        }
      : one,
  );
const withArea = (pubArea: Uint8Array, nameAlg?: number, hash?: string) =>
  object({ pubArea, certInfo: certInfo(extraData, nameOf(pubArea, nameAlg, hash)) });

describe("device-attest-01 with the format tpm", () => {
  it.each(names)("attests the key of the $type $value", async (identifier) => {
    expect(await verifyAttestation(await object(), { ...right, identifier })).toEqual({
      format: "tpm",
      key: keyFingerprint(key.key),
      ids: names.map(({ value }) => value),
    });
  });

  it("attests RSA keys whose public area has the default exponent, encoded as 0", async () => {
    const rsa = await makeKey("RSA");
    const attested = await verifyAttestation(await withArea(publicArea(rsa)), right);
    expect(attested.key).toBe(keyFingerprint(rsa.key));
  });

  it("accepts signatures in the form of TPMT_SIGNATURE for RSA and ECDSA", async () => {
    const rsa = joined(u16(0x0014), u16(0x000b), sized(await ak.sign(info)));
    await expect(verifyAttestation(await object({ sig: rsa }), right)).resolves.toBeDefined();
    const ec = await makeKey("P-256");
    const x5c = [await attestationCertificate(sub, ec, names), sub.der];
    const der = await ec.sign(info);
    const raw = ecdsaToRaw(der, 32);
    const sig = joined(
      u16(0x0018),
      u16(0x000b),
      sized(raw.subarray(0, 32)),
      sized(raw.subarray(32)),
    );
    for (const one of [der, sig])
      await expect(
        verifyAttestation(await object({ x5c, alg: -7, sig: one }), right),
      ).resolves.toBeDefined();
  });

  describe("a published attestation from Windows", () => {
    const { attestationObject } = lib.makeCredentialAttestationTpmResponse.response;
    const published = new Uint8Array(attestationObject);
    const members = (decodeCBOR(published) as Map<string, Map<string, Uint8Array>>).get("attStmt");
    const part = (name: string) => members?.get(name) ?? new Uint8Array(0);

    it("is rejected, because it is signed with SHA-1", async () => {
      await expect(verifyAttestation(published, right)).rejects.toThrow(
        /^the algorithm -65535 is not accepted$/,
      );
    });

    it("certifies the key of its public area: its name is the one computed from the area", async () => {
      const { name } = parseKeyCertification(part("certInfo"));
      const { name: computed, spki } = await parsePublicArea(part("pubArea"));
      expect(Buffer.from(computed)).toEqual(Buffer.from(name));
      expect(parsePublicKey(spki)).toMatchObject({ type: "rsa", bits: 2048 });
    });
  });

  type Context = typeof right;
  const forgeries: readonly (readonly [
    kind: string,
    object: () => Promise<Uint8Array>,
    why: RegExp,
    context?: Partial<Context>,
  ])[] = [
    ["another version", () => object({ ver: "1.2" }), /^ver is not 2\.0$/],
    ["SHA-1", () => object({ alg: -65_535 }), /^the algorithm -65535 is not accepted$/],
    ["no signature", () => object({ alg: 0 }), /^the algorithm 0 is not accepted$/],
    [
      "another root",
      async () => {
        const other = await makerCa("Forger Root");
        return certified({}, other);
      },
      /\(untrusted_root\)/,
    ],
    ["an expired certificate", () => certified({ notAfter: testTime - 1 }), /\(expired\)/],
    [
      "another extended key usage",
      () => certified({ extensions: attestationExtensions(names, ["1.3.6.1.5.5.7.3.1"]) }),
      /does not include 2\.23\.133\.8\.3 \(purpose\)/,
    ],
    [
      "the usage of an endorsement key",
      () => certified({ extensions: attestationExtensions(names, ["2.23.133.8.1"]) }),
      /\(purpose\)/,
    ],
    [
      "no extended key usage",
      () => certified({ extensions: attestationExtensions(names, []) }),
      /^the first certificate of x5c lacks the extended key usage 2\.23\.133\.8\.3$/,
    ],
    [
      "the certificate of a CA",
      () =>
        certified({
          extensions: [...attestationExtensions(names).slice(1), basicConstraints(true)],
        }),
      /^the first certificate of x5c is a CA certificate$/,
    ],
    [
      "a certificate with a subject",
      () => certified({ subject: root.name }),
      /^the first certificate of x5c has a subject, which must be empty$/,
    ],
    ...tpmNames.map(
      ({ oid }) =>
        [
          `a certificate without the TPM attribute ${oid}`,
          () => certified({ extensions: attestationExtensions(names, undefined, without(oid)) }),
          new RegExp(`does not have exactly one TPM [a-z]+ \\(${oid}\\)$`),
        ] as const,
    ),
    [
      "a certInfo signed by another key",
      async () => object({}, await makeKey("RSA")),
      /^the key of the certificate did not sign certInfo$/,
    ],
    [
      "a certInfo signed by the certified key itself",
      async () => object({ alg: -7 }, key),
      /^the key of the certificate did not sign certInfo$/,
    ],
    [
      "a certInfo that was changed after signing",
      async () => object({ sig: await ak.sign(certInfo(extraData, nameOf(publicArea(ak)))) }),
      /did not sign certInfo$/,
    ],
    [
      "another hash than that of the signature",
      () => object({ alg: -258 }),
      /did not sign certInfo$/,
    ],
    [
      "a TPMT_SIGNATURE with another algorithm than alg",
      async () => object({ sig: joined(u16(0x0014), u16(0x000c), sized(await ak.sign(info))) }),
      /^the algorithm of sig is not that of alg$/,
    ],
    [
      "a TPMT_SIGNATURE of ECDSA for an RSA key",
      async () => object({ sig: joined(u16(0x0018), u16(0x000b), sized(await ak.sign(info))) }),
      /^the algorithm of sig is not that of alg$/,
    ],
    [
      "a signature that is cut off",
      async () =>
        object({ sig: joined(u16(0x0014), u16(0x000b), u16(256), (await ak.sign(info)).slice(1)) }),
      /^sig ends within the signature$/,
    ],
    [
      "bytes after the signature",
      async () =>
        object({ sig: joined(u16(0x0014), u16(0x000b), sized(await ak.sign(info)), u16(0)) }),
      /^sig has unexpected trailing bytes: 2$/,
    ],
    ["an empty signature", () => object({ sig: new Uint8Array(0) }), /^sig ends within the algo/],
    [
      "data that the TPM did not make",
      () => object({ certInfo: certInfo(extraData, nameOf(area), { magic: 0xff54_4346 }) }),
      /^certInfo was not made by a TPM: /,
    ],
    [
      "a quote instead of a certification",
      () => object({ certInfo: certInfo(extraData, nameOf(area), { type: 0x8018 }) }),
      /^certInfo does not certify a key: /,
    ],
    [
      "the creation of a key instead of a certification",
      () => object({ certInfo: certInfo(extraData, nameOf(area), { type: 0x801a }) }),
      /^certInfo does not certify a key: /,
    ],
    [
      "the attestation of another order",
      () => object({ certInfo: certInfo(sha256Of("other.thumbprint"), nameOf(area)) }),
      /^extraData is not the hash of the key authorization$/,
    ],
    [
      "the attestation of another account",
      () => object({ certInfo: certInfo(sha256Of(`${token}.other`), nameOf(area)) }),
      /^extraData is not the hash of the key authorization$/,
    ],
    [
      "the token alone in extraData",
      () => object({ certInfo: certInfo(sha256Of(token), nameOf(area)) }),
      /^extraData is not the hash/,
    ],
    [
      "the key authorization itself in extraData",
      () => object({ certInfo: certInfo(Buffer.from(proof.keyAuthorization), nameOf(area)) }),
      /^extraData is not the hash/,
    ],
    [
      "no extraData",
      () => object({ certInfo: certInfo(new Uint8Array(0), nameOf(area)) }),
      /^extraData is not the hash/,
    ],
    [
      "the public area of another key",
      async () => object({ pubArea: publicArea(await makeKey("P-256")) }),
      /^certInfo certifies a key other than the one in pubArea$/,
    ],
    [
      "attributes that were changed",
      () => object({ pubArea: publicArea(key, { attributes: 0x0004_0472 }) }),
      /^certInfo certifies a key other than the one in pubArea$/,
    ],
    [
      "a name with another algorithm",
      () => object({ certInfo: certInfo(extraData, nameOf(area, 0x000c, "sha256")) }),
      /^certInfo certifies a key other than the one in pubArea/,
    ],
    [
      "a name with SHA-1",
      () => withArea(publicArea(key, { nameAlg: 0x0004 }), 0x0004, "sha1"),
      /^the name algorithm 0x4 of pubArea is not accepted$/,
    ],
    ...(
      [
        ["fixedTPM", 0x0004_0070],
        ["fixedParent", 0x0004_0062],
        ["sensitiveDataOrigin", 0x0004_0052],
      ] as const
    ).map(
      ([name, attributes]) =>
        [
          `a key that is not ${name}`,
          () => withArea(publicArea(key, { attributes })),
          new RegExp(`^the attested key is not ${name}: `),
        ] as const,
    ),
    ["a public area that is cut off", () => withArea(area.slice(0, -1)), /^pubArea ends within y$/],
    [
      "bytes after the public area",
      () => withArea(joined(area, u16(0))),
      /^pubArea has unexpected trailing bytes: 2$/,
    ],
    [
      "a public area whose policy claims more than there is",
      () => withArea(joined(area.slice(0, 8), u16(0xffff), area.slice(10))),
      /^pubArea ends within the policy$/,
    ],
    [
      "a symmetric key",
      () => withArea(joined(u16(0x0025), area.slice(2))),
      /^the key type 0x25 of pubArea is not supported$/,
    ],
    [
      "a curve that is not supported",
      () => withArea(publicArea(key, { curve: 0x0010 })),
      /^the curve 0x10 of pubArea is not supported$/,
    ],
    [
      "a coordinate that is too long for its curve",
      async () => withArea(publicArea(await makeKey("P-384"))),
      /^a coordinate of pubArea has more than 32 bytes$/,
    ],
    [
      "bytes after certInfo",
      () => object({ certInfo: joined(info, u16(0)) }),
      /^certInfo has unexpected trailing bytes: 2$/,
    ],
    [
      "a certInfo that is cut off",
      () => object({ certInfo: info.slice(0, -1) }),
      /^certInfo ends within the qualified name$/,
    ],
    ...(["sig", "certInfo", "pubArea"] as const).map(
      (member) =>
        [
          `a statement without ${member}`,
          async () => {
            const { [member]: _, ...rest } = await statement();
            return tpmObject(rest);
          },
          new RegExp(`^${member} is not a byte string$`),
        ] as const,
    ),
    [
      "the attestation of another device",
      () => object(),
      /^the attestation is not for the device with the hardware-module 0043\/1\.2\.3$/,
      { identifier: { type: "hardware-module", value: "0043/1.2.3" } },
    ],
    [
      "a hardware module as permanent identifier",
      () => object(),
      /the attestation is not for the device with the permanent-identifier 0042\/1\.2\.3$/,
      { identifier: { type: "permanent-identifier", value: "0042/1.2.3" } },
    ],
    [
      "an identifier with a slash, which an assigner would have",
      () => certified({ extensions: withIdentifier("EK-1/2.23.133.12.1") }),
      /^the attestation does not identify a device$/,
      { identifier: { type: "permanent-identifier", value: "EK-1/2.23.133.12.1" } },
    ],
    [
      "a certificate that names no device",
      () => certified({ extensions: attestationExtensions([]) }),
      /^the attestation does not identify a device$/,
    ],
    [
      "roots of another format",
      () => object(),
      /^the attestation format tpm is not accepted$/,
      {
        config: {
          ...config,
          attestation_apple_roots: config.attestation_tpm_roots,
          attestation_tpm_roots: "",
        },
      },
    ],
  ];
  const table = forgeries.map(([kind, forged, why, context]) => ({ kind, forged, why, context }));
  it.each(table)("rejects $kind", async ({ forged, why, context }) => {
    const rejected = verifyAttestation(await forged(), { ...right, ...context });
    await expect(rejected).rejects.toMatchObject({
      code: "bad_attestation_statement",
      message: expect.stringMatching(why) as string,
    });
  });
});
