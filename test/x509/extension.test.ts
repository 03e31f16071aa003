import { AsnConvert } from "@peculiar/asn1-schema";
import * as asn from "@peculiar/asn1-x509";
import { describe, expect, it } from "vitest";
import { fromHex, asBytes, toHex, utf8 } from "../../src/base/bytes.ts";
import {
  bitString,
  boolean,
  explicit,
  integer,
  octets,
  oid,
  sequence,
  tlv,
  tlvOf,
} from "../../src/base/der.ts";
import { implicit } from "../support/der.ts";
import { CaError } from "../../src/base/errors.ts";
import * as extension from "./extensions.ts";
import {
  readAuthorityInfoAccess,
  readCrlDistributionPoints,
} from "../../src/x509/distribution-points.ts";
import {
  readAuthorityKeyIdentifier,
  readSubjectKeyIdentifier,
} from "../../src/x509/key-identifiers.ts";
import { readBasicConstraints } from "../../src/x509/basic-constraints.ts";
import { readCertificatePolicies } from "../../src/x509/policies.ts";
import {
  readExtKeyUsage,
  readKeyUsage,
  extKeyUsageName,
  extKeyUsageOid,
  extKeyUsageOrder,
  keyUsageName,
  keyUsages,
} from "../../src/x509/usage.ts";
import { readNameConstraints } from "../../src/x509/name-constraints.ts";
import { encodeName } from "../../src/x509/name.ts";
import { noNames } from "../../src/x509/san.ts";
import { commonName } from "./fixture.ts";

const valueOf = (made: extension.Extension | undefined): Uint8Array =>
  made?.value ?? new Uint8Array(0);
const hex = (made: extension.Extension | undefined): string => toHex(valueOf(made));
/** Re-encodes a value with asn1-x509. */
const again = <T>(made: extension.Extension | undefined, type: new () => T): string =>
  toHex(new Uint8Array(AsnConvert.serialize(AsnConvert.parse(asBytes(valueOf(made)), type))));

describe("key usage", () => {
  it.each([
    [["DigitalSignature"], "03020780"],
    [["CertSign", "CRLSign"], "03020106"],
    [["DecipherOnly"], "0303070080"],
    [["KeyAgreement", "EncipherOnly", "DecipherOnly"], "0303070980"],
    [[...keyUsages], "030307ff80"],
  ] as const)("of %j is encoded as %s, and is critical", (names, der) => {
    const made = extension.keyUsage(names);
    expect(hex(made)).toBe(der);
    expect(made?.critical).toBe(true);
    expect(readKeyUsage(valueOf(made))).toEqual(names);
  });

  it("is omitted if empty", () => expect(extension.keyUsage([])).toBeUndefined());

  it("has case-insensitive names and ignores spaces around them", () => {
    expect(keyUsageName(" crlsign ")).toBe("CRLSign");
    expect(keyUsageName("KeyCertSign")).toBeUndefined();
  });

  it.each(["0302078000", "03020680", "0302000a", "0304040000f0", "030200", "0500"])(
    "%s is rejected as malformed",
    (der) => expect(() => readKeyUsage(fromHex(der))).toThrow(CaError),
  );

  it("is parsed as empty if it has no bits", () =>
    expect(readKeyUsage(bitString(new Uint8Array(0)))).toEqual([]));
});

describe("extended key usage", () => {
  it("sorts names in the order of certificates and drops unknown ones", () => {
    expect(
      extKeyUsageOrder(["OCSPSigning", "any", "nothing", "serverauth", " ClientAuth "]),
    ).toEqual(["2.5.29.37.0", "1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2", "1.3.6.1.5.5.7.3.9"]);
    expect(extKeyUsageOid("MicrosoftKernelCodeSigning")).toBe("1.3.6.1.4.1.311.61.1.1");
    expect(extKeyUsageName("1.3.6.1.5.5.7.3.4")).toBe("EmailProtection");
  });

  it("keeps the given order, drops duplicates and parses unknown purposes", () => {
    const made = extension.extKeyUsage(["1.2.3", "1.3.6.1.5.5.7.3.1", "1.2.3"]);
    expect(readExtKeyUsage(valueOf(made))).toEqual(["1.2.3", "1.3.6.1.5.5.7.3.1"]);
    expect(extension.extKeyUsage([])).toBeUndefined();
    expect(readExtKeyUsage(sequence())).toEqual([]);
  });
});

describe("basic constraints", () => {
  it.each([
    [extension.basicConstraints(true), "30030101ff", { ca: true }],
    [extension.basicConstraints(true, 0), "30060101ff020100", { ca: true, pathLength: 0 }],
    [extension.basicConstraints(true, 300), "30070101ff0202012c", { ca: true, pathLength: 300 }],
    [extension.basicConstraints(false), "3000", { ca: false }],
  ])("case %# round-trips", (made, der, read) => {
    expect(hex(made)).toBe(der);
    expect(made.critical).toBe(true);
    expect(readBasicConstraints(made.value)).toEqual(read);
  });

  it("accept an explicit FALSE, and reject a path length without cA or below zero and malformed booleans", () => {
    expect(readBasicConstraints(sequence(boolean(false)))).toEqual({ ca: false });
    for (const value of [
      sequence(integer(0)),
      sequence(boolean(true), fromHex("0201ff")),
      fromHex("3003010101"),
      sequence(boolean(true), integer(0), integer(0)),
    ]) {
      expect(() => readBasicConstraints(value)).toThrow(CaError);
    }
  });
});

describe("URLs", () => {
  it("authority information access lists OCSP URLs first", () => {
    const made = extension.authorityInfoAccess(["http://o1", "http://o2"], ["http://i"]);
    expect(readAuthorityInfoAccess(valueOf(made))).toEqual({
      ocsp: ["http://o1", "http://o2"],
      issuers: ["http://i"],
    });
    expect(again(made, asn.AuthorityInfoAccessSyntax)).toBe(hex(made));
    expect(extension.authorityInfoAccess([], [])).toBeUndefined();
  });

  it("access descriptions of other methods and name types are skipped", () => {
    const value = sequence(
      sequence(oid("1.2.3"), tlv(0x86, utf8("http://x"))),
      sequence(oid("1.3.6.1.5.5.7.48.1"), tlv(0x82, utf8("x"))),
    );
    expect(readAuthorityInfoAccess(value)).toEqual({ ocsp: [], issuers: [] });
  });

  it("each CRL URL has its own distribution point", () => {
    const urls = ["http://a/1", "ldap://b/2"];
    for (const made of [extension.crlDistributionPoints(urls), extension.freshestCrl(urls)]) {
      expect(readCrlDistributionPoints(valueOf(made))).toEqual(urls);
      expect(again(made, asn.CRLDistributionPoints)).toBe(hex(made));
      expect(made?.critical).toBe(false);
    }
    expect(extension.freshestCrl([])).toBeUndefined();
  });

  it("CRL URLs are also parsed from points with reasons and issuers", () => {
    const point = sequence(
      explicit(0, explicit(0, tlv(0x86, utf8("http://a")))),
      implicit(1, bitString(Uint8Array.of(0x40), 6)),
      tlv(0xa2, explicit(4, encodeName([]))),
    );
    expect(
      readCrlDistributionPoints(sequence(point, sequence(tlv(0xa2, explicit(4, encodeName([])))))),
    ).toEqual(["http://a"]);
  });

  it("URLs that are not ASCII are rejected", () =>
    expect(() => extension.crlDistributionPoints(["http://ü"])).toThrow(CaError));
});

describe("certificate policies", () => {
  it("contain their qualifiers, with the CPS URI before the notice", () => {
    const made = extension.certificatePolicies([
      "1.2.3",
      { oid: "1.2.4", notice: "Grüße", cps: "https://cps" },
      { oid: "1.2.5" },
    ]);
    expect(readCertificatePolicies(valueOf(made))).toEqual(["1.2.3", "1.2.4", "1.2.5"]);
    expect(again(made, asn.CertificatePolicies)).toBe(hex(made));
    expect(hex(made).indexOf("2b06010505070201")).toBeLessThan(
      hex(made).indexOf("2b06010505070202"),
    );
    expect(extension.certificatePolicies([])).toBeUndefined();
  });
});

describe("key identifiers", () => {
  it("round-trip", () => {
    const id = Uint8Array.of(1, 2, 3);
    expect(hex(extension.subjectKeyIdentifier(id))).toBe("0403010203");
    expect(hex(extension.authorityKeyIdentifier(id))).toBe("30058003010203");
    expect(readSubjectKeyIdentifier(extension.subjectKeyIdentifier(id).value)).toEqual(id);
    expect(readAuthorityKeyIdentifier(extension.authorityKeyIdentifier(id).value)).toEqual(id);
  });

  it("are undefined if only issuer and serial number are given", () => {
    const value = sequence(
      tlv(0xa1, explicit(4, encodeName(commonName("a")))),
      implicit(2, integer(5)),
    );
    expect(readAuthorityKeyIdentifier(value)).toBeUndefined();
    expect(() => readAuthorityKeyIdentifier(sequence(integer(1)))).toThrow(CaError);
  });
});

describe("name constraints", () => {
  const limits = {
    permitted: {
      dns: ["example.com", ".example.org"],
      ip: ["192.0.2.0/24", "2001:db8::/32"],
      email: ["example.com"],
      uri: [".example.com"],
    },
    excluded: { dns: ["bad.example.com"], ip: ["10.0.0.0/8"] },
  };

  it("are encoded in the order DNS, IP, e-mail and URI, permitted before excluded", () => {
    const made = extension.nameConstraints(limits);
    expect(made?.critical).toBe(true);
    const none = { dns: [], ip: [], email: [], uri: [], directory: [], unreadable: [] };
    expect(readNameConstraints(valueOf(made))).toEqual({
      permitted: { ...none, ...limits.permitted },
      excluded: { ...none, ...limits.excluded },
    });
    expect(again(made, asn.NameConstraints)).toBe(hex(made));
    expect(
      hex(
        extension.nameConstraints({
          permitted: { dns: ["a"], ip: ["1.2.3.4/32"], email: ["b"], uri: ["c"] },
        }),
      ),
    ).toBe("301da01b3003820161300a870801020304ffffffff30038101623003860163");
  });

  it("are omitted if empty", () =>
    expect(extension.nameConstraints({ permitted: { dns: [] } })).toBeUndefined());

  it("reject invalid IP ranges, both encoded and parsed", () => {
    expect(() => extension.nameConstraints({ excluded: { ip: ["10.0.0.0"] } })).toThrow(CaError);
    const range = (bytes: string): Uint8Array =>
      sequence(tlv(0xa0, sequence(tlv(0x87, fromHex(bytes)))));
    for (const bytes of ["0a000000ff00ff00", "0a000000ffff", "0a0000000000000f", "0a000000ff"]) {
      expect(() => readNameConstraints(range(bytes)), bytes).toThrow(CaError);
    }
    expect(readNameConstraints(range("0a000001ff000000")).permitted.ip).toEqual(["10.0.0.1/8"]);
  });

  it("reject minimum, maximum and empty lists", () => {
    for (const extra of [tlv(0x80, Uint8Array.of(0)), tlv(0x81, Uint8Array.of(1))]) {
      expect(() =>
        readNameConstraints(sequence(tlv(0xa0, sequence(tlv(0x82, utf8("a")), extra)))),
      ).toThrow(CaError);
    }
    expect(() => readNameConstraints(sequence(tlv(0xa1)))).toThrow(CaError);
  });

  it("report directory names as DER, and other unsupported kinds as unreadable", () => {
    const directory = encodeName(commonName("a"));
    const bases = [
      explicit(4, directory),
      implicit(8, oid("1.2.3")),
      tlv(0xa0, oid("1.2.4"), explicit(0, octets(Uint8Array.of(1)))),
    ];
    const { excluded } = readNameConstraints(
      sequence(
        tlvOf(
          0xa1,
          bases.map((base) => sequence(base)),
        ),
      ),
    );
    expect(excluded.directory).toEqual([directory]);
    expect(excluded.unreadable).toEqual(["registeredID 1.2.3", "otherName 1.2.4"]);
  });
});

describe("repeated extensions", () => {
  it("are cached, and have the same encoding as uncached ones", () => {
    const made = extension.extKeyUsage(["1.3.6.1.5.5.7.3.1"]);
    expect(extension.extKeyUsage(["1.3.6.1.5.5.7.3.1"])).toBe(made);
    if (made)
      expect(extension.encodeExtension(made)).toEqual(extension.encodeExtension({ ...made }));
  });

  it("stay correct after the cache has evicted them", () => {
    const first = extension.crlDistributionPoints(["http://a"]);
    for (let i = 0; i < 1200; i++) extension.crlDistributionPoints([`http://a/${i}`]);
    expect(extension.crlDistributionPoints(["http://a"])).toEqual(first);
  });
});

it("subjectAltName is omitted without names, and critical if requested", () => {
  expect(extension.subjectAltName(noNames, true)).toBeUndefined();
  expect(extension.subjectAltName({ ...noNames, dns: ["a"] }, true)).toEqual({
    oid: "2.5.29.17",
    critical: true,
    value: fromHex("3003820161"),
  });
});
