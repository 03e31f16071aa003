import { encodeCBOR } from "@levischuck/tiny-cbor";
import { describe, expect, it } from "vitest";
import type { AttestationConfig } from "../../src/acme/attestation/format.ts";
import { verifyAttestation } from "../../src/acme/attestation/verify-attestation.ts";
import { keyFingerprint } from "../../src/acme/attestation/key-fingerprint.ts";
import { basicConstraints } from "../../src/x509/basic-constraints.ts";
import { encodeName } from "../../src/x509/name.ts";
import { keyUsage } from "../../src/x509/usage.ts";
import { commonName, makeKey } from "../x509/fixture.ts";
import {
  appleCertificate,
  appleExtensions,
  appleObject,
  appleOids,
  attestationObject,
  encodeMap,
  makerCa,
  pemOf,
  raw,
  sha256Of,
  signed,
  testTime,
  type AppleDevice,
} from "./attestation.ts";

const token = "evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA";
const proof = { token, keyAuthorization: `${token}.thumbprint` };
const device: AppleDevice = {
  serial: "C02XG0FDJG5J",
  udid: "00008103-001E2D3C0A91001E",
  key: await makeKey("P-384"),
};
const root = await makerCa("Maker Root");
const sub = await makerCa("Maker Sub CA", root);
const config: AttestationConfig = {
  attestation_apple_roots: pemOf(root.der),
  attestation_tpm_roots: "",
  attestation_crls: "",
  attestation_devices: [],
};
const named = (value: string, type = "permanent-identifier") => ({ type, value });
const right = { identifier: named(device.serial), proof, config, now: testTime * 1000 };
const leaf = await appleCertificate(sub, device, token);
const chain = [leaf, sub.der] as const;

/** Returns a leaf with other fields, issued by the right intermediate. */
const leafWith = (fields: Parameters<typeof appleCertificate>[3]) =>
  appleCertificate(sub, device, token, fields);
/** Returns a leaf with other extensions. */
const leafOf = (...extensions: readonly ReturnType<typeof raw>[]) => leafWith({ extensions });
const all = appleExtensions(device, token);
const without = (oid: string) => all.filter((one) => one.oid !== oid);
const subWith = (fields: Parameters<typeof makerCa>[2]) => makerCa("Maker Sub CA", root, fields);
const bytes = (hex: string) => new Uint8Array(Buffer.from(hex.replaceAll(" ", ""), "hex"));
const joined = (...parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

describe("device-attest-01 with the format apple", () => {
  it.each([["serial"], ["udid"]] as const)("attests the key and the %s of a device", async (id) => {
    const context = { ...right, identifier: named(device[id]) };
    expect(await verifyAttestation(appleObject(...chain), context)).toEqual({
      format: "apple",
      key: keyFingerprint(device.key.key),
      ids: [device.serial, device.udid],
    });
  });

  it("accepts a chain of five certificates", async () => {
    const object = appleObject(leaf, ...Array.from({ length: 4 }, () => sub.der));
    await expect(verifyAttestation(object, right)).resolves.toMatchObject({ format: "apple" });
  });

  it("ignores authData, which has no meaning in ACME", async () => {
    const object = encodeMap({
      fmt: "apple",
      authData: bytes("00"),
      attStmt: new Map([["x5c", [...chain]]]),
    });
    await expect(verifyAttestation(object, right)).resolves.toMatchObject({ format: "apple" });
  });

  it("accepts a device if attestation_devices matches any of its identifiers", async () => {
    for (const attestation_devices of [["C02*"], ["x", "00008103-*"]])
      await expect(
        verifyAttestation(appleObject(...chain), {
          ...right,
          config: { ...config, attestation_devices },
        }),
      ).resolves.toMatchObject({ format: "apple" });
  });

  type Context = typeof right;
  /** Forgeries: the attestation object, what else differs, and why it is rejected. */
  const forgeries: readonly (readonly [
    kind: string,
    object: () => Promise<Uint8Array> | Uint8Array,
    why: RegExp,
    context?: Partial<Context>,
  ])[] = [
    [
      "a root with the same name but another key",
      async () => {
        const other = await makerCa("Maker Root");
        const below = await makerCa("Maker Sub CA", other);
        return appleObject(await appleCertificate(below, device, token), below.der, other.der);
      },
      /not trusted: .*\(bad_signature\)/,
    ],
    [
      "a root with another name",
      async () => {
        const other = await makerCa("Forger Root");
        return appleObject(await appleCertificate(other, device, token), other.der);
      },
      /not trusted: .*\(untrusted_root\)/,
    ],
    [
      "a serial number with a slash, which an assigner would have",
      async () => {
        const of = { ...device, serial: "C02/1.2.3" };
        return appleObject(await appleCertificate(sub, of, token), sub.der);
      },
      /the attestation is not for the device with the permanent-identifier C02\/1\.2\.3$/,
      { identifier: named("C02/1.2.3") },
    ],
    ["a chain without its intermediate", () => appleObject(leaf), /\(issuer_unknown\)/],
    [
      "an expired certificate",
      async () => appleObject(await leafWith({ notAfter: testTime - 1 }), sub.der),
      /expired at .*\(expired\)/,
    ],
    [
      "a certificate that is not valid yet",
      async () => appleObject(await leafWith({ notBefore: testTime + 1 }), sub.der),
      /\(not_yet_valid\)/,
    ],
    [
      "an expired intermediate",
      async () => {
        const old = await subWith({ notAfter: testTime - 1 });
        return appleObject(await appleCertificate(old, device, token), old.der);
      },
      /\(expired\)/,
    ],
    [
      "an intermediate that is not a CA",
      async () => {
        const no = await subWith({ with: [basicConstraints(false)] });
        return appleObject(await appleCertificate(no, device, token), no.der);
      },
      /\(not_a_ca\)/,
    ],
    [
      "an intermediate that may not sign certificates",
      async () => {
        const no = await subWith({ with: [basicConstraints(true), keyUsage(["CRLSign"])] });
        return appleObject(await appleCertificate(no, device, token), no.der);
      },
      /\(key_usage\)/,
    ],
    [
      "more intermediates than a path length allows",
      async () => {
        const first = await subWith({ with: [basicConstraints(true, 0), keyUsage(["CertSign"])] });
        const second = await makerCa("Second", first);
        return appleObject(await appleCertificate(second, device, token), second.der, first.der);
      },
      /\(path_too_long\)/,
    ],
    [
      "a certificate signed by the key of a genuine device",
      async () => {
        const by = { ...device, der: leaf, name: encodeName(commonName("device")) };
        const forged = await signed(by, {
          subject: encodeName(commonName("forged")),
          spki: (await makeKey("P-256")).key.spki,
          extensions: all,
        });
        return appleObject(forged, leaf, sub.der);
      },
      /\(not_a_ca\)/,
    ],
    [
      "a self-signed certificate",
      async () => {
        const by = { ...device, name: encodeName(commonName("device")) };
        return appleObject(
          await signed(by, { subject: by.name, spki: by.key.key.spki, extensions: all }),
        );
      },
      /\(untrusted_root\)/,
    ],
    [
      "a serial number that was changed after signing",
      () => {
        const text = Buffer.from(leaf).toString("latin1").replace("C02XG0FDJG5J", "C02XG0FDJG5K");
        return appleObject(new Uint8Array(Buffer.from(text, "latin1")), sub.der);
      },
      /\(bad_signature\)/,
      { identifier: named("C02XG0FDJG5K") },
    ],
    [
      "a critical extension that is unknown",
      async () =>
        appleObject(await leafOf(...all, { ...raw("1.2.3", "x"), critical: true }), sub.der),
      /\(unknown_critical_extension\)/,
    ],
    [
      "the certificate of a CA with all extensions",
      async () => appleObject(await leafOf(...all, basicConstraints(true)), sub.der),
      /^the first certificate of x5c is a CA certificate$/,
    ],
    [
      "a certificate without a freshness code",
      async () => appleObject(await leafOf(...without(appleOids.freshness)), sub.der),
      /^the certificate has no freshness code$/,
    ],
    [
      "the attestation of another order",
      async () => appleObject(await appleCertificate(sub, device, "another token"), sub.der),
      /^the freshness code is not the SHA-256 of the challenge's token$/,
    ],
    [
      "a freshness code of the key authorization",
      async () =>
        appleObject(
          await leafOf(
            ...without(appleOids.freshness),
            raw(appleOids.freshness, sha256Of(proof.keyAuthorization)),
          ),
          sub.der,
        ),
      /^the freshness code is not the SHA-256/,
    ],
    [
      "the token itself as freshness code",
      async () =>
        appleObject(
          await leafOf(...without(appleOids.freshness), raw(appleOids.freshness, token)),
          sub.der,
        ),
      /^the freshness code is not the SHA-256/,
    ],
    [
      "two freshness codes, one of them right",
      async () => appleObject(await leafOf(...all, raw(appleOids.freshness, "x")), sub.der),
      /cannot be parsed: .*1\.2\.840\.113635\.100\.8\.11\.1/,
    ],
    [
      "the attestation of another device",
      () => appleObject(...chain),
      /^the attestation is not for the device with the permanent-identifier C02OTHER$/,
      { identifier: named("C02OTHER") },
    ],
    [
      "an identifier in lower case",
      () => appleObject(...chain),
      /the attestation is not for the device with the permanent-identifier c02xg0fdjg5j$/,
      { identifier: named("c02xg0fdjg5j") },
    ],
    [
      "an identifier with an assigner that the attestation does not name",
      () => appleObject(...chain),
      /the attestation is not for the device with the permanent-identifier C02XG0FDJG5J\/1\.2\.3$/,
      { identifier: named("C02XG0FDJG5J/1.2.3") },
    ],
    [
      "a hardware module with the serial number of the device",
      async () =>
        appleObject(
          await leafOf(...without(appleOids.serial), raw(appleOids.serial, "C02/1.2.3")),
          sub.der,
        ),
      /the attestation is not for the device with the hardware-module C02\/1\.2\.3$/,
      { identifier: named("C02/1.2.3", "hardware-module") },
    ],
    [
      "an attestation without identifiers",
      async () =>
        appleObject(await leafOf(...all.filter(({ oid }) => oid === appleOids.freshness)), sub.der),
      /^the attestation does not identify a device$/,
    ],
    [
      "an empty serial number",
      async () =>
        appleObject(
          await leafOf(raw(appleOids.serial, ""), raw(appleOids.freshness, sha256Of(token))),
          sub.der,
        ),
      /^the attestation does not identify a device$/,
      { identifier: named("") },
    ],
    [
      "a serial number that is not UTF-8",
      async () =>
        appleObject(
          await leafOf(...without(appleOids.serial), raw(appleOids.serial, bytes("ff"))),
          sub.der,
        ),
      /^the extension 1\.2\.840\.113635\.100\.8\.9\.1 is not UTF-8$/,
    ],
    [
      "a device that attestation_devices does not list",
      () => appleObject(...chain),
      /^the device is not in attestation_devices of config\/acme$/,
      { config: { ...config, attestation_devices: ["C03*", "c02*"] } },
    ],
    [
      "the format apple without trusted roots",
      () => appleObject(...chain),
      /^the attestation format apple is not accepted$/,
      { config: { ...config, attestation_apple_roots: "" } },
    ],
    ["the format none", () => attestationObject("none", {}), /^the attestation format none is not/],
    [
      "the format packed, which attests no device",
      () => attestationObject("packed", { x5c: [...chain] }),
      /^the attestation format packed is not accepted$/,
    ],
    [
      "a format that is a property of objects",
      () => attestationObject("constructor", { x5c: [...chain] }),
      /^the attestation format constructor is not accepted$/,
    ],
    [
      "an object without fmt",
      () => encodeMap({ attStmt: new Map([["x5c", [...chain]]]) }),
      /^the attestation object has no fmt$/,
    ],
    [
      "a fmt that is not a string",
      () => attestationObject(1, { x5c: [...chain] }),
      /^the attestation object has no fmt$/,
    ],
    ["an object without attStmt", () => encodeMap({ fmt: "apple" }), /^attStmt is not a map$/],
    [
      "a list instead of a map",
      () => encodeCBOR(["apple"]),
      /^the attestation object is not a map$/,
    ],
    [
      "a key that is a number",
      () => bytes("a1 01 02"),
      /^the attestation object has a key that is not a string$/,
    ],
    [
      "a statement without x5c",
      () => attestationObject("apple", {}),
      /^x5c is not a list of 1 to 5 certificates$/,
    ],
    ["an empty x5c", () => appleObject(), /^x5c is not a list of 1 to 5/],
    [
      "certificates as base64",
      () =>
        attestationObject("apple", {
          x5c: chain.map((der) => Buffer.from(der).toString("base64")),
        }),
      /^x5c is not a list of 1 to 5/,
    ],
    [
      "six certificates",
      () => appleObject(leaf, ...Array.from({ length: 5 }, () => sub.der)),
      /^x5c is not a list of 1 to 5/,
    ],
    [
      "a certificate that cannot be parsed",
      () => appleObject(leaf.subarray(1), sub.der),
      /^the first certificate of x5c cannot be parsed: /,
    ],
    [
      "a certificate with trailing bytes",
      () => appleObject(joined(leaf, bytes("00")), sub.der),
      /^the first certificate of x5c cannot be parsed: .*trailing bytes/,
    ],
    [
      "CBOR that is cut off",
      () => appleObject(...chain).subarray(0, -1),
      /^the attestation object is not valid CBOR: .*whole stream was not processed/,
    ],
    [
      "bytes after the object",
      () => joined(appleObject(...chain), bytes("00")),
      /is not valid CBOR: .*whole stream was not processed/,
    ],
    [
      "two formats, the second an accepted one",
      // {"fmt": "none", "fmt": "apple"}
      () => bytes("a2 63666d74 646e6f6e65 63666d74 656170706c65"),
      /is not valid CBOR: Map is not supported or well formed/,
    ],
    [
      "two x5c",
      // {"fmt": "apple", "attStmt": {"x5c": [], "x5c": []}}
      () => bytes("a2 63666d74 656170706c65 6761747453746d74 a2 63783563 80 63783563 80"),
      /is not valid CBOR: Map is not supported or well formed/,
    ],
    [
      "a byte string that claims more bytes than there are",
      () => bytes("a1 63666d74 5b 000000ffffffffff 00"),
      /is not valid CBOR: .*whole stream was not processed/,
    ],
    [
      "a list that claims four billion entries",
      () => bytes("a1 63666d74 9a ffffffff 00"),
      /is not valid CBOR: array is not supported or well formed/,
    ],
    [
      "indefinite lengths",
      () => bytes("bf 63666d74 656170706c65 ff"),
      /is not valid CBOR: Length not supported or not well formed/,
    ],
    ["a tag", () => bytes("c2 41 01"), /^the attestation object is not a map$/],
    [
      "lists nested ten thousand times",
      () => new Uint8Array(10_000).fill(0x81),
      /is not valid CBOR: .*call stack/,
    ],
    ["no bytes", () => new Uint8Array(0), /is not valid CBOR: /],
  ];

  const table = forgeries.map(([kind, object, why, context]) => ({ kind, object, why, context }));
  it.each(table)("rejects $kind", async ({ object, why, context }) => {
    const rejected = verifyAttestation(await object(), { ...right, ...context });
    await expect(rejected).rejects.toMatchObject({
      code: "bad_attestation_statement",
      message: expect.stringMatching(why) as string,
    });
  });
});
