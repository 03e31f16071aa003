import { describe, expect, it } from "vitest";
import { explicit, oid, octets, sequence, tlv } from "../../../src/base/der.ts";
import { implicit } from "../../support/der.ts";
import { fromHex, utf8 } from "../../../src/base/bytes.ts";
import { encodeName } from "../../../src/x509/name.ts";
import * as extension from "../../x509/extensions.ts";
import { extensionOid, nameOid } from "../../../src/x509/oid.ts";
import { authority, type Authority } from "../../support/authority.ts";
import { commonName } from "../../x509/fixture.ts";
import { parseCsr } from "../../../src/x509/csr.ts";
import { crafted, heldIssuer } from "../crafted.ts";
import { derOf, rdn, readCertificate, request, sanOf } from "../reading.ts";

const open = {
  enforce_hostnames: false,
  cn_validations: ["disabled"],
  require_cn: false,
  allowed_uri_sans: ["*"],
  allowed_other_sans: ["*"],
};
/** Issues below an issuer, and returns 200 or the error text. */
async function verdict(a: Authority, issuer: string, body: object): Promise<unknown> {
  const stored =
    ((await a.call("LIST", "pki/certs")).data["keys"] as readonly string[] | undefined)?.length ??
    0;
  const answer = await a.call("POST", `pki/issuer/${issuer}/issue/any`, { ttl: 60, ...body });
  const after =
    ((await a.call("LIST", "pki/certs")).data["keys"] as readonly string[] | undefined)?.length ??
    0;
  expect(after - stored).toBe(answer.status === 200 ? 1 : 0);
  return answer.status === 200 ? 200 : [answer.status, answer.errors[0]];
}
async function constrained(input: object): Promise<{ readonly a: Authority; readonly id: string }> {
  const a = authority();
  await a.root();
  await a.role("any", open);
  const { id } = await a.intermediate(input);
  return { a, id };
}
const refused = (text: string) => [
  400,
  expect.stringContaining(`name constraints (4.2.1.10): ${text}`),
];

describe("an issuer whose key usage lacks keyCertSign", () => {
  it("can be imported, but signs neither leaves nor CAs", async () => {
    const a = authority();
    await a.root();
    await a.role("any", open);
    const id = await heldIssuer(a, { usage: ["DigitalSignature", "CRLSign"] });
    const csr = await request({ cn: "a.test" });
    const twin = await crafted({ subject: "Twin" });
    const refusal = `issuer ${id} cannot sign certificates: the key usage of its certificate lacks keyCertSign (RFC 5280 section 4.2.1.3)`;
    for (const chainChecks of [true, false])
      for (const compat of [false, true])
        for (const [path, body] of [
          ["issue/any", { common_name: "a.test" }],
          ["sign/any", { csr }],
          ["sign-verbatim", { csr }],
          ["sign-intermediate", { csr, common_name: "Below" }],
          ["sign-self-issued", { certificate: twin }],
        ] as const) {
          const b = chainChecks ? a : authority({ stores: a.stores, chainChecks });
          const answer = await b.call("POST", `pki/issuer/${id}/${path}`, body, { compat });
          expect([path, answer.status, answer.errors]).toEqual([path, 400, [refusal]]);
        }
    expect((await a.pki.listCerts({})).keys).toHaveLength(1);
    // its key may still sign CRLs, as its certificate allows
    expect((await a.call("GET", `pki/issuer/${id}/crl/pem`)).text).toContain("BEGIN X509 CRL");
  });

  it("signs if its certificate has no key usage at all", async () => {
    const a = authority();
    await a.role("any", open);
    const id = await heldIssuer(a, { usage: [] });
    expect(await verdict(a, id, { common_name: "a.test" })).toBe(200);
  });

  it("prevents issuers below it in a manual chain from signing", async () => {
    const a = authority();
    await a.root();
    await a.role("any", open);
    const id = await heldIssuer(a, {});
    const above = await heldIssuer(a, { subject: "Outside", usage: ["CRLSign"] });
    expect(await verdict(a, id, { common_name: "a.test" })).toBe(200);
    await a.pki.patchIssuer({ issuer_ref: id, manual_chain: `self,${above}` });
    const refusal =
      "the certificate would violate key usage along the chain (4.2.1.3): the key usage of CN=Outside lacks keyCertSign";
    expect(await verdict(a, id, { common_name: "a.test" })).toEqual([400, refusal]);
    const csr = await request({ cn: "a.test" });
    const below = await a.call("POST", `pki/issuer/${id}/sign-intermediate`, {
      csr,
      common_name: "Below",
    });
    expect([below.status, below.errors]).toEqual([400, [refusal]]);
  });
});

describe("name constraints of the signing CA", () => {
  it.each([
    ["a domain, itself", { permitted_dns_domains: "ok.test" }, { common_name: "ok.test" }, 200],
    [
      "a domain, a name below",
      { permitted_dns_domains: "ok.test" },
      { common_name: "A.OK.Test" },
      200,
    ],
    [
      "a domain, a name that only ends alike",
      { permitted_dns_domains: "ok.test" },
      { common_name: "notok.test" },
      "the name notok.test is not within",
    ],
    [
      "a domain with a dot, a name below",
      { permitted_dns_domains: ".ok.test" },
      { common_name: "a.ok.test" },
      200,
    ],
    [
      "a domain with a dot, itself",
      { permitted_dns_domains: ".ok.test" },
      { common_name: "ok.test" },
      "the name ok.test is not within",
    ],
    [
      "one of two names outside",
      { permitted_dns_domains: "ok.test" },
      { common_name: "ok.test", alt_names: "b.test" },
      "the name b.test is not within",
    ],
    [
      "an exclusion inside a permission",
      { permitted_dns_domains: "ok.test", excluded_dns_domains: "no.ok.test" },
      { common_name: "a.no.ok.test" },
      "the name a.no.ok.test is excluded by no.ok.test",
    ],
    [
      "an exclusion, a name beside it",
      { permitted_dns_domains: "ok.test", excluded_dns_domains: "no.ok.test" },
      { common_name: "yes.ok.test" },
      200,
    ],
    ["a wildcard inside", { permitted_dns_domains: "ok.test" }, { common_name: "*.ok.test" }, 200],
    [
      "a wildcard that covers the exclusion",
      { excluded_dns_domains: "no.ok.test" },
      { common_name: "*.ok.test" },
      "the name *.ok.test is excluded by no.ok.test",
    ],
    [
      "a wildcard above the permission",
      { permitted_dns_domains: "a.ok.test" },
      { common_name: "*.ok.test" },
      "the name *.ok.test is not within",
    ],
    [
      "a wildcard below the exclusion",
      { excluded_dns_domains: "no.test" },
      { common_name: "*.a.no.test" },
      "the name *.a.no.test is excluded",
    ],
    [
      "one of several domains",
      { permitted_dns_domains: "ok.test,fine.test" },
      { common_name: "a.fine.test", alt_names: "a.ok.test" },
      200,
    ],
    [
      "several domains, none of them",
      { permitted_dns_domains: "ok.test,fine.test" },
      { common_name: "b.test" },
      "the name b.test is not within the permitted ok.test, fine.test",
    ],
    [
      "a subject that only looks like a name",
      { permitted_dns_domains: "ok.test" },
      { common_name: "Server No. 5" },
      200,
    ],
    [
      "a subject of one label",
      { permitted_dns_domains: "ok.test" },
      { common_name: "server", exclude_cn_from_sans: true },
      200,
    ],
    [
      "a domain with a dot, a name that only ends alike",
      { permitted_dns_domains: ".ok.test" },
      { common_name: "ok.test.evil" },
      "the name ok.test.evil is not within",
    ],
    [
      "a final dot inside",
      { permitted_dns_domains: "ok.test" },
      { common_name: "a.ok.test." },
      "the name a.ok.test. is not within",
    ],
    [
      "a final dot in an exclusion",
      { excluded_dns_domains: "ok.test" },
      { alt_names: "a.ok.test." },
      "the name a.ok.test. is excluded by ok.test",
    ],
    [
      "a final dot in a wildcard",
      { excluded_dns_domains: "ok.test" },
      { alt_names: "*.ok.test." },
      "the name *.ok.test. is excluded by ok.test",
    ],
    [
      "a final dot of a mail host",
      { excluded_email_addresses: "no.test" },
      { alt_names: "u@no.test." },
      "the name u@no.test. is excluded by no.test",
    ],
    [
      "a final dot of a mailbox",
      { excluded_email_addresses: "u@no.test" },
      { alt_names: "u@no.test." },
      "the name u@no.test. is excluded by u@no.test",
    ],
    [
      "a final dot of a mail host inside",
      { permitted_email_addresses: "ok.test" },
      { alt_names: "u@ok.test." },
      "the name u@ok.test. is not within",
    ],
    ["a final dot elsewhere", { excluded_dns_domains: "ok.test" }, { alt_names: "a.test." }, 200],
    ["another family", { permitted_dns_domains: "ok.test" }, { ip_sans: "192.0.2.1" }, 200],
    [
      "a common name kept out of the names",
      { permitted_dns_domains: "ok.test" },
      { common_name: "b.test", exclude_cn_from_sans: true },
      "the name b.test is not within",
    ],
    [
      "such a common name beside a good name",
      { permitted_dns_domains: "ok.test" },
      { common_name: "b.test", alt_names: "ok.test", exclude_cn_from_sans: true },
      "the name b.test is not within",
    ],
    [
      "a wildcard as such a common name",
      { permitted_dns_domains: "ok.test" },
      { common_name: "*.b.test", alt_names: "ok.test", exclude_cn_from_sans: true },
      "the name *.b.test is not within",
    ],
    [
      "a wild label in such a common name",
      { excluded_dns_domains: "no.test" },
      { common_name: "f*o.no.test", alt_names: "ok.test", exclude_cn_from_sans: true },
      "the name f*o.no.test is excluded by no.test",
    ],
    [
      "a common name that is no host name",
      { permitted_dns_domains: "ok.test" },
      { common_name: "Some Body", alt_names: "ok.test" },
      200,
    ],
    ["a range", { permitted_ip_ranges: "192.0.2.0/24" }, { ip_sans: "192.0.2.255" }, 200],
    [
      "a range, an address beside it",
      { permitted_ip_ranges: "192.0.2.0/24" },
      { ip_sans: "192.0.3.0" },
      "the name 192.0.3.0 is not within",
    ],
    [
      "a range, an address of the other family",
      { permitted_ip_ranges: "192.0.2.0/24" },
      { ip_sans: "2001:db8::1" },
      "the name 2001:db8::1 is not within",
    ],
    [
      "an excluded range",
      { permitted_ip_ranges: "192.0.2.0/24", excluded_ip_ranges: "192.0.2.128/25" },
      { ip_sans: "192.0.2.129" },
      "the name 192.0.2.129 is excluded",
    ],
    [
      "an excluded range of IPv6",
      { excluded_ip_ranges: "2001:db8::/32" },
      { ip_sans: "2001:db8:1::1" },
      "the name 2001:db8:1::1 is excluded",
    ],
    ["a mail host", { permitted_email_addresses: "ok.test" }, { alt_names: "u@OK.test" }, 200],
    [
      "a mail host, a host below",
      { permitted_email_addresses: "ok.test" },
      { alt_names: "u@a.ok.test" },
      "the name u@a.ok.test is not within",
    ],
    [
      "a mail domain, a host below",
      { permitted_email_addresses: ".ok.test" },
      { alt_names: "u@a.ok.test" },
      200,
    ],
    [
      "a mail domain, itself",
      { permitted_email_addresses: ".ok.test" },
      { alt_names: "u@ok.test" },
      "the name u@ok.test is not within",
    ],
    ["a mailbox", { permitted_email_addresses: "u@ok.test" }, { alt_names: "u@ok.test" }, 200],
    [
      "a mailbox in other case",
      { permitted_email_addresses: "u@ok.test" },
      { alt_names: "U@ok.test" },
      "the name U@ok.test is not within",
    ],
    [
      "an excluded mail host",
      { excluded_email_addresses: "no.test" },
      { alt_names: "u@no.test" },
      "the name u@no.test is excluded by no.test",
    ],
    [
      "an excluded mail host, as an other name",
      { excluded_email_addresses: "no.test" },
      { other_sans: "1.3.6.1.5.5.7.8.9;UTF8:ü@no.test" },
      "the name ü@no.test is excluded by no.test",
    ],
    [
      "a URI host",
      { permitted_uri_domains: "ok.test" },
      { uri_sans: "https://u@ok.test:8443/x" },
      200,
    ],
    [
      "a URI host, a host below",
      { permitted_uri_domains: "ok.test" },
      { uri_sans: "https://a.ok.test/" },
      "the name https://a.ok.test/ is not within",
    ],
    [
      "a URI domain",
      { permitted_uri_domains: ".ok.test" },
      { uri_sans: "https://a.ok.test/" },
      200,
    ],
    [
      "a URI with an encoded host",
      { excluded_uri_domains: "no.test" },
      { uri_sans: "https://%6eo.test/" },
      "the name https://%6eo.test/ is excluded by no.test",
    ],
    [
      "a URI with a bracket",
      { permitted_uri_domains: "ok.test" },
      { uri_sans: "https://[2001:db8::1]/" },
      "the name https://[2001:db8::1]/ is not within",
    ],
    [
      "a URI of a host only",
      { permitted_uri_domains: "ok.test" },
      { uri_sans: "https://ok.test" },
      200,
    ],
    [
      "a URI without a host",
      { permitted_uri_domains: ".ok.test" },
      { uri_sans: "urn:x:y" },
      "the name urn:x:y is not within",
    ],
    [
      "a URI with an address",
      { excluded_uri_domains: "no.test" },
      { uri_sans: "https://192.0.2.1/" },
      "the name https://192.0.2.1/ is excluded by no.test",
    ],
    [
      "an excluded URI domain",
      { excluded_uri_domains: ".no.test" },
      { uri_sans: "spiffe://a.no.test/x" },
      "the name spiffe://a.no.test/x is excluded by .no.test",
    ],
    [
      "an excluded URI domain, another host",
      { excluded_uri_domains: ".no.test" },
      { uri_sans: "spiffe://yes.test/x" },
      200,
    ],
  ] as const)("apply to leaves: %s", async (_, constraint, body, expected) => {
    const { a, id } = await constrained(constraint);
    expect(await verdict(a, id, body)).toEqual(expected === 200 ? 200 : refused(expected));
  });

  it("compare directory names without regard to case and extra spaces", async () => {
    const held = async (side: 0 | 1, organization: string) => {
      const a = authority();
      await a.root();
      await a.role("any", { ...open, organization: [organization] });
      const directory = tlv(
        0xa4,
        encodeName([[{ oid: nameOid.organization, value: "Evil  Corp" }]]),
      );
      const value = sequence(tlv(0xa0 | side, sequence(directory)));
      const id = await heldIssuer(a, {
        subject: "Held",
        extensions: [{ oid: extensionOid.nameConstraints, critical: true, value }],
      });
      return verdict(a, id, {});
    };
    for (const organization of ["Evil  Corp", "EVIL corp", "evil   corp "]) {
      expect(await held(1, organization)).toEqual(
        refused("the subject is in an excluded directory subtree"),
      );
      expect(await held(0, organization)).toBe(200);
    }
    expect(await held(1, "EvilCorp")).toBe(200);
    expect(await held(0, "EvilCorp")).toEqual(
      refused("the subject is in no permitted directory subtree"),
    );
  });

  it.each([
    [
      "an underscore in a common name",
      { excluded_dns_domains: "evil.test" },
      { common_name: "_x.evil.test" },
      "the name _x.evil.test is excluded",
    ],
    [
      "one in a label of it",
      { permitted_dns_domains: "good.test" },
      { common_name: "a_b.evil.test" },
      "the name a_b.evil.test is not within",
    ],
    [
      "a mailbox whose host is not ASCII",
      { excluded_email_addresses: "xn--bcher-kva.test" },
      { other_sans: "1.3.6.1.5.5.7.8.9;utf8:ü@bücher.test" },
      "the name ü@bücher.test is excluded",
    ],
    [
      "a Kelvin sign for a k",
      { permitted_email_addresses: "kernel.test" },
      { other_sans: "1.3.6.1.5.5.7.8.9;utf8:ü@\u212Aernel.test" },
      "the name ü@\u212Aernel.test is not within",
    ],
  ] as const)("cannot be evaded by %s", async (_, constraint, body, text) => {
    const { a, id } = await constrained(constraint);
    expect(
      await verdict(a, id, { ip_sans: "192.0.2.1", exclude_cn_from_sans: true, ...body }),
    ).toEqual(refused(text));
  });

  it.each([
    "https://no.test./x",
    "https://u@b.test@ok.test/",
    "https://b.test\\@ok.test/",
    "https://a..test/",
    "//ok.test/",
    "x",
  ])(
    "never apply to the invalid URI %s, because a CSR that contains it is rejected before",
    async (uri) => {
      const { a, id } = await constrained({ permitted_uri_domains: "ok.test" });
      const csr = await request({ cn: "x", extensions: [sanOf({ uri: [uri] })] });
      for (const [path, body] of [
        ["sign-verbatim", {}] as const,
        ["sign-intermediate", { use_csr_values: true }] as const,
      ]) {
        const answer = await a.call("POST", `pki/issuer/${id}/${path}`, { csr, ttl: 60, ...body });
        expect([answer.status, answer.errors[0]]).toEqual([
          400,
          expect.stringContaining("a URI is not absolute or cannot be parsed"),
        ]);
      }
    },
  );

  it("apply to CAs below: each certificate of the chain is checked", async () => {
    const { a, id } = await constrained({ permitted_dns_domains: "ok.test" });
    const { csr } = await a.pki.generateIntermediate({ common_name: "Third", key_type: "ec" });
    const { certificate } = await a.pki.signIntermediate({
      csr,
      issuer_ref: id,
      common_name: "Third CA",
      ttl: "10h",
      excluded_dns_domains: "no.ok.test",
    });
    const [third = ""] = (await a.pki.setSigned({ certificate })).imported_issuers ?? [];
    expect(await verdict(a, third, { common_name: "a.ok.test" })).toBe(200);
    expect(await verdict(a, third, { common_name: "b.test" })).toEqual(
      refused("the name b.test is not within"),
    );
    expect(await verdict(a, third, { common_name: "no.ok.test" })).toEqual(
      refused("the name no.ok.test is excluded"),
    );
  });

  it("apply at any distance above the leaf", async () => {
    const a = authority();
    await a.root({ permitted_dns_domains: "ok.test" });
    await a.role("any", open);
    let issuer = "root";
    for (const name of ["Second", "Third", "Fourth"]) {
      const { csr } = await a.pki.generateIntermediate({ common_name: name, key_type: "ec" });
      const { certificate } = await a.pki.signIntermediate({
        csr,
        issuer_ref: issuer,
        common_name: `${name} CA`,
        ttl: "10h",
      });
      [issuer = ""] = (await a.pki.setSigned({ certificate })).imported_issuers ?? [];
      expect([name, await verdict(a, issuer, { common_name: "a.ok.test" })]).toEqual([name, 200]);
      expect([name, await verdict(a, issuer, { common_name: "b.test" })]).toEqual([
        name,
        refused("the name b.test is not within"),
      ]);
    }
  });

  it("apply to sign and sign-verbatim as to issue, in every name field", async () => {
    const { a, id } = await constrained({ permitted_dns_domains: "ok.test" });
    const csrs = [
      await request({ cn: "b.test" }),
      await request({ cn: "ok.test", extensions: [sanOf({ dns: ["b.test"] })] }),
    ];
    for (const path of ["sign/any", "sign-verbatim", "sign-verbatim/any"])
      for (const csr of csrs)
        expect(
          (await a.call("POST", `pki/issuer/${id}/${path}`, { csr, ttl: 60 })).errors[0],
        ).toContain("the name b.test is not within");
  });

  it("apply to the names of a CA certificate as to those of a leaf, unless disabled for the issuer", async () => {
    const { a, id } = await constrained({
      permitted_dns_domains: "ok.test",
      excluded_ip_ranges: "10.0.0.0/8",
    });
    const csr = await request({ cn: "From CSR", extensions: [sanOf({ dns: ["b.test"] })] });
    const signed = async (body: object) => {
      const { status, errors } = await a.call("POST", `pki/issuer/${id}/sign-intermediate`, {
        csr,
        common_name: "Sub CA",
        ...body,
      });
      return status === 200 ? 200 : [status, errors[0]];
    };
    expect(await signed({ common_name: "ca.b.test" })).toEqual(
      refused("the name ca.b.test is not within"),
    );
    expect(await signed({ common_name: "ca.b.test", exclude_cn_from_sans: true })).toEqual(
      refused("the name ca.b.test is not within"),
    );
    expect(await signed({ alt_names: "b.test" })).toEqual(refused("the name b.test is not within"));
    expect(await signed({ ip_sans: "10.0.0.1" })).toEqual(refused("the name 10.0.0.1 is excluded"));
    expect(await signed({ use_csr_values: true })).toEqual(
      refused("the name b.test is not within"),
    );
    expect([await signed({}), await signed({ common_name: "ca.ok.test" })]).toEqual([200, 200]);
    await a.pki.patchIssuer({ issuer_ref: id, disable_name_constraint_checks: true });
    expect(await signed({ alt_names: "b.test" })).toBe(200);
  });

  it("can be disabled for the issuer and enabled again", async () => {
    const { a, id } = await constrained({ permitted_dns_domains: "ok.test" });
    await a.pki.patchIssuer({ issuer_ref: id, disable_name_constraint_checks: true });
    expect(await verdict(a, id, { common_name: "b.test" })).toBe(200);
    await a.pki.patchIssuer({ issuer_ref: id, disable_name_constraint_checks: false });
    expect(await verdict(a, id, { common_name: "b.test" })).toEqual(
      refused("the name b.test is not within"),
    );
  });

  it("of directory names apply to the subject and to the directory names of the SAN", async () => {
    const a = authority();
    const tree = (tag: number, ...names: readonly Uint8Array[]) =>
      tlv(0xa0 | tag, ...names.map((name) => sequence(tlv(0xa4, name))));
    const constraints = (...parts: readonly Uint8Array[]) => ({
      oid: extensionOid.nameConstraints,
      critical: true,
      value: sequence(...parts),
    });
    const good = encodeName([rdn("organization", "Good")]);
    const bad = encodeName([rdn("organization", "Good"), rdn("organizationalUnit", "Bad")]);
    const id = await heldIssuer(a, { extensions: [constraints(tree(0, good), tree(1, bad))] });
    const signed = async (csr: string) =>
      (await a.call("POST", `pki/issuer/${id}/sign-verbatim`, { csr, ttl: 60 })).errors[0] ??
      "issued";
    expect(
      await signed(await request({ subject: [rdn("organization", "Good"), ...commonName("x")] })),
    ).toBe("issued");
    expect(await signed(await request({ cn: "x" }))).toContain("in no permitted directory subtree");
    // an empty subject is in no subtree and violates none
    expect(await signed(await request({ extensions: [sanOf({ dns: ["a.test"] })] }))).toBe(
      "issued",
    );
    const several = await heldIssuer(a, {
      subject: "Several",
      extensions: [constraints(tree(0, encodeName([rdn("organization", "Fine")]), good))],
    });
    const below = await a.call("POST", `pki/issuer/${several}/sign-verbatim`, {
      csr: await request({ subject: [rdn("organization", "Good")] }),
      ttl: 60,
    });
    expect(below.status).toBe(200);
    expect(
      await signed(
        await request({ subject: [rdn("organization", "Good"), rdn("organizationalUnit", "Bad")] }),
      ),
    ).toContain("in an excluded directory subtree");
    const other = {
      oid: extensionOid.subjectAltName,
      critical: false,
      value: sequence(tlv(0xa4, encodeName(commonName("elsewhere")))),
    };
    expect(
      await signed(await request({ subject: [rdn("organization", "Good")], extensions: [other] })),
    ).toContain("in no permitted directory subtree");
  });

  it("that are empty apply to every name of their type, and to no other", async () => {
    const a = authority();
    await a.role("any", open);
    const none = { dns: [], email: [], ip: [], uri: [] };
    const empty = { ...none, dns: [""], email: [""], uri: [""] };
    const without = await heldIssuer(a, {
      extensions: [extension.nameConstraints({ excluded: empty })],
    });
    for (const body of [
      { common_name: "a.test" },
      { alt_names: "u@a.test" },
      { uri_sans: "https://a.test/" },
    ])
      expect(await verdict(a, without, body)).toEqual(
        refused(`the name ${Object.values(body)[0]} is excluded by a constraint on every name`),
      );
    expect(await verdict(a, without, { ip_sans: "192.0.2.1" })).toBe(200);
    const all = await heldIssuer(a, {
      subject: "All",
      extensions: [extension.nameConstraints({ permitted: empty })],
    });
    expect(
      await verdict(a, all, {
        common_name: "a.test",
        alt_names: "u@a.test",
        uri_sans: "https://a.test/",
      }),
    ).toBe(200);
  });

  it("of an unknown type reject names of that type", async () => {
    const a = authority();
    await a.role("any", open);
    const base = tlv(0xa0, oid("1.2.3"), explicit(0, tlv(0x0c, utf8("x"))));
    const value = sequence(tlv(0xa1, sequence(base)));
    const id = await heldIssuer(a, {
      extensions: [{ oid: extensionOid.nameConstraints, critical: true, value }],
    });
    expect(await verdict(a, id, { other_sans: "1.2.3;UTF8:y" })).toEqual(
      refused("constraints on names of the kind otherName 1.2.3"),
    );
    expect(await verdict(a, id, { other_sans: "1.2.4;UTF8:y" })).toBe(200);
  });

  it.each([
    ["registered ids", implicit(8, oid("1.2.3")), implicit(8, oid("1.2.4")), "registeredID"],
    ["X.400 addresses", tlv(0xa3, sequence()), tlv(0xa3, sequence()), "x400Address"],
    ["EDI party names", tlv(0xa5, sequence()), tlv(0xa5, sequence()), "ediPartyName"],
    [
      "other names that are no text",
      tlv(0xa0, oid("1.2.3"), explicit(0, octets(utf8("x")))),
      tlv(0xa0, oid("1.2.3"), explicit(0, octets(utf8("y")))),
      "otherName 1.2.3",
    ],
  ] as const)(
    "of %s, which have no text here, refuse all names of that kind, and no others",
    async (_, constraint, name, kind) => {
      const a = authority();
      const san = (...names: readonly Uint8Array[]) => ({
        oid: extensionOid.subjectAltName,
        critical: false,
        value: sequence(...names),
      });
      for (const side of [0, 1]) {
        const value = sequence(tlv(0xa0 | side, sequence(constraint)));
        const id = await heldIssuer(a, {
          subject: `Held ${side}`,
          extensions: [{ oid: extensionOid.nameConstraints, critical: true, value }],
        });
        const signed = async (...names: readonly Uint8Array[]) =>
          (
            await a.call("POST", `pki/issuer/${id}/sign-verbatim`, {
              csr: await request({ cn: "x", extensions: [san(...names)] }),
              ttl: 60,
            })
          ).errors[0] ?? "issued";
        expect(await signed(name)).toContain(
          `name constraints (4.2.1.10): constraints on names of the kind ${kind} cannot be evaluated`,
        );
        expect(
          await signed(
            tlv(0xa0, oid("1.2.9"), explicit(0, octets(utf8("y")))),
            implicit(2, tlv(0x16, utf8("a.test"))),
          ),
        ).toBe("issued");
      }
    },
  );

  it("whose mask has gaps are invalid: nothing is issued below such a CA", async () => {
    const a = authority();
    await a.role("any", open);
    const value = sequence(tlv(0xa0, sequence(implicit(7, octets(fromHex("c0000200ff00ff00"))))));
    const id = await heldIssuer(a, {
      extensions: [{ oid: extensionOid.nameConstraints, critical: true, value }],
    });
    expect(await verdict(a, id, { common_name: "ok.test" })).toEqual([
      400,
      expect.stringContaining("mask with gaps"),
    ]);
  });
});

describe("an excluded IPv4 range", () => {
  const mapped = (octets: string): Uint8Array =>
    implicit(7, tlv(4, fromHex(`00000000000000000000ffff${octets}`)));
  const san = (...names: readonly Uint8Array[]) => ({
    oid: extensionOid.subjectAltName,
    critical: false,
    value: sequence(...names),
  });

  it.each(["10.0.0.0/8", "::ffff:10.0.0.0/104"])(
    "written as %s cannot be evaded with an IPv4-mapped address, whatever its source",
    async (range) => {
      const { a, id } = await constrained({ excluded_ip_ranges: range });
      const inside = refused("the name 10.0.0.1 is excluded by 10.0.0.0/8");
      for (const address of ["10.0.0.1", "::ffff:10.0.0.1", "::FFFF:A00:1"]) {
        expect(await verdict(a, id, { ip_sans: address })).toEqual(inside);
        const csr = await request({ cn: "a.test", extensions: [sanOf({ ip: [address] })] });
        for (const path of ["sign/any", "sign-verbatim"]) {
          const { status, errors } = await a.call("POST", `pki/issuer/${id}/${path}`, {
            csr,
            ttl: 60,
          });
          expect([path, status, errors[0]]).toEqual([path, ...inside]);
        }
        const ca = await request({ cn: "Below", extensions: [sanOf({ ip: [address] })] });
        for (const body of [{ use_csr_values: true }, { ip_sans: address }]) {
          const { status, errors } = await a.call("POST", `pki/issuer/${id}/sign-intermediate`, {
            csr: ca,
            ...body,
          });
          expect([body, status, errors[0]]).toEqual([body, ...inside]);
        }
      }
      expect(await verdict(a, id, { ip_sans: "::ffff:11.0.0.1" })).toBe(200);
    },
  );

  it("cannot be evaded with 16 octets in a CSR: IPv4-mapped addresses are not copied", async () => {
    const a = authority();
    await a.root({ excluded_ip_ranges: "10.0.0.0/8" });
    await a.role("any", open);
    const text = async (path: string, octets: string, body: object = {}) => {
      const csr = await request({ cn: "a.test", extensions: [san(mapped(octets))] });
      return (await a.call("POST", `pki/${path}`, { csr, ttl: 60, ...body })).errors[0] ?? "issued";
    };
    expect(await text("sign/any", "0a000001")).toContain(
      "the name 10.0.0.1 is excluded by 10.0.0.0/8",
    );
    const rule =
      "the certificate would violate a rule: an IPv4 address must be given as four octets, not as an IPv4-mapped IPv6 address (4.2.1.6)";
    for (const octets of ["0a000001", "0b000001"]) {
      const breach =
        octets === "0a000001" ? expect.stringContaining("is excluded by 10.0.0.0/8") : rule;
      expect(await text("sign-verbatim", octets)).toEqual(breach);
      expect(await text("root/sign-intermediate", octets, { use_csr_values: true })).toEqual(
        breach,
      );
    }
    // sign re-encodes names
    const csr = await request({ cn: "a.test", extensions: [san(mapped("0b000001"))] });
    const { data } = await a.call("POST", "pki/sign/any", { csr, ttl: 60 });
    expect(readCertificate(data["certificate"]).names?.ip).toEqual(["11.0.0.1"]);
  });

  it("cannot be evaded by re-signing a self-issued certificate", async () => {
    const a = authority();
    await a.root({ excluded_ip_ranges: "10.0.0.0/8" });
    const signed = async (names: readonly Uint8Array[]) => {
      const certificate = await crafted({
        subject: "Self",
        issuer: "Self",
        extensions: [san(...names)],
      });
      const forms = ["issuer/default", "root"].map((form) =>
        a.call("POST", `pki/${form}/sign-self-issued`, { certificate }),
      );
      const [told, again] = (await Promise.all(forms)).map(({ errors }) => errors[0] ?? "issued");
      expect(again).toBe(told);
      return told;
    };
    expect(await signed([implicit(7, tlv(4, fromHex("0a000001")))])).toContain(
      "the name 10.0.0.1 is excluded by 10.0.0.0/8",
    );
    expect(await signed([mapped("0b000001")])).toContain(
      "an IPv4 address must be given as four octets",
    );
    expect(await signed([implicit(7, tlv(4, fromHex("0b000001")))])).toBe("issued");
  });

  it.each(["10.0.0.1", "0x0a.1", "012.0.0.1", "10.0.0.1."])(
    "applies to the common name %s, which software may read as an address",
    async (common_name) => {
      const { a, id } = await constrained({ excluded_ip_ranges: "10.0.0.0/8" });
      expect(await verdict(a, id, { common_name, ip_sans: "192.0.2.1" })).toEqual(
        refused("the name 10.0.0.1 is excluded by 10.0.0.0/8"),
      );
    },
  );

  it("applies to DNS names of a verbatim CSR that software may read as an address", async () => {
    const { a, id } = await constrained({ excluded_ip_ranges: "10.0.0.0/8" });
    for (const name of ["10.0.0.1", "0xa.1", "167772161"]) {
      const csr = await request({ cn: "x", extensions: [sanOf({ dns: [name] })] });
      const answer = await a.call("POST", `pki/issuer/${id}/sign-verbatim`, { csr, ttl: 60 });
      expect([answer.status, answer.errors[0]]).toEqual(
        refused("the name 10.0.0.1 is excluded by 10.0.0.0/8"),
      );
    }
  });

  it("that another CA wrote as mapped IPv6 excludes IPv4 addresses, and as a permitted range permits none", async () => {
    const a = authority();
    await a.role("any", open);
    const range = san(
      implicit(7, tlv(4, fromHex(`00000000000000000000ffff0a000000${"ff".repeat(13)}000000`))),
    ).value.slice(2);
    for (const [side, address, expected] of [
      [1, "10.0.0.1", refused("the name 10.0.0.1 is excluded by ::ffff:10.0.0.0/104")],
      [1, "11.0.0.1", 200],
      [0, "10.0.0.1", refused("the name 10.0.0.1 is not within the permitted ::ffff:10.0.0.0/104")],
    ] as const) {
      const value = sequence(tlv(0xa0 | side, sequence(range)));
      const id = await heldIssuer(a, {
        subject: `Held ${side} ${address}`,
        extensions: [{ oid: extensionOid.nameConstraints, critical: true, value }],
      });
      expect([side, address, await verdict(a, id, { ip_sans: address })]).toEqual([
        side,
        address,
        expected,
      ]);
    }
  });
});

describe("a wildcard without a domain", () => {
  it("as the common name is checked like every name of one label", async () => {
    const { a, id } = await constrained({ permitted_dns_domains: "ok.test" });
    expect(await verdict(a, id, { common_name: "*", alt_names: "ok.test" })).toEqual(
      refused("the name * is not within"),
    );
    const other = await constrained({ excluded_dns_domains: "intern" });
    expect(await verdict(other.a, other.id, { common_name: "*", alt_names: "ok.test" })).toEqual(
      refused("the name * is excluded by intern"),
    );
  });
});

describe("other rules along the chain", () => {
  it("forbid extended key usages that the CA lacks, whatever is disabled; anyExtendedKeyUsage allows all", async () => {
    const a = authority();
    await a.role("any", open);
    await a.role("code", {
      ...open,
      server_flag: false,
      client_flag: false,
      code_signing_flag: true,
    });
    await a.role("none", { ...open, server_flag: false, client_flag: false });
    const tls = await heldIssuer(a, {
      extensions: [extension.extKeyUsage(["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"])],
    });
    const issued = async (id: string, role: string) =>
      (await a.call("POST", `pki/issuer/${id}/issue/${role}`, { common_name: "a.test", ttl: 60 }))
        .errors[0] ?? "issued";
    expect([await issued(tls, "any"), await issued(tls, "none")]).toEqual(["issued", "issued"]);
    expect(await issued(tls, "code")).toContain(
      "does not allow the extended key usage 1.3.6.1.5.5.7.3.3",
    );
    await a.pki.patchIssuer({
      issuer_ref: tls,
      disable_critical_extension_checks: true,
      disable_path_length_checks: true,
      disable_name_checks: true,
      disable_name_constraint_checks: true,
    });
    expect(await issued(tls, "code")).toContain("does not allow the extended key usage");
    const any = await heldIssuer(a, {
      subject: "Any",
      extensions: [extension.extKeyUsage(["2.5.29.37.0"])],
    });
    expect(await issued(any, "code")).toBe("issued");
  });

  it("forbid more CAs than a path length allows, unless disabled", async () => {
    const a = authority();
    await a.role("any", open);
    await a.pki.setSigned({ certificate: await crafted({ subject: "Outside", pathLength: 0 }) });
    const id = await heldIssuer(a, {});
    expect(await verdict(a, id, { common_name: "a.test" })).toEqual([
      400,
      expect.stringContaining(
        "path length constraint (4.2.1.9): a certificate in the chain allows 0 CAs below it, but there are 1",
      ),
    ]);
    await a.pki.patchIssuer({ issuer_ref: id, disable_path_length_checks: true });
    expect(await verdict(a, id, { common_name: "a.test" })).toBe(200);
    // neither leaves nor the CA with the limit itself count
    const own = authority();
    await own.root({ max_path_length: 1 });
    await own.role("any", open);
    const last = await own.intermediate({ max_path_length: 0 });
    for (const issuer of ["root", last.id])
      expect(await verdict(own, issuer, { common_name: "a.test" })).toBe(200);
  });

  it("forbid unknown critical extensions, unless disabled", async () => {
    const a = authority();
    await a.role("any", open);
    const id = await heldIssuer(a, {
      extensions: [{ oid: "1.2.3.4", critical: true, value: fromHex("0500") }],
    });
    expect(await verdict(a, id, { common_name: "a.test" })).toEqual([
      400,
      expect.stringContaining(
        "critical extensions (4.2): a certificate in the chain has the unknown critical extension 1.2.3.4",
      ),
    ]);
    await a.pki.patchIssuer({ issuer_ref: id, disable_critical_extension_checks: true });
    expect(await verdict(a, id, { common_name: "a.test" })).toBe(200);
    const plain = await heldIssuer(a, {
      subject: "Plain",
      extensions: [{ oid: "1.2.3.4", critical: false, value: fromHex("0500") }],
    });
    expect(await verdict(a, plain, { common_name: "a.test" })).toBe(200);
  });

  it("accept every extension of RFC 5280 path validation as critical", async () => {
    const a = authority();
    await a.role("any", open);
    const known = [
      extension.extKeyUsage(["2.5.29.37.0"]),
      sanOf({ dns: ["ca.test"] }),
      extension.certificatePolicies(["2.5.29.32.0"]),
      extension.crlDistributionPoints(["http://ca.test/crl"]),
      { oid: extensionOid.policyConstraints, critical: true, value: fromHex("3003800100") },
      { oid: extensionOid.inhibitAnyPolicy, critical: true, value: fromHex("020100") },
      {
        oid: extensionOid.policyMappings,
        critical: true,
        value: fromHex("300a300806022a0306022a03"),
      },
      extension.nameConstraints({ permitted: { dns: ["a.test"] } }),
    ];
    const id = await heldIssuer(a, {
      extensions: known.map((one) => one && { ...one, critical: true }),
    });
    expect(await verdict(a, id, { common_name: "a.test" })).toBe(200);
    const { csr } = await a.pki.generateIntermediate({ common_name: "Flagged", key_type: "ec" });
    const { spki } = parseCsr(derOf(csr));
    const identifiers = await crafted({
      subject: "Flagged",
      issuer: "Outside",
      spki,
      criticalIds: true,
    });
    const [flagged = ""] =
      (await a.pki.setSigned({ certificate: identifiers })).imported_issuers ?? [];
    expect(readCertificate(identifiers).critical).toEqual(
      expect.arrayContaining([
        extensionOid.subjectKeyIdentifier,
        extensionOid.authorityKeyIdentifier,
      ]),
    );
    expect(await verdict(a, flagged, { common_name: "a.test" })).toBe(200);
  });

  it("A 6.10 chain constraints: reject a verbatim CSR with an unknown critical extension, unless disabled for the issuer", async () => {
    const a = authority();
    await a.root();
    const { id } = await a.intermediate();
    const csr = async (critical: boolean) =>
      request({ cn: "a.test", extensions: [{ oid: "1.2.3.4", critical, value: fromHex("0500") }] });
    const signed = async (critical: boolean) =>
      a.call("POST", `pki/issuer/${id}/sign-verbatim`, { csr: await csr(critical), ttl: 60 });
    expect((await signed(false)).status).toBe(200);
    const stored = (await a.pki.listCerts({})).keys.length;
    expect(await signed(true)).toMatchObject({
      status: 400,
      errors: [
        "the certificate would violate critical extensions (4.2): the certificate would have the unknown critical extension 1.2.3.4",
      ],
    });
    expect((await a.pki.listCerts({})).keys).toHaveLength(stored);
    const dry = await a.call("POST", `pki/issuer/${id}/explain/sign-verbatim`, {
      csr: await csr(true),
      ttl: 60,
    });
    expect(dry.data).toMatchObject({
      would_issue: false,
      refusal: expect.stringContaining("critical extension 1.2.3.4"),
    });
    await a.pki.patchIssuer({ issuer_ref: id, disable_critical_extension_checks: true });
    const copied = await signed(true);
    expect([copied.status, readCertificate(copied.data["certificate"]).critical]).toEqual([
      200,
      expect.arrayContaining(["1.2.3.4"]),
    ]);
  });

  it("A 6.10 chain constraints: are all disabled by the operator's chainChecks: false", async () => {
    const a = authority({ chainChecks: false });
    await a.root({ permitted_dns_domains: "ok.test" });
    await a.role("any", open);
    expect(await verdict(a, "root", { common_name: "b.test" })).toBe(200);
    const id = await heldIssuer(a, {
      extensions: [
        extension.extKeyUsage(["1.3.6.1.5.5.7.3.3"]),
        { oid: "1.2.3.4", critical: true, value: fromHex("0500") },
      ],
    });
    expect(await verdict(a, id, { common_name: "b.test" })).toBe(200);
  });

  it("A 3.7 disable_name_checks: reject a manual chain in which names do not match, unless disabled", async () => {
    const { a, id } = await constrained({});
    const [stranger = ""] =
      (await a.pki.setSigned({ certificate: await crafted({ subject: "Stranger" }) }))
        .imported_issuers ?? [];
    const set = (manual_chain: string, issuer_ref = id) =>
      a.pki.patchIssuer({ issuer_ref, manual_chain });
    const broken = [400, expect.stringContaining("names along the chain (6.1.3): CN=Stranger")];
    for (const chain of ["self", "self,root", `self,root,${stranger}`, ""]) {
      await set(chain);
      expect([chain, await verdict(a, id, { common_name: "a.test" })]).toEqual([chain, 200]);
    }
    await set(`self,${stranger}`);
    expect(await verdict(a, id, { common_name: "a.test" })).toEqual(broken);
    expect(
      (
        await a.call("POST", `pki/issuer/${id}/sign-verbatim`, {
          csr: await request({ cn: "a.test" }),
          ttl: 60,
        })
      ).status,
    ).toBe(400);
    await a.pki.patchIssuer({ issuer_ref: id, disable_name_checks: true });
    expect(await verdict(a, id, { common_name: "a.test" })).toBe(200);
    // a root needs no issuer, whatever else is in its chain
    await set(`self,${stranger}`, "root");
    expect(await verdict(a, "root", { common_name: "a.test" })).toBe(200);
  });

  it("A 3.7 disable_name_checks: let a manual chain continue with another certificate of the same CA", async () => {
    const a = authority();
    await a.role("any", open);
    await a.root({ common_name: "Outside" });
    const id = await heldIssuer(a, { issuer: "Elsewhere" });
    const [twin = ""] =
      (
        await a.pki.setSigned({
          certificate: await crafted({ subject: "Held", issuer: "Outside" }),
        })
      ).imported_issuers ?? [];
    await a.pki.patchIssuer({ issuer_ref: id, manual_chain: `self,${twin},root` });
    expect(await verdict(a, id, { common_name: "a.test" })).toBe(200);
    await a.pki.patchIssuer({ issuer_ref: id, manual_chain: "self,root" });
    expect(await verdict(a, id, { common_name: "a.test" })).toEqual([
      400,
      expect.stringContaining("names along the chain (6.1.3): CN=Outside"),
    ]);
  });

  it("terminate if the chain is a cycle", async () => {
    const a = authority();
    await a.role("any", open);
    await a.pki.setSigned({ certificate: await crafted({ subject: "Outside", issuer: "Held" }) });
    const id = await heldIssuer(a, {});
    expect(await verdict(a, id, { common_name: "a.test" })).toBe(200);
    expect(
      readCertificate((await a.pki.readIssuer({ issuer_ref: id })).certificate).text.issuer,
    ).toBe("CN=Outside");
  });
});
