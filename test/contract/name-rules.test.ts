import { describe, expect, it } from "vitest";
import { toHex, utf8 } from "../../src/base/bytes.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { octets, oid, sequence, tlv } from "../../src/base/der.ts";
import { implicit } from "../support/der.ts";
import type { Entity } from "../../src/engine/ports.ts";
import type { Extension } from "../../src/x509/extension.ts";
import { commonName } from "../x509/fixture.ts";
import { rdn, readCertificate, request, sanOf, valueOf } from "../pki/reading.ts";
import { authority, type Answer, type Authority } from "../support/authority.ts";

const outcome = (answer: Answer): unknown => answer.errors[0] ?? answer.status;
const write = (a: Authority, role: object): Promise<Answer> =>
  a.call("POST", "pki/roles/web", {
    key_type: "ec",
    require_cn: false,
    allow_localhost: false,
    ...role,
  });
async function withRole(role: object = {}): Promise<Authority> {
  const a = authority();
  await a.root();
  await write(a, role);
  return a;
}
const issue = (a: Authority, body: object): Promise<Answer> =>
  a.call("POST", "pki/issue/web", body);
const sign = async (
  a: Authority,
  csr: Parameters<typeof request>[0],
  body: object = {},
): Promise<Answer> => a.call("POST", "pki/sign/web", { csr: await request(csr), ...body });
const sanFor = (name: string) => sanOf(name.includes("@") ? { email: [name] } : { dns: [name] });

/**
 * Requests a name in every field that accepts one, and asserts that all fields agree. Returns
 * whether the name is allowed.
 */
async function takes(a: Authority, name: string): Promise<boolean> {
  const answers = [
    await issue(a, { alt_names: name }),
    await sign(a, { extensions: [sanFor(name)] }),
    await issue(a, { common_name: name }),
    await sign(a, { cn: name }),
    await issue(a, { common_name: name, exclude_cn_from_sans: true }),
  ];
  const verdicts = answers.map((answer) => answer.status === 200);
  expect(verdicts, name).toEqual(verdicts.map(() => verdicts[0]));
  const why = {
    alt: `${name.includes("@") ? "email address" : "subject alternate name"} ${name} not allowed by this role`,
    cn: `common name ${name} not allowed by this role`,
  };
  if (!verdicts[0] && !(name.split("*").length > 2))
    expect(answers.map(outcome)).toEqual([why.alt, why.alt, why.cn, why.cn, why.cn]);
  return verdicts[0] ?? false;
}
const flags = {
  b: "allow_bare_domains",
  s: "allow_subdomains",
  g: "allow_glob_domains",
  w: "allow_wildcard_certificates",
  l: "allow_localhost",
  a: "allow_any_name",
} as const;
/** Returns the requested names that a role with these domains and flags allows. */
async function granted(
  domains: string,
  on: string,
  names: readonly string[],
  more: object = {},
): Promise<readonly string[]> {
  const set = Object.fromEntries(
    Object.entries(flags).map(([letter, flag]) => [flag, on.includes(letter)]),
  );
  const a = await withRole({ ...set, allowed_domains: domains, ...more });
  const taken: string[] = [];
  for (const name of names) if (await takes(a, name)) taken.push(name);
  return taken;
}

describe("policies", () => {
  it("A 7.3 policy forms: text, lists, JSON text and lists of JSON texts are accepted; arrays of objects and invalid values are rejected with 400", async () => {
    const a = await withRole();
    const stored = async (policy_identifiers: unknown) => {
      const answer = await write(a, { policy_identifiers });
      return answer.status === 200 ? answer.data["policy_identifiers"] : answer.status;
    };
    for (const plain of ["1.2.3,1.2.4", ["1.2.3", "1.2.4"]])
      expect(await stored(plain)).toEqual(["1.2.3", "1.2.4"]);
    const full = '{"oid":"1.2.3","cps":"https://a.test","notice":"text"}';
    expect(await stored('[{"notice":"text","oid":"1.2.3","cps":"https://a.test"}]')).toEqual([
      full,
    ]);
    expect(await stored('[{"oid":"1.2.3","cps":"","notice":""}]')).toEqual(['{"oid":"1.2.3"}']);
    expect(await stored(["1.2.4", full])).toEqual(["1.2.4", full]);
    await write(a, { policy_identifiers: ["1.2.4", full], allow_any_name: true });
    const leaf = readCertificate((await issue(a, { common_name: "a.test" })).data["certificate"]);
    const policies = toHex(valueOf(leaf, extensionOid.certificatePolicies));
    // 1.2.4 without qualifiers; 1.2.3 with CPS before user notice
    const parts = [
      "06022a04",
      "06022a03",
      "06082b06010505070201",
      toHex(utf8("https://a.test")),
      "06082b06010505070202",
      `0c04${toHex(utf8("text"))}`,
    ];
    expect(
      parts.map((part) => policies.indexOf(part)).every((at, n, all) => at > (all[n - 1] ?? 0)),
    ).toBe(true);
    for (const bad of [[{ oid: "1.2.3" }], "{", "x", '[{"cps":"https://a.test"}]'])
      expect(await stored(bad)).toBe(400);
  });
});

const entity: Entity = {
  id: "e-1",
  name: "ann",
  metadata: { team: "red", star: "*", blank: "" },
  aliases: {
    acc_1: { id: "al-1", name: "ann-alias", metadata: { k: "mv" }, custom_metadata: { k: "cv" } },
  },
  groups: [{ id: "g-1", name: "ops", metadata: { k: "gv" } }],
};
const withEntity = (given: Entity | undefined) =>
  authority({
    authenticate: async () => ({ id: "t", can: () => true, ...(given ? { entity: given } : {}) }),
  });
async function templated(
  allowed_domains: string,
  name: string,
  role: object = {},
  given: Entity | "none" = entity,
): Promise<boolean> {
  const a = withEntity(given === "none" ? undefined : given);
  await a.root();
  await write(a, {
    allowed_domains,
    allowed_domains_template: true,
    allow_bare_domains: true,
    ...role,
  });
  return takes(a, name);
}
describe("identity templates", () => {
  it("A 7.4 identity templates: are replaced by values of the caller's entity; entries without a value are skipped; without an entity they are literal", async () => {
    for (const [path, value] of [
      ["entity.id", "e-1"],
      ["entity.name", "ann"],
      ["entity.metadata.team", "red"],
      ["entity.aliases.acc_1.id", "al-1"],
      ["entity.aliases.acc_1.name", "ann-alias"],
      ["entity.aliases.acc_1.metadata.k", "mv"],
      ["entity.aliases.acc_1.custom_metadata.k", "cv"],
      ["groups.ids.g-1.name", "ops"],
      ["groups.names.ops.id", "g-1"],
      ["groups.names.ops.metadata.k", "gv"],
    ] as const)
      expect(await templated(`{{identity.${path}}}.corp.test`, `${value}.corp.test`), path).toBe(
        true,
      );
    for (const path of [
      "entity.metadata.none",
      "entity.metadata.blank",
      "entity.aliases.none.id",
      "groups.names.none.id",
      "groups.ids.ops.name",
      "groups.names.ops.metadata.none",
      "entity.secret",
    ])
      expect(await templated(`{{identity.${path}}}corp.test`, "corp.test"), path).toBe(false);
    expect(await templated("{{identity.entity.metadata.none}}.x.test,corp.test", "corp.test")).toBe(
      true,
    );
    expect(await templated("{{identity.entity.name}}.corp.test", "ann.corp.test", {}, "none")).toBe(
      false,
    );
    expect(
      await templated("{{identity.entity.name}}.corp.test,corp.test", "corp.test", {}, "none"),
    ).toBe(true);
  });
  it("A 7.2 allowed_domains_template: false by default, entries are then literal", async () => {
    expect(await templated("{{identity.entity.name}}.corp.test", "ann.corp.test")).toBe(true);
    expect(
      await templated("{{identity.entity.name}}.corp.test", "ann.corp.test", {
        allowed_domains_template: false,
      }),
    ).toBe(false);
    expect(await templated("{{identity.entity.name}}.corp.test", "bob.corp.test")).toBe(false);
  });
  it("A 7.2 allow_globs_in_identity_templates: false by default, a star in a value is then rejected", async () => {
    const globs = { allow_glob_domains: true };
    expect(
      await templated("{{identity.entity.metadata.star}}.corp.test", "x.corp.test", globs),
    ).toBe(false);
    expect(
      await templated("{{identity.entity.metadata.star}}.corp.test", "x.corp.test", {
        ...globs,
        allow_globs_in_identity_templates: true,
      }),
    ).toBe(true);
    expect(await templated("*.{{identity.entity.name}}.test", "x.ann.test", globs)).toBe(true);
  });
  it("A 7.2 allowed_uri_sans_template: false by default, for body and CSR", async () => {
    for (const [allowed_uri_sans_template, wanted] of [
      [true, [200, 200, 400]],
      [false, [400, 400, 400]],
    ] as const) {
      const a = withEntity(entity);
      await a.root();
      await write(a, {
        allowed_uri_sans: "spiffe://corp/{{identity.entity.name}}",
        allowed_uri_sans_template,
        allow_any_name: true,
      });
      const uri = "spiffe://corp/ann";
      const answers = [
        await issue(a, { common_name: "a.test", uri_sans: uri }),
        await sign(a, { extensions: [sanOf({ uri: [uri] })] }),
        await issue(a, { common_name: "a.test", uri_sans: "spiffe://corp/bob" }),
      ];
      expect(answers.map((answer) => answer.status)).toEqual(wanted);
    }
  });
});

describe("name rules", () => {
  it("A 7.5 rule 1: a name with @ is an email address with exactly two parts, and its host is checked", async () => {
    expect(await granted("corp.test", "b", ["u@corp.test", "u@x.test"])).toEqual(["u@corp.test"]);
    const a = await withRole({ allow_any_name: true });
    for (const bad of ["u@v@corp.test", "@corp.test", "u@"]) {
      expect(outcome(await issue(a, { common_name: bad }))).toBe(
        `common name ${bad} not allowed by this role`,
      );
      expect((await sign(a, { cn: bad })).status).toBe(400);
      expect([
        (await issue(a, { alt_names: bad })).status,
        (await sign(a, { extensions: [sanOf({ email: [bad] })] })).status,
      ]).toEqual([400, 400]);
    }
  });
  it("A 7.5 rule 2: a wildcard has one star, in the first label, and requires its flag", async () => {
    expect(await granted("", "aw", ["*.a.test", "x*.a.test", "*x*.a.test"])).toEqual([
      "*.a.test",
      "x*.a.test",
    ]);
    expect(await granted("", "a", ["*.a.test", "x*.a.test", "a.test"])).toEqual(["a.test"]);
    const a = await withRole({ allow_any_name: true });
    for (const bad of ["a.*.test", "*.*.test"])
      expect([
        (await issue(a, { common_name: bad })).status,
        (await sign(a, { cn: bad })).status,
      ]).toEqual([400, 400]);
  });
  it("A 7.5 rule 3: an email address has no wildcard", async () => {
    expect(await granted("", "aw", ["u@*.a.test", "u@a.test"])).toEqual(["u@a.test"]);
  });
  it("A 7.5 rule 4: enforce_hostnames requires host names", async () => {
    for (const bad of ["a_b.test", "-a.test", "a..test", "a b", "*a_.test"]) {
      const a = await withRole({ allow_any_name: true });
      for (const answer of [await issue(a, { common_name: bad }), await sign(a, { cn: bad })])
        expect(outcome(answer)).toBe(`common name ${bad} not allowed by this role`);
      await write(a, { allow_any_name: true, enforce_hostnames: false });
      expect([
        outcome(await issue(a, { common_name: bad, alt_names: "a.test" })),
        outcome(await sign(a, { cn: bad, extensions: [sanFor("a.test")] })),
      ]).toEqual([200, 200]);
    }
  });
  it("A 7.5 rule 5: allow_any_name allows every name", async () => {
    expect(await granted("", "a", ["x.y", "u@x.y", "localhost"])).toEqual([
      "x.y",
      "u@x.y",
      "localhost",
    ]);
  });
  it("A 7.5 rule 6: allow_localhost allows localhost and localdomain, and with allow_subdomains names below them", async () => {
    const names = [
      "localhost",
      "localdomain",
      "*.localhost",
      "u@localhost",
      "x.localhost",
      "x.localdomain",
      "xlocalhost",
      "LOCALHOST",
    ];
    expect(await granted("", "lw", names)).toEqual([
      "localhost",
      "localdomain",
      "*.localhost",
      "u@localhost",
    ]);
    expect(await granted("", "lws", names)).toEqual([
      "localhost",
      "localdomain",
      "*.localhost",
      "u@localhost",
      "x.localhost",
      "x.localdomain",
    ]);
  });
  it("A 7.5 rule 7: the token's display name is never allowed: the field cannot be written", async () => {
    const a = await withRole();
    await write(a, { allow_token_displayname: true });
    expect((await issue(a, { common_name: "root" })).status).toBe(400);
  });
  it("A 7.5 rule 8: one matching entry suffices: bare domains in any case, subdomains and globs case-sensitive", async () => {
    expect(
      await granted("x.test,corp.test,bob@a.test", "b", [
        "CORP.test",
        "u@Corp.test",
        "BOB@a.test",
        "a.test",
      ]),
    ).toEqual(["CORP.test", "u@Corp.test", "BOB@a.test"]);
    expect(
      await granted("x.test,corp.test", "sw", [
        "a.corp.test",
        "a.CORP.test",
        "*.CORP.test",
        "u@a.corp.test",
      ]),
    ).toEqual(["a.corp.test", "*.CORP.test", "u@a.corp.test"]);
    expect(
      await granted("x.test,q*.corp.test", "gw", [
        "qq.corp.test",
        "QQ.corp.test",
        "q*.corp.test",
        "q@x.corp.test",
      ]),
    ).toEqual(["qq.corp.test", "q*.corp.test", "q@x.corp.test"]);
  });
  it("A 7.5 rule 9: all other names are rejected, and empty entries match nothing", async () => {
    expect(await granted(",,", "bsgwl", ["corp.test", "a.test", "u@corp.test"])).toEqual([]);
    expect(await granted("corp.test", "", ["corp.test", "x.corp.test"])).toEqual([]);
  });

  it("A 7.5 vector 1: subdomains are below the domain", async () =>
    expect(await granted("corp.test", "s", ["api.corp.test", "corp.test"])).toEqual([
      "api.corp.test",
    ]));
  it("A 7.5 vector 2: wildcards of a domain and of its subdomains", async () => {
    const names = ["*.corp.test", "*.x.corp.test", "a*.corp.test", "a*b.corp.test"];
    expect(await granted("corp.test", "sw", names)).toEqual(names);
  });
  it("A 7.5 vector 3: no wildcards if they are disabled", async () =>
    expect(await granted("corp.test", "s", ["*.corp.test"])).toEqual([]));
  it("A 7.5 vector 4: bare domains in any case", async () =>
    expect(await granted("corp.test", "b", ["CORP.test", "x.corp.test"])).toEqual(["CORP.test"]));
  it("A 7.5 vector 5: subdomains are case-sensitive in the domain", async () =>
    expect(await granted("corp.test", "s", ["API.corp.test", "api.CORP.test"])).toEqual([
      "API.corp.test",
    ]));
  it("A 7.5 vector 6: a star in a domain does not match without allow_glob_domains", async () => {
    for (const on of ["", "w", "s", "sw"])
      expect(await granted("*.corp.test", on, ["a.corp.test"])).toEqual([]);
  });
  it("A 7.5 vector 7: a bare domain may be a wildcard", async () =>
    expect(await granted("*.corp.test", "bw", ["*.corp.test"])).toEqual(["*.corp.test"]));
  it("A 7.5 vector 8: a star matches dots", async () =>
    expect(await granted("*.corp.test", "g", ["a.b.corp.test", "corp.test"])).toEqual([
      "a.b.corp.test",
    ]));
  it("A 7.5 vector 9: a glob with two stars", async () =>
    expect(await granted("*.*.corp.test", "gw", ["*.x.corp.test", "x.corp.test"])).toEqual([
      "*.x.corp.test",
    ]));
  it("A 7.5 vector 10: a name with two stars is invalid", async () => {
    const a = await withRole({ allow_bare_domains: true, allowed_domains: "*.*.corp.test" });
    const name = "*.*.corp.test";
    const answers = [
      await issue(a, { common_name: name }),
      await sign(a, { cn: name }),
      await issue(a, { alt_names: name }),
      await sign(a, { extensions: [sanFor(name)] }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([400, 400, 400, 400]);
  });
  it("A 7.5 vector 11: a glob within a label", async () => {
    const names = ["quiz.corp.test", "q.a.z.corp.test"];
    expect(await granted("q*z.corp.test", "g", names)).toEqual(names);
  });
  it("A 7.5 vector 12: globs and subdomains do not combine", async () =>
    expect(await granted("q*z.corp.test", "gs", ["x.quiz.corp.test"])).toEqual([]));
  it("A 7.5 vector 13: localhost is a domain like any other", async () => {
    expect([
      await granted("localhost", "", ["localhost"]),
      await granted("localhost", "b", ["localhost"]),
    ]).toEqual([[], ["localhost"]]);
  });
  it("A 7.5 vector 14: allow_localhost allows its wildcard, as rule 6 says", async () =>
    expect(await granted("", "lw", ["*.localhost"])).toEqual(["*.localhost"]));
  it("A 7.5 vector 15: an underscore is allowed in a common name without enforce_hostnames, but never in a SAN", async () => {
    const name = "a_b.corp.test";
    const a = await withRole({ allow_any_name: true });
    const common = async () =>
      [
        await issue(a, { common_name: name }),
        await sign(a, { cn: name }),
        await issue(a, { common_name: name, alt_names: "x.test" }),
      ].map(outcome);
    const refused = `common name ${name} not allowed by this role`;
    expect(await common()).toEqual([refused, refused, refused]);
    await write(a, { allow_any_name: true, enforce_hostnames: false });
    expect(await common()).toEqual([200, 200, 200]);
    const alternative = `subject alternate name ${name} is not a valid DNS name and cannot be included as a SAN`;
    expect([
      outcome(await issue(a, { alt_names: name })),
      outcome(await sign(a, { extensions: [sanFor(name)] })),
    ]).toEqual([alternative, alternative]);
  });
  it("A 7.5 vector 16: an email address at a bare domain", async () =>
    expect(await granted("corp.test", "b", ["bob@corp.test"])).toEqual(["bob@corp.test"]));

  it("A 7.5 host pattern: labels of letters, digits and inner hyphens, optionally with a leading wildcard and a trailing dot", async () => {
    const good = ["a", "a.b", "a-b.c", "*.a.b", "a.b.", "0.a", "a--b"];
    expect(await granted("", "aw", good)).toEqual(good);
    const a = await withRole({ allow_any_name: true });
    for (const bad of [
      "a-",
      "-a",
      "a_b",
      "a..b",
      ".a",
      "a b",
      "*",
      "a/b",
      "a:1",
      "0.1",
      "127.0.0.1",
    ]) {
      const answers = [
        await issue(a, { alt_names: bad }),
        await sign(a, { extensions: [sanOf({ dns: [bad] })] }),
      ];
      expect(
        answers.map((answer) => answer.status),
        bad,
      ).toEqual([400, 400]);
    }
  });
  it("A 7.5 IDNA: non-ASCII labels are encoded with xn-- without case folding; labels that cannot be encoded are rejected", async () => {
    const a = await withRole({ allow_any_name: true });
    expect(
      readCertificate((await issue(a, { alt_names: "Bücher.Test" })).data["certificate"]).names
        ?.dns,
    ).toEqual(["xn--Bcher-kva.Test"]);
    const long = `${"a".repeat(64)}.test`;
    for (const bad of [`ü..test`, long, `${"a.".repeat(127)}test`])
      expect(outcome(await issue(a, { alt_names: bad }))).toMatch(/^idna: invalid label "/);
    for (const bad of ["a..test", long])
      expect(outcome(await sign(a, { extensions: [sanOf({ dns: [bad] })] }))).toMatch(
        /^idna: invalid label "/,
      );
  });
  it("A 7.5 common name: is checked like other names and by cn_validations, and again as a SAN", async () => {
    const a = await withRole({ allow_any_name: true, cn_validations: "hostname" });
    expect([
      outcome(await issue(a, { common_name: "u@a.test" })),
      outcome(await sign(a, { cn: "u@a.test" })),
    ]).toEqual(Array(2).fill("common name u@a.test not allowed by this role"));
    await write(a, { cn_validations: "disabled" });
    for (const answer of [
      await issue(a, { common_name: "a.test" }),
      await sign(a, { cn: "a.test" }),
    ])
      expect(outcome(answer)).toBe("subject alternate name a.test not allowed by this role");
    for (const answer of [
      await issue(a, { common_name: "u@a.test" }),
      await sign(a, { cn: "u@a.test" }),
    ])
      expect(outcome(answer)).toBe("email address u@a.test not allowed by this role");
    for (const answer of [
      await issue(a, { common_name: "A Person" }),
      await issue(a, { common_name: "a.test", exclude_cn_from_sans: true }),
    ])
      expect(outcome(answer)).toBe(200);
  });
});

describe("checks of other values", () => {
  const other = (oid: string, value: string) => ({
    extensions: [sanOf({ other: [{ oid, value }] })],
  });
  const both = async (a: Authority, oid: string, value: string) =>
    [
      await issue(a, { common_name: "a.test", other_sans: `${oid};UTF8:${value}` }),
      await sign(a, { cn: "a.test", ...other(oid, value) }),
    ].map(outcome);
  it("A 7.6 item 1: other names by OID and glob, or all; for body and CSR alike", async () => {
    const a = await withRole({
      allow_any_name: true,
      allowed_other_sans: "1.2.3;UTF8:a*,1.2.3;UTF8:b,1.2.4;utf-8:*",
    });
    expect([
      await both(a, "1.2.3", "ax"),
      await both(a, "1.2.3", "b"),
      await both(a, "1.2.4", "x"),
    ]).toEqual([
      [200, 200],
      [200, 200],
      [200, 200],
    ]);
    expect(await both(a, "1.2.3", "bb")).toEqual(
      Array(2).fill("other SAN bb not allowed for OID 1.2.3 by this role"),
    );
    expect(await both(a, "1.2.5", "a")).toEqual(
      Array(2).fill("other SAN OID 1.2.5 not allowed by this role"),
    );
    for (const bad of ["1.2.3", "1.2.3;IA5:x", "x;UTF8:y"])
      expect(outcome(await issue(a, { common_name: "a.test", other_sans: bad }))).toBe(
        `could not parse requested other SAN: ${bad}`,
      );
    const notUtf8: Extension = {
      oid: extensionOid.subjectAltName,
      critical: false,
      value: sequence(tlv(0xa0, oid("1.2.3"), tlv(0xa0, octets(Uint8Array.of(1))))),
    };
    expect(outcome(await sign(a, { cn: "a.test", extensions: [notUtf8] }))).toMatch(
      /^could not parse requested other SAN: /,
    );
    const registered: Extension = {
      oid: extensionOid.subjectAltName,
      critical: false,
      value: sequence(implicit(8, oid("1.2.3"))),
    };
    expect(outcome(await sign(a, { cn: "a.test", extensions: [registered] }))).toMatch(
      /^could not parse requested other SAN: /,
    );
    await write(a, { allow_any_name: true, allowed_other_sans: "*" });
    expect(await both(a, "1.9", "any")).toEqual([200, 200]);
  });
  it("A 7.6 item 2: URIs by glob; for body and CSR alike", async () => {
    const a = await withRole({
      allow_any_name: true,
      allowed_uri_sans: "https://*.test/*,spiffe://x",
    });
    const uris = async (uri: string) =>
      [
        await issue(a, { common_name: "a.test", uri_sans: uri }),
        await sign(a, { cn: "a.test", extensions: [sanOf({ uri: [uri] })] }),
      ].map((one) => one.status);
    expect([
      await uris("https://a.test/x"),
      await uris("spiffe://x"),
      await uris("https://a.test"),
      await uris("spiffe://xy"),
    ]).toEqual([
      [200, 200],
      [200, 200],
      [400, 400],
      [400, 400],
    ]);
  });
  it("A 7.6 item 3: serial numbers, exact or by glob; for body and CSR alike", async () => {
    const a = await withRole({ allow_any_name: true, allowed_serial_numbers: "Ab,c*" });
    const serials = async (serial: string) =>
      [
        await issue(a, { common_name: "a.test", serial_number: serial }),
        await sign(a, { subject: [...commonName("a.test"), rdn("serialNumber", serial)] }),
      ].map(outcome);
    expect([
      await serials("Ab"),
      await serials("cd"),
      await serials("ab"),
      await serials("Abc"),
    ]).toEqual([
      [200, 200],
      [200, 200],
      Array(2).fill("serial_number ab not allowed by this role"),
      Array(2).fill("serial_number Abc not allowed by this role"),
    ]);
  });
  it("A 7.6 item 4: user IDs, exact in any case or by glob; for body and CSR alike", async () => {
    const a = await withRole({ allow_any_name: true, allowed_user_ids: "Ab,c*" });
    const ids = async (id: string) =>
      [
        await issue(a, { common_name: "a.test", user_ids: id }),
        await sign(a, { subject: [...commonName("a.test"), rdn("userId", id)] }),
      ].map(outcome);
    expect([await ids("aB"), await ids("cd"), await ids("Cd")]).toEqual([
      [200, 200],
      [200, 200],
      Array(2).fill("user_id Cd is not allowed by this role"),
    ]);
  });
});
