import { describe, expect, it } from "vitest";
import { CaError } from "../../../src/base/errors.ts";
import type { Scheme } from "../../../src/engine/ports.ts";
import type { Authority, Signing } from "../../../src/pki/issuer/authority.ts";
import { certify as certifyWith, recertify, planOf } from "../../../src/pki/issuer/certify.ts";
import { openIssuer } from "../../../src/pki/issuer/issuer.ts";
import type { Signed } from "../../../src/log/rows/signed.ts";
import type { Template } from "../../../src/pki/request/template.ts";
import { verifySignature } from "../../../src/x509/public-key.ts";
import { parseCertificate } from "../../../src/x509/certificate.ts";
import { basicConstraints } from "../../../src/x509/basic-constraints.ts";
import { keyUsage } from "../../../src/x509/usage.ts";
import type { Extension } from "../../../src/x509/extension.ts";
import { encodeName } from "../../../src/x509/name.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { commonName, type TestKey } from "../../x509/fixture.ts";
import { primeKey } from "../../x509/prime-key.ts";
import { keyOf, noNames } from "../reading.ts";

const issuer = await keyOf("P-256");
const own = await keyOf("P-384");
const ed = await keyOf("Ed25519");
const scheme: Scheme = { name: "ECDSA", hash: "SHA-256" };
const signerOf = (key: TestKey, platform = true) => ({
  spki: key.key.spki,
  platform,
  sign: (_: Scheme, data: Uint8Array) => key.sign(data),
});
const authority: Authority = {
  signer: signerOf(issuer),
  log: undefined,
  publicKey: issuer.key,
  subject: encodeName(commonName("Issuer")),
  keyId: Uint8Array.of(1),
  pathLength: undefined,
};
const leaf: Template = {
  kind: "leaf",
  subject: commonName("a.test"),
  names: { ...noNames, dns: ["a.test"] },
  notBefore: 1000,
  notAfter: 2000,
  spki: own.key.spki,
  keyUsage: ["DigitalSignature"],
  extKeyUsage: [],
};
const intermediate: Template = {
  ...leaf,
  kind: "intermediate",
  keyUsage: ["CertSign", "CRLSign"],
  basicConstraints: { ca: true },
};
const root: Template = { ...intermediate, kind: "root", spki: issuer.key.spki };
const own_ = { ...authority, subject: undefined, keyId: undefined };
const none = {
  issuing_certificates: [],
  crl_distribution_points: [],
  delta_crl_distribution_points: [],
  ocsp_servers: [],
};
interface CertifyRequest extends Signing {
  readonly template: Template;
  readonly serial: Uint8Array;
}
const certify = async ({ template, serial, ...signing }: CertifyRequest): Promise<Uint8Array> =>
  derIn(await certifyWith(planOf(template, signing), template, serial));
const derIn = async (signed: Signed): Promise<Uint8Array> =>
  (await signed.inChange((der) => ({ reply: der }))).reply;
const asked = (template: Template, more: Partial<CertifyRequest> = {}): CertifyRequest => ({
  template,
  authority,
  serial: new Uint8Array(20).fill(5),
  scheme,
  urls: none,
  ...more,
});
const sets = { dns: [], ip: [], email: [], uri: [] };
const lengths =
  "a DNS name may have at most 253 octets, with labels of at most 63 (RFC 1035 section 2.3.4), and an email address at most 254 (RFC 5321)";
const once = (extension: Extension | undefined): readonly Extension[] =>
  extension ? [extension, extension] : [];

describe("certify", () => {
  it("signs a valid certificate, with the same algorithm inside and outside", async () => {
    for (const request of [
      asked(leaf),
      asked(intermediate),
      asked(root, { authority: own_ }),
      asked({ ...leaf, subject: [] }),
    ]) {
      const certificate = parseCertificate(await certify(request));
      expect(
        await verifySignature(
          issuer.key.spki,
          certificate.algorithm,
          certificate.tbs,
          certificate.signature,
        ),
      ).toBe(true);
    }
  });

  it.each<readonly [rule: string, request: CertifyRequest]>([
    [
      "the serial number must be positive and have at most 20 octets (4.1.2.2)",
      asked(leaf, { serial: new Uint8Array(21).fill(5) }),
    ],
    [
      "the serial number must be positive and have at most 20 octets (4.1.2.2)",
      asked(leaf, { serial: new Uint8Array(0) }),
    ],
    [
      "the serial number must be positive and have at most 20 octets (4.1.2.2)",
      asked(leaf, { serial: Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 7, 8) }),
    ],
    [
      "the serial number must be positive and have at most 20 octets (4.1.2.2)",
      asked(leaf, { serial: new Uint8Array(20).fill(0x80) }),
    ],
    [
      "the serial number must have at least 64 bits",
      asked(leaf, { serial: new Uint8Array(7).fill(5) }),
    ],
    ["notBefore must be earlier than notAfter (4.1.2.5)", asked({ ...leaf, notAfter: 1000 })],
    ["notBefore must be earlier than notAfter (4.1.2.5)", asked({ ...leaf, notAfter: 1000.5 })],
    [
      "the validity must be between 1970 and 9999 (4.1.2.5)",
      asked({ ...leaf, notAfter: 253_402_300_800 }),
    ],
    ["the validity must be between 1970 and 9999 (4.1.2.5)", asked({ ...leaf, notBefore: -1 })],
    [
      "a root or intermediate must be a CA according to its basic constraints, and a leaf must not be one (4.2.1.9)",
      asked({ ...leaf, basicConstraints: { ca: true } }),
    ],
    [
      "a root or intermediate must be a CA according to its basic constraints, and a leaf must not be one (4.2.1.9)",
      asked({ ...intermediate, basicConstraints: { ca: false } }),
    ],
    [
      "only a CA may sign certificates or CRLs (4.2.1.3)",
      asked({ ...leaf, keyUsage: ["CRLSign"] }),
    ],
    [
      "a CA must have the key usage keyCertSign (4.2.1.3)",
      asked({ ...intermediate, keyUsage: ["CRLSign"] }),
    ],
    [
      "only a CA may have a path length constraint (4.2.1.9)",
      asked({ ...leaf, basicConstraints: { ca: false, pathLength: 0 } }),
    ],
    [
      "only a CA may have name constraints (4.2.1.10)",
      asked({ ...leaf, constraints: { permitted: sets, excluded: sets } }),
    ],
    [
      "an extension copied to a leaf must not give the leaf the rights of a CA",
      asked({ ...leaf, extra: [basicConstraints(true)] }),
    ],
    [
      "an extension copied to a leaf must not give the leaf the rights of a CA",
      asked({ ...leaf, extra: [basicConstraints(false)] }),
    ],
    [
      "an extension copied to a leaf must not give the leaf the rights of a CA",
      asked({
        ...leaf,
        extra: [
          { oid: extensionOid.nameConstraints, critical: true, value: Uint8Array.of(0x30, 0) },
        ],
      }),
    ],
    [
      "the path length constraint must be less than the issuer's (4.2.1.9)",
      asked(intermediate, { authority: { ...authority, pathLength: 1 } }),
    ],
    [
      "the path length constraint must be less than the issuer's (4.2.1.9)",
      asked(
        { ...intermediate, basicConstraints: { ca: true, pathLength: 1 } },
        { authority: { ...authority, pathLength: 1 } },
      ),
    ],
    ["an intermediate CA must have a subject (4.1.2.6)", asked({ ...intermediate, subject: [] })],
    [
      "a certificate with an empty subject must have alternative names (4.1.2.6)",
      asked({ ...leaf, subject: [], names: noNames }),
    ],
    [
      "a certificate may have at most 5000 names",
      asked({
        ...leaf,
        names: { ...noNames, dns: Array.from({ length: 5001 }, (_, i) => `n${i}`) },
      }),
    ],
    [lengths, asked({ ...leaf, names: { ...noNames, dns: ["a.test", `${"a".repeat(64)}.test`] } })],
    [lengths, asked({ ...intermediate, names: { ...noNames, dns: ["abcdef.".repeat(37)] } })],
    [lengths, asked({ ...leaf, names: { ...noNames, email: [`u@${"a".repeat(253)}`] } })],
    [
      "a root must be signed with its own key",
      asked({ ...root, spki: own.key.spki }, { authority: own_ }),
    ],
    ["a root must be signed with its own key", asked(root)],
    ["a leaf must not have the key of its issuer", asked({ ...leaf, spki: issuer.key.spki })],
    [
      "the signature algorithm must fit the issuer's key",
      asked(leaf, { scheme: { name: "Ed25519" } }),
    ],
    [
      "the signing key must be the issuer's",
      asked(leaf, { authority: { ...authority, signer: signerOf(ed) } }),
    ],
    [
      "an extension must not be repeated (RFC 5280 section 4.2)",
      asked({ ...leaf, extra: once(keyUsage(["DigitalSignature"])) }),
    ],
    [
      "an extension must not be repeated (RFC 5280 section 4.2)",
      asked({ ...intermediate, extra: [basicConstraints(true, 9)] }),
    ],
  ])("refuses a certificate that would break: %s", async (rule, request) => {
    let signed = 0;
    const counting = {
      ...request.authority,
      signer: {
        ...request.authority.signer,
        sign: (by: Scheme, data: Uint8Array) => (signed++, request.authority.signer.sign(by, data)),
      },
    };
    const error: unknown = await certify({ ...request, authority: counting }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(CaError);
    expect(error).toMatchObject({
      code: "constraint",
      message: `the certificate would violate a rule: ${rule}`,
    });
    expect(signed).toBe(0);
  });

  it("rejects a public key that is not on its curve", async () => {
    const spki = own.key.spki.slice();
    spki[spki.length - 1] = (spki.at(-1) ?? 0) ^ 1;
    await expect(certify(asked({ ...leaf, spki }))).rejects.toMatchObject({ code: "bad_key" });
  });

  it("rejects an invalid signature, unless the platform made it", async () => {
    const wrong = {
      ...signerOf(issuer, false),
      sign: async (_: Scheme, data: Uint8Array) => issuer.sign(data.slice(1)),
    };
    const request = asked(leaf, { authority: { ...authority, signer: wrong } });
    await expect(certify(request)).rejects.toMatchObject({
      code: "unusable_issuer",
      message: "the signature that the issuer's key created is invalid",
    });
    await expect(
      certify({
        ...request,
        authority: { ...authority, signer: { ...wrong, sign: async () => new Uint8Array(0) } },
      }),
    ).rejects.toMatchObject({
      code: "unusable_issuer",
    });
    await expect(
      certify(asked(leaf, { authority: { ...authority, signer: signerOf(issuer, false) } })),
    ).resolves.toBeInstanceOf(Uint8Array);
  });
});

describe("openIssuer", () => {
  it("returns the path length, so that certify enforces it whatever was checked before", async () => {
    const der = await certify(
      asked({ ...root, basicConstraints: { ca: true, pathLength: 0 } }, { authority: own_ }),
    );
    const vault = { signer: async () => authority.signer };
    const opened = await openIssuer(
      // no other members of row, mount and configuration are read
      { der } as unknown as Parameters<typeof openIssuer>[0],
      { ports: { vault } } as unknown as Parameters<typeof openIssuer>[1],
      { mount: { uuid: "m" }, get: () => ({ enabled: false }) } as unknown as Parameters<
        typeof openIssuer
      >[2],
      { id: "k", spki: issuer.key.spki } as unknown as Parameters<typeof openIssuer>[3],
    );
    const { signer, publicKey, subject, pathLength }: Authority = opened;
    expect({ signer, spki: publicKey.spki, subject, pathLength }).toEqual({
      signer: authority.signer,
      spki: issuer.key.spki,
      subject: encodeName(commonName("a.test")),
      pathLength: 0,
    });
    await expect(
      certify(asked({ ...intermediate, spki: own.key.spki }, { authority: opened })),
    ).rejects.toThrow("the path length constraint must be less than the issuer's (4.2.1.9)");
  });
});

describe("recertify", () => {
  it("re-signs a self-issued CA certificate, and rejects one that would break a rule", async () => {
    const given = parseCertificate(await certify(asked(root, { authority: own_ })));
    const again = async (
      certificate: Partial<typeof given>,
      more: { authority?: Authority; scheme?: Scheme } = {},
    ) =>
      recertify({
        certificate: { ...given, ...certificate },
        authority,
        scheme,
        urls: none,
        ...more,
      })
        .then(derIn)
        .then(
          (der) => parseCertificate(der).subject,
          (error: unknown) => (error instanceof CaError ? [error.code, error.message] : error),
        );
    const refused = (rule: string) => [
      "constraint",
      `the certificate would violate a rule: ${rule}`,
    ];
    const kept = given.extensions.filter(({ oid }) => oid !== extensionOid.basicConstraints);
    expect(await again({})).toEqual(given.subject);
    expect(await again({ extensions: kept })).toEqual(
      refused("only a self-issued CA certificate can be signed again"),
    );
    expect(await again({ issuer: encodeName(commonName("Other")) })).toEqual(
      refused("only a self-issued CA certificate can be signed again"),
    );
    for (const serial of [Uint8Array.of(0), Uint8Array.of(0x80, 1)])
      expect(await again({ serial })).toEqual(
        refused("the serial number must be positive (4.1.2.2)"),
      );
    for (const length of [21, 33_000])
      expect(await again({ serial: new Uint8Array(length).fill(1) })).toEqual(
        refused("the serial number must have at most 20 octets (4.1.2.2)"),
      );
    expect(await again({ serial: new Uint8Array(20).fill(1) })).toEqual(given.subject);
    expect(await again({}, { authority: { ...authority, keyId: undefined } })).toEqual(
      refused("a self-issued certificate must be signed by an issuer"),
    );
    expect(await again({}, { scheme: { name: "Ed25519" } })).toEqual(
      refused("the signature algorithm must fit the issuer's key"),
    );
    const off = given.spki.map((byte, i) => (i === given.spki.length - 1 ? byte ^ 1 : byte));
    expect(await again({ spki: off })).toEqual(["bad_key", "EC key: the point is not on P-256"]);
    expect(await again({ spki: primeKey().key.spki })).toEqual([
      "bad_key",
      "RSA key: the modulus is a prime",
    ]);
  });

  it("rejects a certificate larger than clients accept", async () => {
    const dns = Array.from({ length: 4000 }, (_, i) => `host-number-${i}.a.test`);
    await expect(certify(asked({ ...leaf, names: { ...noNames, dns } }))).rejects.toThrow(
      /^the certificate would have [0-9]+ bytes, more than 65536$/,
    );
  });
});
