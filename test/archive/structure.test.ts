import { ContentInfo, SignedData } from "@peculiar/asn1-cms";
import { AuthenticatedSafe, PFX, SafeContents } from "@peculiar/asn1-pfx";
import { EncryptedPrivateKeyInfo } from "@peculiar/asn1-pkcs8";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import { expect, it } from "vitest";
import { writePkcs12 } from "../../src/archive/pkcs12.ts";
import { certsOnly } from "../../src/archive/pkcs7.ts";
import { entries, random } from "./entry.ts";

const [[, { key, certificates }]] = entries;
const octets = (info: ContentInfo) => AsnConvert.parse(info.content, OctetString);

it("a certs-only message has the structure that another CMS parser expects", () => {
  const info = AsnConvert.parse(certsOnly(certificates), ContentInfo);
  expect(info.contentType).toBe("1.2.840.113549.1.7.2");
  const signed = AsnConvert.parse(info.content, SignedData);
  expect([signed.version, signed.digestAlgorithms.length, signed.signerInfos.length]).toEqual([
    1, 0, 0,
  ]);
  expect(signed.encapContentInfo).toMatchObject({ eContentType: "1.2.840.113549.1.7.1" });
  const serials = signed.certificates?.map(({ certificate }) =>
    Buffer.from(certificate?.tbsCertificate.serialNumber ?? new ArrayBuffer()).toString("hex"),
  );
  expect(serials).toEqual(["07", "010203"]);
});

it.each([
  ["modern2026", "1.2.840.113549.1.5.14", "NOT USED", 1],
  ["modern2023", "2.16.840.1.101.3.4.2.1", undefined, 10_000],
] as const)(
  "an archive of %s has the structure that another PKCS#12 parser expects",
  async (encoder, mac, salt, rounds) => {
    const password = "correct horse";
    const der = await writePkcs12({ key, certificates }, { encoder, password, random });
    const { version, authSafe, macData } = AsnConvert.parse(der, PFX);
    expect(version).toBe(3);
    expect(macData.mac.digestAlgorithm.algorithm).toBe(mac);
    expect(macData.mac.digest.byteLength).toBe(32);
    expect(macData.iterations).toBe(rounds);
    expect(macData.macSalt.byteLength).toBe(salt?.length ?? 16);
    const parts = AsnConvert.parse(octets(authSafe), AuthenticatedSafe);
    expect(parts.map(({ contentType }) => contentType)).toEqual([
      "1.2.840.113549.1.7.6",
      "1.2.840.113549.1.7.1",
    ]);
    const [, keys] = parts;
    const [bag] = keys ? AsnConvert.parse(octets(keys), SafeContents) : [];
    expect(bag?.bagId).toBe("1.2.840.113549.1.12.10.1.2");
    expect(bag?.bagAttributes?.map(({ attrId }) => attrId)).toEqual([
      "1.2.840.113549.1.9.20",
      "1.2.840.113549.1.9.21",
    ]);
    const sealed = AsnConvert.parse(bag?.bagValue ?? new ArrayBuffer(), EncryptedPrivateKeyInfo);
    expect(sealed.encryptionAlgorithm.algorithm).toBe("1.2.840.113549.1.5.13");
  },
);
