import { describe, expect, it } from "vitest";
import {
  absentPart,
  bitString,
  explicit,
  integer,
  nullValue,
  octets,
  oid,
  sequence,
  tlv,
  tlvOf,
} from "../../src/base/der.ts";
import { crlLintIds, lintCrl } from "../../src/lint/crl.ts";
import { extensionOid as ext } from "../../src/x509/oid.ts";
import { extension, name, timeText } from "./build.ts";

type Bytes = Uint8Array;
/** Changes to a valid CRL. */
interface Changes {
  readonly version?: Bytes;
  readonly algorithm?: Bytes;
  readonly outerAlgorithm?: Bytes;
  readonly issuer?: Bytes;
  readonly thisUpdate?: Bytes;
  readonly nextUpdate?: Bytes;
  readonly entries?: readonly Bytes[];
  readonly extensions?: readonly Bytes[];
}
type Example = readonly [id: string, changes: Changes, text: string];

const ecdsaSha256 = sequence(oid("1.2.840.10045.4.3.2"));
const crlNumber = extension(ext.crlNumber, integer(7));
const keyId = sequence(octets(new Uint8Array(20), 0x80));
const authority = extension(ext.authorityKeyIdentifier, keyId);

function crl({
  version = integer(1),
  algorithm = ecdsaSha256,
  outerAlgorithm = algorithm,
  issuer = name(["2.5.4.3", "A CA"]),
  thisUpdate = timeText("300101000000Z"),
  nextUpdate = timeText("300108000000Z"),
  entries,
  extensions = [crlNumber, authority],
}: Changes): Bytes {
  const revoked = entries ? tlvOf(0x30, entries) : absentPart;
  const list = explicit(0, tlvOf(0x30, extensions));
  const tbs = sequence(version, algorithm, issuer, thisUpdate, nextUpdate, revoked, list);
  return sequence(tbs, outerAlgorithm, bitString(new Uint8Array(8)));
}

const soundTime = timeText("291231000000Z");
const entry = (extensions?: readonly Bytes[], serial = integer(5), time = soundTime): Bytes =>
  sequence(serial, time, extensions ? tlvOf(0x30, extensions) : absentPart);
const reason = (code: number, critical = false): Bytes =>
  extension(ext.reasonCode, tlv(0x0a, Uint8Array.of(code)), critical);
const one = (...extensions: readonly Bytes[]): Changes => ({ entries: [entry(extensions)] });
const more = (...extensions: readonly Bytes[]): Changes => ({
  extensions: [crlNumber, authority, ...extensions],
});
const scope = (...fields: readonly Bytes[]): Changes =>
  more(extension(ext.issuingDistributionPoint, sequence(...fields), true));
const delta = (base: number, critical = true): Bytes =>
  extension(ext.deltaCrlIndicator, integer(base), critical);
const yes = Uint8Array.of(0xff);
const algorithm = (type: string, ...parameters: readonly Bytes[]): Bytes =>
  sequence(oid(type), ...parameters);

const fields: readonly Example[] = [
  ["crl-version", { version: absentPart }, "CRL of version 1; version 2 required"],
  ["crl-issuer-empty", { issuer: name() }, "Empty issuer name"],
  ["crl-next-update-missing", { nextUpdate: absentPart }, "No nextUpdate"],
  [
    "crl-next-update-order",
    { nextUpdate: timeText("300101000000Z") },
    "nextUpdate 300101000000Z is not after thisUpdate 300101000000Z",
  ],
  [
    "crl-next-update-late",
    { nextUpdate: timeText("320101000000Z") },
    "CRL current for 730 days, during which clients do not learn of new revocations",
  ],
  ["crl-entries-empty", { entries: [] }, "Empty list of entries; it must be absent"],
  ["crl-extensions-empty", { extensions: [] }, "Empty list of extensions"],
  [
    "crl-signature-weak",
    { algorithm: algorithm("1.2.840.113549.1.1.5", nullValue) },
    "Signed with SHA1WithRSA, which can be forged",
  ],
  [
    "crl-signature-algorithms-differ",
    { outerAlgorithm: algorithm("1.2.840.10045.4.3.3") },
    "The field signature is ECDSAWithSHA256, but signatureAlgorithm is ECDSAWithSHA384",
  ],
  [
    "crl-signature-rsa-parameters",
    { algorithm: algorithm("1.2.840.113549.1.1.11") },
    "SHA256WithRSA without NULL as its parameters",
  ],
  [
    "crl-signature-pss-parameters",
    { algorithm: algorithm("1.2.840.113549.1.1.10") },
    "RSASSA-PSS without parameters, which the signature of a certificate requires",
  ],
  [
    "crl-signature-parameters-present",
    { algorithm: algorithm("1.3.101.112", nullValue) },
    "1.3.101.112 with parameters, which must be absent",
  ],
];
const times: readonly Example[] = (
  [
    ["crl-this-update", "thisUpdate", (time: Bytes): Changes => ({ thisUpdate: time })],
    ["crl-next-update", "nextUpdate", (time: Bytes): Changes => ({ nextUpdate: time })],
    [
      "crl-entry-time",
      "Entry 05: Time of revocation",
      (time: Bytes): Changes => ({ entries: [entry(undefined, undefined, time)] }),
    ],
  ] as const
).flatMap(([id, label, changed]) => {
  const all = [
    ["seconds", "2912310000Z", 0x17, "2912310000Z has no seconds"],
    ["zulu", "291231000000+0100", 0x17, "291231000000+0100 does not end with Z"],
    ["fraction", "20291231000000.5Z", 0x18, "20291231000000.5Z has fractions of a second"],
    [
      "form",
      "20291231000000Z",
      0x18,
      "20291231000000Z is a GeneralizedTime; years before 2050 require UTCTime",
    ],
    ["invalid", "290231000000Z", 0x17, "290231000000Z is not a date"],
    ["type", "2912", 0x0c, "has ASN.1 tag 0xc instead of UTCTime or GeneralizedTime"],
  ] as const;
  return all
    .filter(([which]) => which !== "type" || id !== "crl-next-update")
    .map(
      ([which, text, tag, words]) =>
        [`${id}-${which}`, changed(timeText(text, tag)), `${label} ${words}`] as const,
    );
});
const extensions: readonly Example[] = [
  ["crl-extension-repeated", more(crlNumber), "CRL Number occurs twice"],
  [
    "crl-extension-false-written",
    more(extension("1.2.3", nullValue, "false-written")),
    "Extension 1.2.3 encodes critical FALSE, which DER must omit",
  ],
  [
    "crl-extension-unknown-critical",
    more(extension("1.2.3", nullValue, true)),
    "Extension 1.2.3 is critical; clients that do not know it reject the CRL",
  ],
  ["crl-number-missing", { extensions: [authority] }, "No CRL number"],
  [
    "crl-number-malformed",
    { extensions: [authority, extension(ext.crlNumber, tlv(0x02, Uint8Array.of(0x80)))] },
    "Negative CRL number",
  ],
  [
    "crl-number-malformed",
    { extensions: [authority, extension(ext.crlNumber, integer(new Uint8Array(21).fill(1)))] },
    "CRL number of 21 octets; at most 20 allowed",
  ],
  [
    "crl-number-malformed",
    { extensions: [authority, extension(ext.crlNumber, nullValue)] },
    "CRL number that is not an INTEGER",
  ],
  [
    "crl-authority-key-identifier-missing",
    { extensions: [crlNumber] },
    "No authority key identifier",
  ],
  [
    "crl-authority-key-identifier-empty",
    { extensions: [crlNumber, extension(ext.authorityKeyIdentifier, sequence())] },
    "Authority key identifier without a key identifier",
  ],
  ["crl-scope-empty", scope(), "Issuing distribution point without fields"],
  [
    "crl-scope-exclusive",
    scope(tlv(0x81, yes), tlv(0x82, yes)),
    "Issuing distribution point for several of: user certificates only, CA certificates only, attribute certificates only",
  ],
  ["crl-delta-order", more(delta(7)), "Delta CRL 7 that extends CRL 7, which is not older"],
  [
    "crl-delta-freshest",
    more(delta(6), extension(ext.freshestCrl, sequence())),
    "Delta CRL with the URL of a delta CRL",
  ],
];
const entries: readonly Example[] = [
  [
    "crl-entry-serial",
    { entries: [entry(undefined, integer(0))] },
    "Entry with serial number 0; it must be positive",
  ],
  ["crl-entry-repeated", { entries: [entry(), entry()] }, "Serial number 05 occurs twice"],
  [
    "crl-entry-future",
    { entries: [entry(undefined, undefined, timeText("300102000000Z"))] },
    "Entry 05: revoked at 300102000000Z, after thisUpdate 300101000000Z",
  ],
  ["crl-entry-extensions-empty", one(), "Entry 05: empty list of extensions"],
  ["crl-entry-extension-repeated", one(reason(1), reason(1)), "Entry 05: Reason Code occurs twice"],
  ["crl-entry-reason-unknown", one(reason(7)), "Entry 05: reason code 7 is not defined"],
  [
    "crl-entry-reason-malformed",
    one(extension(ext.reasonCode, integer(1))),
    "Entry 05: reason code that is not an ENUMERATED",
  ],
  [
    "crl-entry-reason-unspecified",
    one(reason(0)),
    'Entry 05: reason "unspecified", which should be absent',
  ],
  ["crl-entry-removed", one(reason(8)), 'Entry 05: reason "removeFromCRL" in a complete CRL'],
  ["crl-entry-reason-critical", one(reason(1, true)), "Entry 05: critical reason code"],
  [
    "crl-entry-invalidity-critical",
    one(extension(ext.invalidityDate, timeText("20291231000000Z", 0x18), true)),
    "Entry 05: critical invalidity date",
  ],
  [
    "crl-entry-invalidity-malformed",
    one(extension(ext.invalidityDate, timeText("291231000000Z"))),
    "Entry 05: invalidity date that is not a GeneralizedTime",
  ],
  [
    "crl-entry-issuer-not-critical",
    one(extension(ext.certificateIssuer, sequence())),
    "Entry 05: certificate issuer extension that is not critical",
  ],
];
/** Extensions with a fixed critical flag, with a change for each value, and the wrong value. */
const flags: readonly (readonly [
  id: string,
  change: (critical: boolean) => Changes,
  wrong: boolean,
])[] = [
  [
    "crl-number-critical",
    (critical) => ({ extensions: [authority, extension(ext.crlNumber, integer(7), critical)] }),
    true,
  ],
  [
    "crl-authority-key-identifier-critical",
    (critical) => ({
      extensions: [crlNumber, extension(ext.authorityKeyIdentifier, keyId, critical)],
    }),
    true,
  ],
  ["delta-crl-indicator-not-critical", (critical) => more(delta(6, critical)), false],
  [
    "issuing-distribution-point-not-critical",
    (critical) => more(extension(ext.issuingDistributionPoint, sequence(tlv(0x81, yes)), critical)),
    false,
  ],
  ...(
    [
      ["crl-issuer-alt-name-critical", ext.issuerAltName],
      ["crl-freshest-crl-critical", ext.freshestCrl],
      ["crl-authority-info-access-critical", ext.authorityInfoAccess],
    ] as const
  ).map(
    ([id, type]) =>
      [id, (critical: boolean) => more(extension(type, sequence(), critical)), true] as const,
  ),
];

describe("CRL lints", () => {
  const fired = new Set<string>();
  const findings = (changes: Changes) => {
    const found = lintCrl(crl(changes));
    for (const { id } of found) fired.add(id);
    return found;
  };

  it("a valid CRL with and without entries, and a valid delta CRL, have no findings", () => {
    expect(findings({})).toEqual([]);
    expect(findings(one(reason(1)))).toEqual([]);
    expect(findings({ ...more(delta(6)), entries: [entry([reason(8)])] })).toEqual([]);
  });

  it.each([...fields, ...times, ...extensions, ...entries])(
    "%s reports the defect (%#)",
    (id, changes, text) => {
      expect(findings(changes).find((found) => found.id === id)?.rule).toBe(text);
    },
  );

  it.each(flags)("%s reports the wrong critical flag", (id, change, wrong) => {
    const ids = (critical: boolean) => findings(change(critical)).map((found) => found.id);
    expect([ids(wrong).includes(id), ids(!wrong).includes(id)]).toEqual([true, false]);
  });

  it("the same serial number may occur twice in an indirect CRL", () => {
    const indirect = { ...scope(tlv(0x84, yes)), entries: [entry(), entry()] };
    expect(findings(indirect).map(({ id }) => id)).not.toContain("crl-entry-repeated");
  });

  it("every lint has a unique id and a test above in which it reports a finding", () => {
    expect(new Set(crlLintIds).size).toBe(crlLintIds.length);
    expect(crlLintIds.filter((id) => !fired.has(id))).toEqual([]);
  });
});
