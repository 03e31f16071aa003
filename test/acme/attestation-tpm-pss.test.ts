import { constants, createHash, createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { expect, it } from "vitest";
import { verifyAttestation } from "../../src/acme/attestation/verify-attestation.ts";
import type { DeviceName } from "../../src/x509/device-name.ts";
import { parsePublicKey } from "../../src/x509/public-key.ts";
import { makeKey } from "../x509/fixture.ts";
import { makerCa, pemOf, testTime } from "./attestation.ts";
import {
  attestationCertificate,
  certInfo,
  joined,
  nameOf,
  publicArea,
  sized,
  tpmObject,
  u16,
} from "./tpm-emulator.ts";

const name: DeviceName = { type: "permanent-identifier", value: "EK-1" };
const root = await makerCa("TPM Root");
const key = await makeKey("P-256");
const area = publicArea(key);
const proof = { token: "token", keyAuthorization: "token.thumbprint" };
const context = {
  identifier: name,
  proof,
  config: {
    attestation_apple_roots: "",
    attestation_tpm_roots: pemOf(root.der),
    attestation_crls: "",
    attestation_devices: [],
  },
  now: testTime * 1000,
};
/** Returns an RSA attestation key and its certificate. */
async function attestationKey(bits: number) {
  const pair = generateKeyPairSync("rsa", {
    modulusLength: bits,
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "der" },
  });
  const spki = new Uint8Array(pair.publicKey);
  const ak = { ...key, key: parsePublicKey(spki) };
  return {
    privateKey: createPrivateKey({ key: pair.privateKey, format: "der", type: "pkcs8" }),
    certificate: await attestationCertificate(root, ak, [name]),
  };
}
const keys = { 2048: await attestationKey(2048), 2049: await attestationKey(2049) } as const;
const { RSA_PSS_SALTLEN_DIGEST: asHash, RSA_PSS_SALTLEN_MAX_SIGN: largest } = constants;

/** The parts of an attestation that tests vary. */
interface PssParts {
  readonly alg?: number;
  readonly hash?: string;
  readonly salt?: number;
  readonly bits?: keyof typeof keys;
  /** The first octets of a TPMT_SIGNATURE; absent: the plain signature. */
  readonly header?: Uint8Array;
}
/** Returns an attestation signed with RSASSA-PSS. */
function attestation({
  alg = -37,
  hash = "sha256",
  salt = largest,
  bits = 2048,
  header,
}: PssParts) {
  const { privateKey, certificate } = keys[bits];
  const extraData = createHash(hash).update(proof.keyAuthorization).digest();
  const info = certInfo(extraData, nameOf(area));
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  const signature = sign(hash, info, { key: privateKey, padding, saltLength: salt });
  return tpmObject({
    ver: "2.0",
    alg,
    x5c: [certificate],
    sig: header ? joined(header, sized(signature)) : new Uint8Array(signature),
    certInfo: info,
    pubArea: area,
  });
}

const header = joined(u16(0x16), u16(0x0b));
it.each([
  ["PS256 with a salt as long as the hash", { salt: asHash }],
  ["PS256 with the largest salt", {}],
  ["PS384 with the largest salt", { alg: -38, hash: "sha384" }],
  ["PS512 with a salt as long as the hash", { alg: -39, hash: "sha512", salt: asHash }],
  ["the largest salt of a modulus with an odd number of bits", { bits: 2049, header }],
  ["a TPMT_SIGNATURE of RSASSA-PSS", { header }],
] satisfies readonly (readonly [string, PssParts])[])(
  "tpm: %s is accepted",
  async (_, options: PssParts) => {
    await expect(verifyAttestation(attestation(options), context)).resolves.toMatchObject({
      format: "tpm",
    });
  },
);

it.each([
  ["a salt that no TPM uses", { salt: 20 }, /did not sign certInfo$/],
  ["another algorithm than PSS", { alg: -257 }, /did not sign certInfo$/],
  ["another hash than that of alg", { alg: -39, hash: "sha256" }, /did not sign certInfo$/],
  [
    "a TPMT_SIGNATURE of RSASSA for PS256",
    { header: joined(u16(0x14), u16(0x0b)) },
    /^the algorithm of sig is not that of alg$/,
  ],
])("tpm: PSS with %s is rejected", async (_, options, why) => {
  await expect(verifyAttestation(attestation(options), context)).rejects.toThrow(why);
});

it("tpm: PS256 with an EC key is rejected", async () => {
  const certificate = await attestationCertificate(root, key, [name]);
  const extraData = createHash("sha256").update(proof.keyAuthorization).digest();
  const info = certInfo(extraData, nameOf(area));
  const sig = joined(u16(0x16), u16(0x0b), sized(await key.sign(info)));
  const object = tpmObject({
    ver: "2.0",
    alg: -37,
    x5c: [certificate],
    sig,
    certInfo: info,
    pubArea: area,
  });
  await expect(verifyAttestation(object, context)).rejects.toThrow(/did not sign certInfo$/);
});
