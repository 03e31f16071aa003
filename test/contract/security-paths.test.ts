import { describe, expect, it } from "vitest";
import { oid, sequence, tlv } from "../../src/base/der.ts";
import { encodePem } from "../../src/base/pem.ts";
import { algorithmIdentifier } from "../../src/x509/public-key.ts";
import { parseCsr } from "../../src/x509/csr.ts";
import * as extension from "../x509/extensions.ts";
import { encodeName, type Rdn } from "../../src/x509/name.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { authority, start, type Authority } from "../support/authority.ts";
import { itWith } from "../support/programs.ts";
import { threadTime } from "../support/spent.ts";
import { certify, makeKey } from "../x509/fixture.ts";
import { crafted, heldIssuer } from "../pki/crafted.ts";
import { derOf, keyOf, noNames, rdn, request, sanOf, verified } from "../pki/reading.ts";

type Subtrees = extension.Subtrees & { readonly directory?: readonly (readonly Rdn[])[] };
/** The constraints of a CA, the requested leaf, and whether RFC 5280 section 6 accepts the path. */
interface Vector {
  readonly permitted?: Subtrees;
  readonly excluded?: Subtrees;
  readonly subject?: readonly Rdn[];
  readonly names?: Partial<Parameters<typeof sanOf>[0]>;
  readonly valid: boolean;
  /** True if this authority rejects the leaf although RFC 5280 accepts it. */
  readonly stricter?: true;
}
const cn = (value: string): readonly Rdn[] => [rdn("commonName", value)];
const organization = (value: string): Rdn => rdn("organization", value);
const dns = (...names: readonly string[]) => ({ names: { dns: names } });
const email = (...names: readonly string[]) => ({ names: { email: names } });
const ip = (...names: readonly string[]) => ({ names: { ip: names } });
const uri = (...names: readonly string[]) => ({ names: { uri: names } });

/** Cases of the kinds in x509-limbo (rfc5280::nc) and PKITS section 4.13, with other names. */
const vectors: Readonly<Record<string, Vector>> = {
  "DNS, permitted: the name itself": {
    permitted: { dns: ["a.test"] },
    ...dns("a.test"),
    valid: true,
  },
  "DNS, permitted: a name below": {
    permitted: { dns: ["a.test"] },
    ...dns("x.y.a.test"),
    valid: true,
  },
  "DNS, permitted: in another case": {
    permitted: { dns: ["A.test"] },
    ...dns("x.a.TEST"),
    valid: true,
  },
  "DNS, permitted: a name that only ends alike": {
    permitted: { dns: ["a.test"] },
    ...dns("xa.test"),
    valid: false,
  },
  "DNS, permitted: a name above": { permitted: { dns: ["a.test"] }, ...dns("test"), valid: false },
  "DNS, permitted: one of two outside": {
    permitted: { dns: ["a.test"] },
    ...dns("a.test", "b.test"),
    valid: false,
  },
  "DNS, permitted: one of two subtrees": {
    permitted: { dns: ["a.test", "b.test"] },
    ...dns("x.b.test"),
    valid: true,
  },
  "DNS, permitted with a dot: a name below": {
    permitted: { dns: [".a.test"] },
    ...dns("x.a.test"),
    valid: true,
  },
  "DNS, permitted with a dot: the name itself": {
    permitted: { dns: [".a.test"] },
    ...dns("a.test"),
    valid: false,
  },
  "DNS, permitted, empty: any name": { permitted: { dns: [""] }, ...dns("a.test"), valid: true },
  "DNS, permitted: a wildcard below": {
    permitted: { dns: ["a.test"] },
    ...dns("*.a.test"),
    valid: true,
  },
  "DNS, permitted: a wildcard above": {
    permitted: { dns: ["x.a.test"] },
    ...dns("*.a.test"),
    valid: false,
  },
  "DNS, permitted: a wildcard above another": {
    permitted: { dns: ["y.a.test"] },
    ...dns("*.a.test"),
    valid: false,
  },
  "DNS, excluded: the name itself": {
    excluded: { dns: ["a.test"] },
    ...dns("a.test"),
    valid: false,
  },
  "DNS, excluded: a name below": {
    excluded: { dns: ["a.test"] },
    ...dns("x.a.test"),
    valid: false,
  },
  "DNS, excluded: another name": { excluded: { dns: ["a.test"] }, ...dns("ba.test"), valid: true },
  "DNS, excluded, empty: any name": { excluded: { dns: [""] }, ...dns("a.test"), valid: false },
  "DNS, excluded: a wildcard that stands for it": {
    excluded: { dns: ["x.a.test"] },
    ...dns("*.a.test"),
    valid: true,
    stricter: true,
  },
  "DNS, excluded within permitted: excluded wins": {
    permitted: { dns: ["a.test"] },
    excluded: { dns: ["x.a.test"] },
    ...dns("y.x.a.test"),
    valid: false,
  },
  "DNS, excluded within permitted: beside it": {
    permitted: { dns: ["a.test"] },
    excluded: { dns: ["x.a.test"] },
    ...dns("y.a.test"),
    valid: true,
  },
  "DNS, the same permitted and excluded": {
    permitted: { dns: ["a.test"] },
    excluded: { dns: ["a.test"] },
    ...dns("a.test"),
    valid: false,
  },
  "DNS, permitted: names of other kinds only": {
    permitted: { dns: ["a.test"] },
    names: { ip: ["192.0.2.1"], email: ["u@b.test"] },
    subject: [organization("O")],
    valid: true,
  },
  "DNS, permitted: a common name outside, and no names": {
    permitted: { dns: ["a.test"] },
    subject: cn("b.test"),
    valid: false,
  },
  "DNS, permitted: a common name inside, and no names": {
    permitted: { dns: ["a.test"] },
    subject: cn("x.a.test"),
    valid: true,
  },
  "DNS, permitted: a common name outside beside names inside": {
    permitted: { dns: ["a.test"] },
    subject: cn("b.test"),
    ...dns("a.test"),
    valid: true,
    stricter: true,
  },
  "IPv4, permitted: inside": {
    permitted: { ip: ["192.0.2.0/24"] },
    ...ip("192.0.2.255"),
    valid: true,
  },
  "IPv4, permitted: beside it": {
    permitted: { ip: ["192.0.2.0/24"] },
    ...ip("192.0.3.0"),
    valid: false,
  },
  "IPv4, permitted: an odd prefix": {
    permitted: { ip: ["10.0.0.0/9"] },
    ...ip("10.128.0.0"),
    valid: false,
  },
  "IPv4, permitted, one address": {
    permitted: { ip: ["192.0.2.1/32"] },
    ...ip("192.0.2.1"),
    valid: true,
  },
  "IPv4, permitted, all": { permitted: { ip: ["0.0.0.0/0"] }, ...ip("203.0.113.9"), valid: true },
  "IPv4, permitted: an address of IPv6": {
    permitted: { ip: ["0.0.0.0/0"] },
    ...ip("2001:db8::1"),
    valid: false,
  },
  "IPv4, excluded: inside": {
    excluded: { ip: ["10.0.0.0/8"] },
    ...ip("10.255.255.255"),
    valid: false,
  },
  "IPv4, excluded: outside": { excluded: { ip: ["10.0.0.0/8"] }, ...ip("11.0.0.0"), valid: true },
  "IPv4, excluded: an address of IPv6": {
    excluded: { ip: ["0.0.0.0/0"] },
    ...ip("2001:db8::1"),
    valid: true,
  },
  "IPv4, excluded: a mapped address": {
    excluded: { ip: ["10.0.0.0/8"] },
    ...ip("::ffff:10.0.0.1"),
    valid: false,
  },
  "IPv6, permitted: inside": {
    permitted: { ip: ["2001:db8::/33"] },
    ...ip("2001:db8:7fff::1"),
    valid: true,
  },
  "IPv6, permitted: beside it": {
    permitted: { ip: ["2001:db8::/33"] },
    ...ip("2001:db8:8000::1"),
    valid: false,
  },
  "IPv6, excluded: inside": {
    excluded: { ip: ["2001:db8::/32"] },
    ...ip("2001:db8:ffff::"),
    valid: false,
  },
  "IPv6, excluded, all: an address of IPv4": {
    excluded: { ip: ["::/0"] },
    ...ip("10.0.0.1"),
    valid: true,
  },
  "mail, permitted host: a mailbox there": {
    permitted: { email: ["a.test"] },
    ...email("u@a.test"),
    valid: true,
  },
  "mail, permitted host: in another case": {
    permitted: { email: ["a.test"] },
    ...email("u@A.TEST"),
    valid: true,
  },
  "mail, permitted host: a host below": {
    permitted: { email: ["a.test"] },
    ...email("u@x.a.test"),
    valid: false,
  },
  "mail, permitted domain: a host below": {
    permitted: { email: [".a.test"] },
    ...email("u@x.a.test"),
    valid: true,
  },
  "mail, permitted domain: the domain": {
    permitted: { email: [".a.test"] },
    ...email("u@a.test"),
    valid: false,
  },
  "mail, permitted mailbox: that one": {
    permitted: { email: ["u@a.test"] },
    ...email("u@a.test"),
    valid: true,
  },
  "mail, permitted mailbox: another": {
    permitted: { email: ["u@a.test"] },
    ...email("v@a.test"),
    valid: false,
  },
  "mail, permitted mailbox: its name in another case": {
    permitted: { email: ["u@a.test"] },
    ...email("U@a.test"),
    valid: false,
  },
  "mail, excluded host: a mailbox there": {
    excluded: { email: ["a.test"] },
    ...email("u@a.test"),
    valid: false,
  },
  "mail, excluded host: a mailbox elsewhere": {
    excluded: { email: ["a.test"] },
    ...email("u@b.test"),
    valid: true,
  },
  "mail, excluded domain: a host below": {
    excluded: { email: [".a.test"] },
    ...email("u@x.a.test"),
    valid: false,
  },
  "mail, excluded mailbox: that one": {
    excluded: { email: ["u@a.test"] },
    ...email("u@a.test"),
    valid: false,
  },
  "mail, permitted host: the address of the subject": {
    permitted: { email: ["a.test"] },
    subject: [rdn("email", "u@b.test")],
    valid: false,
  },
  "URI, permitted host: that host": {
    permitted: { uri: ["a.test"] },
    ...uri("https://a.test/x"),
    valid: true,
  },
  "URI, permitted host: that host, with a port": {
    permitted: { uri: ["a.test"] },
    ...uri("https://a.test:8443/x"),
    valid: true,
  },
  "URI, permitted host: a host below": {
    permitted: { uri: ["a.test"] },
    ...uri("https://x.a.test/"),
    valid: false,
  },
  "URI, permitted domain: a host below": {
    permitted: { uri: [".a.test"] },
    ...uri("spiffe://x.a.test/y"),
    valid: true,
  },
  "URI, permitted domain: the domain": {
    permitted: { uri: [".a.test"] },
    ...uri("https://a.test/"),
    valid: false,
  },
  "URI, excluded domain: a host below": {
    excluded: { uri: [".a.test"] },
    ...uri("https://x.a.test/"),
    valid: false,
  },
  "URI, excluded host: another host": {
    excluded: { uri: ["a.test"] },
    ...uri("https://b.test/"),
    valid: true,
  },
  "URI, permitted host: a URI without one": {
    permitted: { uri: ["a.test"] },
    ...uri("urn:x:y"),
    valid: false,
  },
  "URI, excluded host: a URI without one": {
    excluded: { uri: ["a.test"] },
    ...uri("urn:x:y"),
    valid: false,
  },
  "directory, permitted: a subject below": {
    permitted: { directory: [[organization("Good")]] },
    subject: [organization("Good"), ...cn("x y")],
    valid: true,
  },
  "directory, permitted: in another case and spacing": {
    permitted: { directory: [[organization("Good  Inc")]] },
    subject: [organization("GOOD inc"), ...cn("x y")],
    valid: true,
  },
  "directory, permitted: a subject elsewhere": {
    permitted: { directory: [[organization("Good")]] },
    subject: [organization("Bad"), ...cn("x y")],
    valid: false,
  },
  "directory, permitted: the subtree in another place": {
    permitted: { directory: [[organization("Good")]] },
    subject: [...cn("x y"), organization("Good")],
    valid: false,
  },
  "directory, permitted: no subject": {
    permitted: { directory: [[organization("Good")]] },
    ...dns("a.test"),
    valid: true,
  },
  "directory, excluded: a subject below": {
    excluded: { directory: [[organization("Bad")]] },
    subject: [organization("Bad"), ...cn("x y")],
    valid: false,
  },
  "directory, excluded: a subject elsewhere": {
    excluded: { directory: [[organization("Bad")]] },
    subject: [organization("Good")],
    valid: true,
  },
  "directory, excluded: a deeper subtree": {
    excluded: { directory: [[organization("O"), rdn("organizationalUnit", "Bad")]] },
    subject: [organization("O")],
    valid: true,
  },
  "directory, permitted: a name among the names elsewhere": {
    permitted: { directory: [[organization("Good")]] },
    subject: [organization("Good")],
    names: { directory: [encodeName([organization("Bad")])] },
    valid: false,
  },
  "kinds, one of each inside": {
    permitted: { dns: ["a.test"], email: ["a.test"], ip: ["192.0.2.0/24"], uri: ["a.test"] },
    names: { dns: ["x.a.test"], email: ["u@a.test"], ip: ["192.0.2.7"], uri: ["https://a.test/"] },
    valid: true,
  },
  "kinds, one of each, one outside": {
    permitted: { dns: ["a.test"], email: ["a.test"], ip: ["192.0.2.0/24"], uri: ["a.test"] },
    names: { dns: ["x.a.test"], email: ["u@a.test"], ip: ["192.0.3.7"], uri: ["https://a.test/"] },
    valid: false,
  },
};

/** Returns NameConstraints with directory names, which this authority itself never writes. */
function constraints({ permitted = {}, excluded = {} }: Vector): extension.Extension {
  const side = (tag: number, { directory = [], ...others }: Subtrees): readonly Uint8Array[] => {
    const plain = extension.nameConstraints({ permitted: others })?.value;
    // the subtrees follow the tags and lengths of NameConstraints and of its single field
    const subtrees = plain ? [inside(inside(plain))] : [];
    const named = directory.map((name) => sequence(tlv(0xa4, encodeName(name))));
    return subtrees.length + named.length > 0 ? [tlv(0xa0 | tag, ...subtrees, ...named)] : [];
  };
  return {
    oid: extensionOid.nameConstraints,
    critical: true,
    value: sequence(...side(0, permitted), ...side(1, excluded)),
  };
}
const inside = (der: Uint8Array): Uint8Array =>
  der.subarray((der[1] ?? 0) < 0x80 ? 2 : 2 + ((der[1] ?? 0) & 0x7f));

const signed = async (
  a: Authority,
  id: string,
  { subject = [], names }: Pick<Vector, "subject" | "names">,
) => {
  const csr = await request({
    subject,
    extensions: names ? [sanOf({ ...noNames, ...names })] : [],
  });
  return a.call("POST", `pki/issuer/${id}/sign-verbatim`, {
    csr,
    ttl: 60,
    ext_key_usage: "ServerAuth",
  });
};
const opensslTakes = (leaf: unknown, root: string, between: readonly string[]): boolean => {
  try {
    return verified(leaf, { root, between, at: start }).includes("OK");
  } catch {
    return false;
  }
};

describe("security row 77: certification paths", () => {
  itWith("openssl", "version")(
    "security row 77: name constraints of the CA and of the root above it are enforced as in RFC 5280 and openssl",
    async () => {
      const wrong: unknown[] = [];
      // alternates between the signing CA and the root above it, unless the CA's subject would have to
      // comply too
      for (const [i, [what, vector]] of Object.entries(vectors).entries()) {
        const a = authority();
        const above = i % 2 === 1 && !vector.permitted?.directory;
        const limits = { extensions: [constraints(vector)] };
        const root = await crafted({ subject: "Outside", ...(above ? limits : {}) });
        await a.pki.setSigned({ certificate: root });
        const id = await heldIssuer(a, above ? {} : limits);
        const { status } = await signed(a, id, vector);
        await a.pki.patchIssuer({ issuer_ref: id, disable_name_constraint_checks: true });
        const { data } = await signed(a, id, vector);
        const other = opensslTakes(data["certificate"], root, [
          (await a.pki.readIssuer({ issuer_ref: id })).certificate,
        ]);
        if (status !== (vector.valid && !vector.stricter ? 200 : 400) || other !== vector.valid)
          wrong.push([what, status, other]);
      }
      expect(wrong).toEqual([]);
    },
  );

  const refusalOf = async (a: Authority, id: string): Promise<unknown> => {
    const { status, errors } = await signed(a, id, dns("a.test"));
    return errors[0] ?? status;
  };
  const tooDeep = (limit: number, found: number) =>
    expect.stringContaining(`allows ${limit} CAs below it, but there are ${found}`) as string;
  itWith("openssl", "version")(
    "security row 77: the path length counts intermediate CAs that are not self-issued, as in PKITS section 4.6",
    async () => {
      // subject and path length of the root and the CAs below it; the last one signs
      for (const [what, path, expected] of [
        ["root of 0, its leaf", [["Held", 0]], 200],
        ["root of 0, a CA", [["R", 0], ["Held"]], tooDeep(0, 1)],
        ["root of 1, a CA", [["R", 1], ["Held"]], 200],
        ["root of 1, two CAs", [["R", 1], ["A"], ["Held"]], tooDeep(1, 2)],
        [
          "a CA of 0 below a root of 6, and one more",
          [["R", 6], ["A", 0], ["Held"]],
          tooDeep(0, 1),
        ],
        ["root of 6, CAs of 4 and 1 and none", [["R", 6], ["A", 4], ["B", 1], ["Held"]], 200],
        [
          "root of 6, CAs of 4, 0 and one more",
          [["R", 6], ["A", 4], ["B", 0], ["Held"]],
          tooDeep(0, 1),
        ],
        ["root of 0, a self-issued CA", [["Held", 0], ["Held"]], 200],
        ["root of 1, a CA, a self-issued one", [["R", 1], ["Held"], ["Held"]], 200],
        ["root of 0, a self-issued CA, another CA", [["R", 0], ["R"], ["Held"]], tooDeep(0, 1)],
      ] as const satisfies readonly (readonly [
        string,
        readonly (readonly [string, number?])[],
        unknown,
      ])[]) {
        const a = authority();
        const { csr } = await a.pki.generateIntermediate({ common_name: "Held", key_type: "ec" });
        const keys = await Promise.all(path.map(() => makeKey("P-256")));
        const certificates: string[] = [];
        for (const [i, [subject, pathLength]] of path.entries()) {
          const [by, key] = [keys[Math.max(0, i - 1)], keys[i]];
          const spki =
            i === path.length - 1 && path.length > 1 ? parseCsr(derOf(csr)).spki : key?.key.spki;
          const issuer = path[Math.max(0, i - 1)]?.[0] ?? subject;
          const of = {
            subject,
            issuer,
            ...(pathLength === undefined ? {} : { pathLength }),
            ...(by ? { by } : {}),
            ...(spki ? { spki } : {}),
          };
          certificates.push(await crafted(of));
        }
        const single = path.length === 1;
        if (single) await a.root({ common_name: "Held", max_path_length: 0 });
        for (const certificate of single ? [] : certificates)
          await a.pki.setSigned({ certificate });
        const { keys: ids } = await a.pki.listIssuers({});
        const held = (
          await Promise.all(
            ids.map(
              async (id) => [id, (await a.pki.readIssuer({ issuer_ref: id })).key_id] as const,
            ),
          )
        ).find(([, key]) => key !== "");
        const id = held?.[0] ?? "";
        expect([what, await refusalOf(a, id)]).toEqual([what, expected]);
        if (single) continue;
        await a.pki.patchIssuer({ issuer_ref: id, disable_path_length_checks: true });
        const leaf = (await signed(a, id, dns("a.test"))).data["certificate"];
        expect([what, opensslTakes(leaf, certificates[0] ?? "", certificates.slice(1))]).toEqual([
          what,
          expected === 200,
        ]);
      }
    },
  );

  it("security row 77: constraints of a CA also apply below a self-issued certificate of its next key", async () => {
    const a = authority();
    const [old, next] = await Promise.all([makeKey("P-256"), makeKey("P-256")]);
    const limits = extension.nameConstraints({ permitted: { dns: ["ok.test"] } });
    for (const certificate of [
      await crafted({ subject: "R", by: old, extensions: [limits] }),
      await crafted({ subject: "R", by: old, spki: next.key.spki }),
    ])
      await a.pki.setSigned({ certificate });
    const id = await heldIssuer(a, { issuer: "R", by: next });
    expect((await signed(a, id, dns("ok.test"))).status).toBe(200);
    expect(await refusalOf(a, id)).toEqual(
      expect.stringContaining("the name a.test is not within the permitted ok.test"),
    );
  });

  it("security row 77: a certificate without CA basic constraints is not a CA, as in PKITS section 4.6", async () => {
    const a = authority();
    const { csr } = await a.pki.generateIntermediate({ common_name: "Held", key_type: "ec" });
    const { spki } = parseCsr(derOf(csr));
    const root = await keyOf("P-384");
    for (const extensions of [[], [extension.basicConstraints(false)]]) {
      const der = await certify(root, {
        serial: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9),
        algorithm: algorithmIdentifier(root.scheme),
        issuer: encodeName(cn("Outside")),
        notBefore: start / 1000 - 100,
        notAfter: start / 1000 + 1e6,
        subject: encodeName(cn("Held")),
        spki,
        extensions: [...extensions, extension.keyUsage(["CertSign", "CRLSign"])].filter(
          (one) => one !== undefined,
        ),
      });
      const { status, errors } = await a.call("POST", "pki/intermediate/set-signed", {
        certificate: encodePem("CERTIFICATE", der),
      });
      expect([status, errors[0]]).toEqual([
        400,
        expect.stringContaining("Refusing to import non-CA certificate"),
      ]);
    }
  });

  it("security row 77: policies that map onto each other do not multiply the cost with each CA (RFC 9618)", async () => {
    const a = authority();
    const [one, other] = [1, 2].map((last) => oid(`1.2.3.${last}`));
    const both = [one, other].filter((id) => id !== undefined);
    const pairs = both.flatMap((from) => both.map((to) => sequence(from, to)));
    const policies = [
      extension.certificatePolicies(["1.2.3.1", "1.2.3.2"]),
      { oid: extensionOid.policyMappings, critical: true, value: sequence(...pairs) },
      {
        oid: extensionOid.policyConstraints,
        critical: true,
        value: sequence(tlv(0x80, Uint8Array.of(0))),
      },
    ];
    const depth = 24;
    const path = Array.from({ length: depth }, (_, i) =>
      crafted({ subject: `P${i}`, issuer: `P${Math.max(0, i - 1)}`, extensions: policies }),
    );
    for (const certificate of await Promise.all(path)) await a.pki.setSigned({ certificate });
    const id = await heldIssuer(a, { issuer: `P${depth - 1}`, extensions: policies });
    const begun = threadTime();
    const csr = await request({
      cn: "a.test",
      extensions: [extension.certificatePolicies(["1.2.3.1"])],
    });
    expect((await a.call("POST", `pki/issuer/${id}/sign-verbatim`, { csr, ttl: 60 })).status).toBe(
      200,
    );
    expect(threadTime() - begun).toBeLessThan(2000);
  });
});
