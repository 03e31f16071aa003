import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sequence, tlv } from "../../../src/base/der.ts";
import { implicit } from "../../support/der.ts";
import { encodeName } from "../../../src/x509/name.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import type { Extension } from "../../../src/x509/extension.ts";
import { commonName } from "../../x509/fixture.ts";
import { authority, type Answer, type Authority } from "../../support/authority.ts";
import { rdn, readCertificate, request, sanOf } from "../reading.ts";

const outcome = (answer: Answer): unknown => answer.errors[0] ?? answer.status;
/** Returns the error text without the source of the value. */
const verdict = (answer: Answer): unknown =>
  answer.status === 200 ? 200 : String(answer.errors[0]).replace(/ via (the API|CSR)/, "");
const write = (a: Authority, role: object): Promise<Answer> =>
  a.call("POST", "pki/roles/web", { key_type: "ec", no_store: true, ...role });
async function withRoot(role: object = {}): Promise<Authority> {
  const a = authority();
  await a.root();
  await write(a, role);
  return a;
}
const issue = (a: Authority, body: object): Promise<Answer> =>
  a.call("POST", "pki/issue/web", { ttl: 60, ...body });
const sign = (a: Authority, csr: string, body: object = {}): Promise<Answer> =>
  a.call("POST", "pki/sign/web", { csr, ttl: 60, ...body });

const flagNames = [
  "allow_any_name",
  "allow_localhost",
  "allow_bare_domains",
  "allow_subdomains",
  "allow_glob_domains",
  "allow_wildcard_certificates",
  "enforce_hostnames",
  "allowed_domains_template",
] as const;
type Flags = Readonly<Record<(typeof flagNames)[number], boolean>>;
/** All combinations of the flags. */
const everyFlags: readonly Flags[] = Array.from(
  { length: 2 ** flagNames.length },
  // the bits of the number are the flags; every name of the list gets one
  (_, bits) =>
    Object.fromEntries(flagNames.map((name, at) => [name, ((bits >> at) & 1) === 1])) as Flags,
);
/**
 * Names, and when a role with the domains `corp.test`, `g*.corp.test` and
 * `{{identity.entity.name}}.of.test` allows them to ann. The conditions were derived by hand from
 * the rules of the contract.
 */
const names: readonly (readonly [name: string, fits: (flags: Flags) => boolean])[] = [
  ["corp.test", (f) => f.allow_bare_domains],
  ["CORP.test", (f) => f.allow_bare_domains],
  ["x.corp.test", (f) => f.allow_subdomains],
  ["x.CORP.test", () => false],
  ["gx.corp.test", (f) => f.allow_subdomains || f.allow_glob_domains],
  ["*.corp.test", (f) => f.allow_wildcard_certificates && f.allow_subdomains],
  [
    "g*.corp.test",
    (f) =>
      f.allow_wildcard_certificates &&
      (f.allow_bare_domains || f.allow_subdomains || f.allow_glob_domains),
  ],
  ["u@corp.test", (f) => f.allow_bare_domains],
  ["u@x.corp.test", (f) => f.allow_subdomains],
  ["g@x.corp.test", (f) => f.allow_subdomains || f.allow_glob_domains],
  ["localhost", (f) => f.allow_localhost],
  ["x.localhost", (f) => f.allow_localhost && f.allow_subdomains],
  ["*.localhost", (f) => f.allow_wildcard_certificates && f.allow_localhost],
  ["evil.test", () => false],
  ["ann.of.test", (f) => f.allowed_domains_template && f.allow_bare_domains],
  ["x.ann.of.test", (f) => f.allowed_domains_template && f.allow_subdomains],
  ["root", () => false],
];
/** Returns a function that creates one CSR for each set of names. */
function csrsBySans(): (sans: Parameters<typeof sanOf>[0], cn?: string) => Promise<string> {
  const csrs = new Map<string, Promise<string>>();
  return (sans, cn) => {
    const id = JSON.stringify([sans, cn]);
    const csr =
      csrs.get(id) ?? request({ ...(cn === undefined ? {} : { cn }), extensions: [sanOf(sans)] });
    csrs.set(id, csr);
    return csr;
  };
}
const wild = (name: string, flags: Flags): boolean =>
  !name.includes("*") || flags.allow_wildcard_certificates;

describe("all combinations of a role's flags", () => {
  it("security row 5: allow the same names in the body of issue and in the CSR of sign, as the contract says", async () => {
    const ann = { id: "1", name: "ann", metadata: {}, aliases: {}, groups: [] };
    const a = authority({
      authenticate: async () => ({ id: "root", can: () => true, entity: ann }),
    });
    await a.root();
    const csrOf = csrsBySans();
    /** Requests names in a body and in a CSR. */
    const results = async (all: readonly string[]): Promise<readonly unknown[]> => {
      const email = all.filter((name) => name.includes("@"));
      const dns = all.filter((name) => !name.includes("@"));
      const csr = await csrOf({ email, dns });
      return [await issue(a, { alt_names: all.join() }), await sign(a, csr)].map(outcome);
    };
    let allowed = 0;
    let refused = 0;
    for (const [at, flags] of everyFlags.entries()) {
      // an invalid member, so that it makes no difference
      await write(a, {
        ...flags,
        allow_token_displayname: at % 2 === 0,
        require_cn: false,
        allowed_domains: "corp.test,g*.corp.test,{{identity.entity.name}}.of.test",
      });
      const isAllowed = ([name, fits]: (typeof names)[number]): boolean =>
        (flags.allow_any_name && wild(name, flags)) || fits(flags);
      // each name comes first for some flags
      const order = [...names.slice(at % names.length), ...names.slice(0, at % names.length)];
      const together = order.filter(isAllowed).map(([name]) => name);
      if (together.length > 0)
        expect(await results(together), `${together.join()} ${JSON.stringify(flags)}`).toEqual([
          200, 200,
        ]);
      for (const [name] of order.filter((one) => !isAllowed(one))) {
        const text = `${name.includes("@") ? "email address" : "subject alternate name"} ${name} not allowed by this role`;
        expect(await results([name]), `${name} ${JSON.stringify(flags)}`).toEqual([text, text]);
        refused++;
      }
      allowed += together.length;
    }
    expect([allowed + refused, allowed > 2000, refused > 1000]).toEqual([256 * 17, true, true]);
  });

  it("allow the same common names in a body and in a CSR, whether host names or not", async () => {
    const a = await withRoot();
    const common: typeof names = [
      ["corp.test", (f) => f.allow_bare_domains],
      ["*.corp.test", (f) => f.allow_wildcard_certificates && f.allow_subdomains],
      ["x_y.corp.test", (f) => !f.enforce_hostnames && f.allow_subdomains],
      ["Some One", () => false],
    ];
    const csrOf = csrsBySans();
    const form = (name: string, flags: Flags) => !/[_ ]/.test(name) || !flags.enforce_hostnames;
    for (const flags of everyFlags.filter((one) => !one.allowed_domains_template)) {
      await write(a, { ...flags, allowed_domains: "corp.test" });
      for (const [name, fits] of common) {
        const wanted =
          (flags.allow_any_name && wild(name, flags) && form(name, flags)) || fits(flags);
        const text = wanted ? 200 : `common name ${name} not allowed by this role`;
        // includes an alternative name that localhost or any name allows; otherwise the common name is
        // rejected earlier
        const other = flags.allow_localhost || flags.allow_any_name ? "localhost" : undefined;
        if (wanted && /[_ ]/.test(name) && other === undefined) continue;
        const answers = [
          await issue(a, { common_name: name, alt_names: other ?? "" }),
          await sign(a, await csrOf(other ? { dns: [other] } : {}, name)),
        ];
        expect(answers.map(outcome), `${name} ${JSON.stringify(flags)}`).toEqual([text, text]);
      }
    }
  });
});

describe("a requested name", () => {
  const rules = fc.record({
    allow_ip_sans: fc.boolean(),
    allowed_ip_sans_cidr: fc.constantFrom([], ["192.0.2.0/25"], ["2001:db8::/64", "192.0.2.1/32"]),
    allowed_uri_sans: fc.constantFrom([], ["https://*"], ["spiffe://corp/*", "x*"], ["*"]),
    allowed_other_sans: fc.constantFrom(
      [],
      ["*"],
      ["1.2.3;UTF8:a*"],
      ["1.2.3;UTF8:*", "1.2.4;UTF8:b"],
    ),
    allowed_serial_numbers: fc.constantFrom([], ["a*"], ["ab", "B"]),
    allowed_user_ids: fc.constantFrom([], ["a*"], ["ab", "B"]),
    cn_validations: fc.constantFrom(["email"], ["hostname"], ["disabled"], ["email", "hostname"]),
    allow_any_name: fc.boolean(),
    enforce_hostnames: fc.boolean(),
    allow_wildcard_certificates: fc.boolean(),
    require_cn: fc.boolean(),
  });
  const word = fc.constantFrom("a", "ab", "AB", "b", "aXb", "*", "a b");
  /** A value of a type, in a body and in a CSR. */
  type Asked = { readonly body: object; readonly csr: Parameters<typeof request>[0] };
  const kinds: Readonly<Record<string, fc.Arbitrary<Asked>>> = {
    ip: fc
      .constantFrom("192.0.2.1", "192.0.2.127", "192.0.2.128", "2001:db8::1", "2001:db8:1::1")
      .map((ip) => ({ body: { ip_sans: ip }, csr: { extensions: [sanOf({ ip: [ip] })] } })),
    uri: fc
      .constantFrom("https://a.test", "spiffe://corp/a", "x y", "x", "https://", "urn:a:b")
      .map((uri) => ({ body: { uri_sans: [uri] }, csr: { extensions: [sanOf({ uri: [uri] })] } })),
    other: fc.tuple(fc.constantFrom("1.2.3", "1.2.4"), word).map(([oid, value]) => ({
      body: { other_sans: [`${oid};UTF8:${value}`] },
      csr: { extensions: [sanOf({ other: [{ oid, value }] })] },
    })),
    serial: word.map((serial) => ({
      body: { serial_number: serial },
      csr: { subject: [rdn("serialNumber", serial)] },
    })),
    user: word.map((id) => ({ body: { user_ids: [id] }, csr: { subject: [rdn("userId", id)] } })),
    common: fc
      .constantFrom("a.test", "u@a.test", "*.a.test", "a_b", "A Person", "u@", "u@v@w", "*.*.a", "")
      .map((cn) => ({ body: { common_name: cn }, csr: cn === "" ? {} : { cn } })),
    name: fc
      .constantFrom(
        "a.test",
        "a_b.test",
        "*",
        "*.a.test",
        "f*o.test",
        "*.*.test",
        "-a",
        "a..b",
        ".a",
        "a.",
        `${"a".repeat(64)}.test`,
        "a b",
        "a.*.test",
      )
      .map((name) => ({
        body: { alt_names: name },
        csr: { extensions: [sanOf({ dns: [name] })] },
      })),
    mail: fc
      .constantFrom("u@a.test", "u@*.test", "u@v@w", "u@", "@a.test", "u v@a.test", "u@a_b")
      .map((name) => ({
        body: { alt_names: name },
        csr: { extensions: [sanOf({ email: [name] })] },
      })),
  };
  it.each(Object.entries(kinds))(
    "of the type %s gets the same result and text from the body and from the CSR",
    async (kind, values) => {
      const a = await withRoot();
      const needsCn =
        kind === "ip" || kind === "uri" || kind === "other" || kind === "serial" || kind === "user";
      const seen = { granted: 0, refused: 0 };
      const property = fc.asyncProperty(rules, values, async (role, { body, csr }) => {
        await write(
          a,
          needsCn
            ? { ...role, require_cn: true, allow_any_name: true, cn_validations: ["hostname"] }
            : kind === "common"
              ? role
              : { ...role, require_cn: false },
        );
        const answers = needsCn
          ? [
              await issue(a, { common_name: "cn.test", ...body }),
              await sign(
                a,
                await request({
                  ...csr,
                  subject: [...commonName("cn.test"), ...(csr?.subject ?? [])],
                }),
              ),
            ]
          : kind === "common"
            ? [
                await issue(a, {
                  ...body,
                  ip_sans:
                    role.allow_ip_sans && role.allowed_ip_sans_cidr.length === 0 ? "192.0.2.1" : "",
                }),
                await sign(
                  a,
                  await request({
                    ...csr,
                    extensions: [
                      role.allow_ip_sans && role.allowed_ip_sans_cidr.length === 0
                        ? sanOf({ ip: ["192.0.2.1"] })
                        : undefined,
                    ],
                  }),
                ),
              ]
            : [await issue(a, body), await sign(a, await request(csr))];
        const [first, second] = answers.map(verdict);
        seen[first === 200 ? "granted" : "refused"]++;
        expect(second).toEqual(first);
      });
      await fc.assert(property, { seed: 11, numRuns: 120 });
      const seed = crypto.getRandomValues(new Int32Array(1))[0] ?? 0;
      process.stdout.write(`seed ${seed}\n`);
      await fc.assert(property, { seed, numRuns: 30 });
      expect(Math.min(seen.granted, seen.refused)).toBeGreaterThan(5);
    },
  );

  it("of a type without a role setting is rejected, even from a CSR", async () => {
    const a = await withRoot({ allow_any_name: true, allowed_other_sans: "*", require_cn: false });
    const directory: Extension = {
      oid: extensionOid.subjectAltName,
      critical: false,
      value: sequence(tlv(0xa4, encodeName(commonName("somebody")))),
    };
    const registered: Extension = {
      oid: extensionOid.subjectAltName,
      critical: false,
      value: sequence(implicit(8, Uint8Array.of(6, 1, 0x2a))),
    };
    for (const extension of [directory, registered]) {
      const answer = await sign(a, await request({ cn: "a.test", extensions: [extension] }));
      expect([answer.status, outcome(answer)]).toEqual([
        400,
        expect.stringMatching(/^could not parse requested other SAN: /),
      ]);
    }
  });

  it("is in the certificate once, even if it was requested repeatedly", async () => {
    const a = await withRoot({ allow_any_name: true, allowed_uri_sans: "*" });
    const body = {
      common_name: "a.test",
      alt_names: "a.test,a.test",
      ip_sans: ["192.0.2.1", "192.0.2.1", ""],
      uri_sans: ["x:y", "x:y", ""],
      user_ids: ["", ""],
      other_sans: [""],
    };
    const read = readCertificate((await issue(a, body)).data["certificate"]);
    expect(read.names).toMatchObject({
      dns: ["a.test"],
      ip: ["192.0.2.1"],
      uri: ["x:y"],
      other: [],
    });
  });

  it("that is not a URI is rejected even for a root, which no role limits", async () => {
    const a = authority();
    const answer = await a.call("POST", "pki/root/generate/internal", {
      common_name: "R",
      key_type: "ec",
      uri_sans: "a b",
    });
    expect([answer.status, outcome(answer)]).toEqual([
      400,
      'the provided URI Subject Alternative Name "a b" is not a valid URI',
    ]);
  });
});

describe("a role with identity templates", () => {
  it("never allows one caller the names of another, or the names of its previous version", async () => {
    const entity = (name: string) => ({ id: name, name, metadata: {}, aliases: {}, groups: [] });
    const a = authority({
      authenticate: async (token) => ({
        id: token,
        can: () => true,
        ...(token === "root" ? {} : { entity: entity(token) }),
      }),
    });
    await a.root();
    const rules = {
      allow_bare_domains: true,
      allowed_domains_template: true,
      allowed_domains: "{{identity.entity.name}}.test",
    };
    await write(a, rules);
    const callers = Array.from({ length: 45 }, (_, i) => `u${i}`);
    const asks = async (token: string, name: string) =>
      (await a.call("POST", "pki/issue/web", { common_name: name, ttl: 60 }, { token })).status;
    for (let round = 0; round < 2; round++)
      for (const [i, caller] of callers.entries()) {
        const other = callers[(i + 1) % callers.length] ?? "";
        expect([
          caller,
          await asks(caller, `${caller}.test`),
          await asks(caller, `${other}.test`),
        ]).toEqual([caller, 200, 400]);
      }
    await write(a, { ...rules, allowed_domains: "{{identity.entity.name}}.other" });
    expect([await asks("u1", "u1.test"), await asks("u1", "u1.other")]).toEqual([400, 200]);
  });
});
