import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nameFilter } from "../../../src/pki/lookup/search-filter.ts";
import { sequence, set, tlv, oid, utf8String } from "../../../src/base/der.ts";
import { nameOid } from "../../../src/x509/oid.ts";
import { encodeName } from "../../../src/x509/name.ts";
import { commonName } from "../../x509/fixture.ts";
import { sanOf } from "../reading.ts";

/** Returns a subject and a SAN as a certificate contains them. */
const certificate = (subject: Uint8Array, san: Parameters<typeof sanOf>[0]): Uint8Array =>
  sequence(subject, sanOf(san)?.value ?? new Uint8Array(0));
const dnsName = fc.stringMatching(/^[A-Za-z0-9-]{1,12}(\.[A-Za-z0-9-]{1,12}){0,3}$/);
/** Generates parts of a text, some in upper case. */
const partOf = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.nat(text.length), fc.nat(text.length))
    .map(([a, b]) => text.slice(Math.min(a, b), Math.max(a, b)))
    // an unpaired surrogate is in no name
    .filter((part) => !/\p{Cs}/u.test(part))
    .map((part) =>
      part.replace(/[a-z]/g, (letter) => (part.length % 2 ? letter.toUpperCase() : letter)),
    );

describe("nameFilter", () => {
  it("never excludes a certificate with a name that contains the text", () => {
    const named = fc.oneof(
      dnsName.map((name) => ({
        name,
        der: certificate(encodeName(commonName("x")), { dns: ["first.test", name] }),
      })),
      dnsName.map((name) => ({
        name: `u@${name}`,
        der: certificate(encodeName(commonName("x")), { email: [`u@${name}`] }),
      })),
      fc
        .ipV4()
        .map((name) => ({ name, der: certificate(encodeName(commonName("x")), { ip: [name] }) })),
      fc.ipV6().map((name) => ({
        name: "::",
        der: certificate(encodeName(commonName("x")), { ip: [name] }),
      })),
      fc
        .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
        .map((name) => ({ name, der: certificate(encodeName(commonName(name)), {}) })),
    );
    fc.assert(
      fc.property(
        named.chain(({ name, der }) => partOf(name).map((part) => ({ part, der }))),
        ({ part, der }) => {
          expect(nameFilter(part)(der)).toBe(true);
        },
      ),
    );
  });

  it("excludes a certificate whose bytes do not contain the text, except with legacy string types", () => {
    const plain = certificate(encodeName(commonName("host.test")), { dns: ["host.test"] });
    for (const text of ["other", "10.9.8.7", "host.tesu", "\u00fc"])
      expect([text, nameFilter(text)(plain)]).toEqual([text, false]);
    const wide = (tag: number) =>
      sequence(set(sequence(oid(nameOid.commonName), tlv(tag, Uint8Array.of(0, 0x61)))));
    for (const tag of [0x1e, 0x14, 0x1c]) expect(nameFilter("anything")(wide(tag))).toBe(true);
    expect(
      nameFilter("anything")(sequence(set(sequence(oid(nameOid.commonName), utf8String("a"))))),
    ).toBe(false);
  });
});
