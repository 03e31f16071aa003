import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CaError } from "../../../src/base/errors.ts";
import {
  commonNameVerdict,
  nameVerdict,
  type NameRules,
  collectNames,
  subjectSerialVerdict,
  uriVerdict,
  userIdVerdict,
  fitsGlobDomain,
  isBelowDomain,
  isDomain,
} from "../../../src/pki/request/names.ts";
import { otherNameVerdict, parseOtherName } from "../../../src/pki/request/other-name.ts";
import { forSeeds } from "../../base/seeds.ts";
import { threadTime } from "../../support/spent.ts";

const strict: NameRules = {
  allow_any_name: false,
  allow_localhost: false,
  allow_bare_domains: false,
  allow_subdomains: false,
  allow_glob_domains: false,
  allow_wildcard_certificates: false,
  enforce_hostnames: true,
  allowed_domains: [],
};
const flagOf = {
  n: "allow_any_name",
  l: "allow_localhost",
  b: "allow_bare_domains",
  s: "allow_subdomains",
  g: "allow_glob_domains",
  w: "allow_wildcard_certificates",
} as const;
function rules(domains: string, flags: string, more: Partial<NameRules> = {}): NameRules {
  const on = Object.fromEntries(
    [...flags].map((flag) => [flagOf[flag as keyof typeof flagOf], true]),
  );
  return { ...strict, ...on, allowed_domains: domains === "" ? [] : domains.split(","), ...more };
}

/** The same algorithm as regular expressions over whole names, one for each rule. */
function oracle(r: NameRules, name: string): boolean {
  const label = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
  const host = `(?:\\*\\.)?(?:${label}\\.)*${label}\\.?`;
  const match = /^(?:([^@*]+|[^@]*\*[^@]*)@)?([^@]+)$/.exec(name);
  if (!match || match[1] === "") return false;
  const [, mailbox, full = ""] = match;
  const stars = full.split("*").length - 1;
  const wildcard = stars > 0;
  if (
    wildcard &&
    (!r.allow_wildcard_certificates || stars > 1 || !/^[^.]*\*/.test(full) || mailbox !== undefined)
  )
    return false;
  if (/^\*\.?$/.test(full)) return false;
  const base = wildcard ? full.replace(/^[^.]*\.?/, "") : full;
  if (r.enforce_hostnames) {
    const ok = new RegExp(
      wildcard ? `^(?:\\*|(?:${label})?\\*(?:${label})?)(?:\\.(?:${host})?)?$` : `^${host}$`,
    );
    if (!ok.test(full) || base.split(".").some((part) => part.length > 63)) return false;
  }
  const ways = [
    r.allow_any_name,
    r.allow_localhost &&
      (r.allow_subdomains ? /(^|\.)local(host|domain)$/ : /^local(host|domain)$/).test(base),
  ];
  for (const domain of r.allowed_domains.filter(Boolean)) {
    const literal = domain.replace(/[^\w]/g, "\\$&");
    ways.push(r.allow_bare_domains && new RegExp(`^(?:${literal})$`, "i").test(name));
    ways.push(
      r.allow_bare_domains &&
        mailbox !== undefined &&
        new RegExp(`^(?:${literal})$`, "i").test(full),
    );
    ways.push(r.allow_subdomains && new RegExp(`\\.${literal}$`).test(base));
    ways.push(r.allow_subdomains && wildcard && new RegExp(`^${literal}$`, "i").test(base));
    ways.push(
      r.allow_glob_domains &&
        /\*/.test(domain) &&
        new RegExp(`^${literal.replaceAll("\\*", "[^]*")}$`).test(name),
    );
  }
  return ways.includes(true);
}

describe("names of a role: vectors", () => {
  it.each([
    ["corp.test", "s", "api.corp.test", true],
    ["corp.test", "s", "corp.test", false],
    ["corp.test", "sw", "*.corp.test", true],
    ["corp.test", "sw", "*.x.corp.test", true],
    ["corp.test", "sw", "a*.corp.test", true],
    ["corp.test", "sw", "a*b.corp.test", true],
    ["corp.test", "s", "*.corp.test", false],
    ["corp.test", "b", "CORP.test", true],
    ["corp.test", "b", "x.corp.test", false],
    ["corp.test", "s", "API.corp.test", true],
    ["corp.test", "s", "api.CORP.test", false],
    ["*.corp.test", "", "a.corp.test", false],
    ["*.corp.test", "s", "a.corp.test", false],
    ["*.corp.test", "bw", "*.corp.test", true],
    ["*.corp.test", "g", "a.b.corp.test", true],
    ["*.corp.test", "g", "corp.test", false],
    ["*.*.corp.test", "gw", "*.x.corp.test", true],
    ["*.*.corp.test", "gw", "x.corp.test", false],
    ["*.*.corp.test", "bw", "*.*.corp.test", false],
    ["q*z.corp.test", "g", "quiz.corp.test", true],
    ["q*z.corp.test", "g", "q.a.z.corp.test", true],
    ["q*z.corp.test", "gs", "x.quiz.corp.test", false],
    ["localhost", "", "localhost", false],
    ["localhost", "b", "localhost", true],
    ["", "lw", "*.localhost", true],
    ["", "l", "localhost", true],
    ["", "l", "u@localhost", true],
    ["", "l", "a.localhost", false],
    ["", "ls", "a.localdomain", true],
    ["", "n", "a_b.corp.test", false],
    ["corp.test", "b", "bob@corp.test", true],
    ["bob@a.test", "b", "BOB@a.test", true],
    ["bob@a.test", "b", "eve@a.test", false],
  ])("%j with the flags %j: %s is %j", (domains, flags, name, allowed) => {
    expect(nameVerdict(rules(domains, flags), name).allowed).toBe(allowed);
  });
  it("allows valid A-labels, and other labels with hyphens in positions three and four", () => {
    for (const name of [
      "r3--a.test",
      "xn-a.test",
      "ab--.test".replace("--", "--c"),
      "xn--bcher-kva.test",
      "XN--BCHER-KVA.test",
    ])
      expect([name, nameVerdict(rules("", "n"), name).allowed]).toEqual([name, true]);
    expect(nameVerdict(rules("", "n", { enforce_hostnames: false }), "xn--abc-.test").allowed).toBe(
      true,
    );
  });
  it("allows other host names if enforce_hostnames is off", () => {
    expect(nameVerdict(rules("", "n", { enforce_hostnames: false }), "a_b.corp.test")).toEqual({
      allowed: true,
      rule: "allow_any_name",
    });
  });
  it.each([
    ["a.test", "n", "allow_any_name"],
    ["localhost", "l", "allow_localhost"],
    ["corp.test", "b", "allow_bare_domains"],
    ["x.corp.test", "s", "allow_subdomains"],
    ["zq*", "b", "allow_wildcard_certificates"],
    ["a_b", "n", "enforce_hostnames"],
    ["other.test", "bsg", "allowed_domains"],
    ["\0", "n", "control character"],
    ["", "n", "empty name"],
    ["a@b@c", "n", "malformed email address"],
    ["@b.test", "n", "malformed email address"],
    ["u@*.a.test", "nw", "wildcard in an email address"],
    ["*", "nw", "a wildcard without a domain"],
    ["*.", "nw", "a wildcard without a domain"],
    ["xn--abc-.test", "n", "enforce_hostnames"],
    ["XN--9999999999.test", "n", "enforce_hostnames"],
    ["xn--*.test", "nw", "enforce_hostnames"],
    ["a.*.test", "nw", "more than one wildcard, or a wildcard right of the first label"],
  ])("for %j with the flags %j, the deciding rule is %s", (name, flags, rule) => {
    expect(nameVerdict(rules("corp.test", flags), name).rule).toBe(rule);
  });
});

describe("names of a role: every combination of flags", () => {
  const domainLists = [
    "",
    ",",
    "corp.test",
    "*.corp.test",
    "localhost,q*z.corp.test",
    "u@corp.test,,*",
    "sub.corp.test,CORP.test",
  ];
  const names = [
    "corp.test",
    "CORP.test",
    "a.corp.test",
    "a.b.corp.test",
    "acorp.test",
    "a.corp.test.",
    "*.corp.test",
    "a*.corp.test",
    "a*b.x.corp.test",
    "*a*.corp.test",
    "*.*.corp.test",
    "x.*.corp.test",
    "*corp.test",
    "-*.corp.test",
    "a-*b.corp.test",
    "a_*.corp.test",
    "*",
    "*.",
    "**",
    "*.localhost",
    "localhost",
    "localdomain",
    "x.localhost",
    "u@localhost",
    "localhost.evil.test",
    "u@corp.test",
    "U@corp.test",
    "e@a.corp.test",
    "u@*.corp.test",
    "u*@corp.test",
    "u@v@corp.test",
    "@corp.test",
    "u@",
    "@",
    "quiz.corp.test",
    "q.a.z.corp.test",
    "x.quiz.corp.test",
    "a_b.corp.test",
    "-a.corp.test",
    "a-.corp.test",
    " corp.test",
    "corp.test ",
    ".corp.test",
    "..corp.test",
    "a..corp.test",
    "corp.test..",
    "1.2.3.4",
    "0x7f.1",
    "0177.0.0.1",
    `${"a".repeat(64)}.corp.test`,
    "corp_test",
    "corpXtest",
    "sub.corp.test",
    "xn--bcher-kva.corp.test",
  ];
  it("agrees with an oracle written as regular expressions", () => {
    const flags = Object.values(flagOf);
    const wrong: string[] = [];
    let allowed = 0;
    for (let bits = 0; bits < 128; bits++) {
      const on = Object.fromEntries(
        [...flags, "enforce_hostnames" as const].map((flag, at) => [
          flag,
          (bits & (1 << at)) !== 0,
        ]),
      );
      for (const list of domainLists) {
        const role = { ...strict, ...on, allowed_domains: list.split(",") };
        for (const name of names) {
          const expected = oracle(role, name);
          if (expected) allowed++;
          if (nameVerdict(role, name).allowed !== expected)
            wrong.push(`${JSON.stringify(role)} ${name}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(allowed).toBeGreaterThan(5000);
  });
});

describe("names of a role: properties of any role", () => {
  const flag = fc.boolean();
  const domain = fc.string({
    unit: fc.constantFrom("a", "B", ".", "*", "-", "corp", "test", "@"),
    maxLength: 6,
  });
  const role = fc.record({
    allow_any_name: flag,
    allow_localhost: flag,
    allow_bare_domains: flag,
    allow_subdomains: flag,
    allow_glob_domains: flag,
    allow_wildcard_certificates: flag,
    enforce_hostnames: flag,
    allowed_domains: fc.array(domain, { maxLength: 4 }),
  });
  const name = fc.string({
    unit: fc.constantFrom("a", "B", "ü", ".", "*", "-", "_", "corp", "test", "@", "localhost"),
    maxLength: 8,
  });

  it("an empty list of domains allows nothing", () => {
    forSeeds(
      fc.property(role, name, (r, n) => {
        expect(
          nameVerdict(
            { ...r, allow_any_name: false, allow_localhost: false, allowed_domains: [] },
            n,
          ).allowed,
        ).toBe(false);
        expect(
          nameVerdict(
            { ...r, allow_any_name: false, allow_localhost: false, allowed_domains: ["", ""] },
            n,
          ).allowed,
        ).toBe(false);
      }),
    );
  });
  it("neither an empty entry nor the order of the list changes a result", () => {
    forSeeds(
      fc.property(role, name, (r, n) => {
        const verdict = nameVerdict(r, n).allowed;
        expect(
          nameVerdict({ ...r, allowed_domains: ["", ...r.allowed_domains, ""] }, n).allowed,
        ).toBe(verdict);
        expect(
          nameVerdict({ ...r, allowed_domains: r.allowed_domains.toReversed() }, n).allowed,
        ).toBe(verdict);
      }),
    );
  });
  it("a list of domains allows exactly what one of its entries allows", () => {
    forSeeds(
      fc.property(role, name, fc.array(domain, { maxLength: 12 }), (r, n, more) => {
        const allowed_domains = [...r.allowed_domains, ...more];
        const byOne = ["", ...allowed_domains].some(
          (entry) => nameVerdict({ ...r, allowed_domains: [entry] }, n).allowed,
        );
        expect(nameVerdict({ ...r, allowed_domains }, n).allowed).toBe(byOne);
      }),
    );
  });
  it("neither the length of a domain nor dots before it change a result", () => {
    const long = `${"x".repeat(60)}.${"y".repeat(60)}.test`;
    const open = rules(`a,${long},.dot`, "bsg", { enforce_hostnames: false });
    for (const n of [
      long,
      `z.${long}`,
      `z.z.${long}`,
      "z.a",
      "z..dot",
      "z.a.a",
      `${"z.".repeat(5000)}a`,
    ])
      expect([n, nameVerdict(open, n).allowed]).toEqual([n, true]);
    for (const n of [`z${long}`, `${long}.z`, "za", "z.dot", `${"z.".repeat(5000)}b`])
      expect([n, nameVerdict(open, n).allowed]).toEqual([n, false]);
  });
  it("a name with a control character is rejected by every role", () => {
    forSeeds(
      fc.property(
        role,
        name,
        fc.constantFrom("\0", "\r", "\n", "\t", "\u007f", "\u0085"),
        fc.nat({ max: 8 }),
        (r, n, char, at) => {
          expect(nameVerdict(r, n.slice(0, at) + char + n.slice(at)).rule).toBe(
            "control character",
          );
        },
      ),
    );
  });
  it("an additional flag or domain never forbids a name", () => {
    forSeeds(
      fc.property(role, name, domain, (r, n, d) => {
        fc.pre(nameVerdict(r, n).allowed);
        for (const on of Object.values(flagOf))
          expect(nameVerdict({ ...r, [on]: true }, n).allowed).toBe(true);
        expect(
          nameVerdict(
            { ...r, enforce_hostnames: false, allowed_domains: [...r.allowed_domains, d] },
            n,
          ).allowed,
        ).toBe(true);
      }),
    );
  });
  it("allow_glob_domains alone allows nothing if no domain has a star", () => {
    forSeeds(
      fc.property(role, name, (r, n) => {
        const plain = r.allowed_domains.map((entry) => entry.replaceAll("*", ""));
        const verdict = nameVerdict(
          {
            ...r,
            allow_any_name: false,
            allow_localhost: false,
            allow_bare_domains: false,
            allow_subdomains: false,
            allowed_domains: plain,
          },
          n,
        );
        expect(verdict.allowed).toBe(false);
      }),
    );
  });
  it("a name gets the same result as common name, in alt_names and in a CSR", () => {
    forSeeds(
      fc.property(
        role,
        fc.constantFrom(
          "a.corp.test",
          "*.corp.test",
          "bücher.test",
          "u@corp.test",
          "a*b.corp.test",
          "localhost",
        ),
        (r, n) => {
          const fromCn = collectNames({ commonName: n, altNames: "", excludeCn: false });
          const fromBody = collectNames({ commonName: "", altNames: n, excludeCn: false });
          const fromCsr = collectNames({
            commonName: "",
            altNames: "",
            excludeCn: false,
            csr: fromBody,
          });
          expect([fromBody, fromCsr]).toEqual([fromCn, fromCn]);
          expect(fromCn.dns.length + fromCn.email.length).toBe(1);
          expect(nameVerdict(r, fromCn.dns[0] ?? fromCn.email[0] ?? "").allowed).toBe(
            nameVerdict(r, n.replace("bücher", "xn--bcher-kva")).allowed,
          );
        },
      ),
    );
  });
  it("regular expression characters in a domain are literal", () => {
    for (const domains of ["a.c", "[ab]c", ".+", "a?c", "^abc$", "(abc)"]) {
      expect(nameVerdict(rules(domains, "bsg", { enforce_hostnames: false }), "abc").allowed).toBe(
        false,
      );
      expect(
        nameVerdict(rules(`${domains}*`, "g", { enforce_hostnames: false }), "abc").allowed,
      ).toBe(false);
      expect(nameVerdict(rules(domains, "b", { enforce_hostnames: false }), domains).allowed).toBe(
        true,
      );
    }
  });
  it("letters of other scripts are not folded to ASCII", () => {
    expect(
      nameVerdict(rules("kelvin.test", "b", { enforce_hostnames: false }), "\u212aelvin.test")
        .allowed,
    ).toBe(false);
  });
});

describe("common names", () => {
  const noAddress = { allow_ip_sans: false, allowed_ip_sans_cidr: [] };
  const open = { ...rules("", "n"), ...noAddress, cn_validations: ["email", "hostname"] };
  it("require the validation of their type", () => {
    expect(commonNameVerdict(open, "a.test").allowed).toBe(true);
    expect(commonNameVerdict(open, "u@a.test").allowed).toBe(true);
    expect(commonNameVerdict({ ...open, cn_validations: ["email"] }, "a.test")).toEqual({
      allowed: false,
      rule: "cn_validations",
    });
    // the name's own rule precedes the rule for its type
    expect(
      commonNameVerdict({ ...strict, ...noAddress, cn_validations: ["email"] }, "a.test"),
    ).toEqual({ allowed: false, rule: "allowed_domains" });
    expect(commonNameVerdict({ ...open, cn_validations: ["hostname"] }, "u@a.test")).toEqual({
      allowed: false,
      rule: "cn_validations",
    });
  });
  it("may be any text without control characters if cn_validations is disabled", () => {
    const disabled = { ...strict, ...noAddress, cn_validations: ["disabled"] };
    expect(commonNameVerdict(disabled, "My first root").allowed).toBe(true);
    expect(commonNameVerdict(disabled, "My\0root").allowed).toBe(false);
  });
  it.each(["127.0.0.1", "0x7f.1", "0177.0.0.1", "127.1", "10.0.0.1."])(
    "that software may read as an IP address, such as %s, must be allowed as one",
    (name) => {
      expect(commonNameVerdict(open, name)).toEqual({ allowed: false, rule: "allow_ip_sans" });
      expect(commonNameVerdict({ ...open, allow_ip_sans: true }, name).allowed).toBe(true);
      expect(
        commonNameVerdict(
          { ...open, allow_ip_sans: true, allowed_ip_sans_cidr: ["192.0.2.0/24"] },
          name,
        ).rule,
      ).toBe("allowed_ip_sans_cidr");
      expect(
        commonNameVerdict(
          {
            ...open,
            allow_ip_sans: true,
            allowed_ip_sans_cidr: ["127.0.0.0/8", "10.0.0.0/8", "177.0.0.1/32"],
          },
          name,
        ).allowed,
      ).toBe(true);
    },
  );
  it("may consist of digits, as for persons or devices", () => {
    expect(commonNameVerdict(open, "4711").allowed).toBe(true);
  });
});

describe("other rules of a role", () => {
  it("match URIs as globs, and an empty list allows none", () => {
    expect(uriVerdict(["spiffe://corp/*"], "spiffe://corp/a/b").allowed).toBe(true);
    expect(uriVerdict(["spiffe://corp/*"], "spiffe://corp2/a").allowed).toBe(false);
    expect(uriVerdict([], "spiffe://corp/a")).toEqual({ allowed: false, rule: "allowed_uri_sans" });
    expect(uriVerdict([""], "").allowed).toBe(false);
    expect(uriVerdict(["*"], "http://a/\r\n").allowed).toBe(false);
  });
  it("match subject serial numbers exactly or as globs", () => {
    expect(
      ["AB1", "ab1", "X-9", ""].map(
        (serial) => subjectSerialVerdict(["AB1", "X-*"], serial).allowed,
      ),
    ).toEqual([true, false, true, false]);
  });
  it("match user IDs in any case, but globs only in theirs", () => {
    expect(
      ["BOB", "svc-1", "SVC-1", "eve"].map((user) => userIdVerdict(["bob", "svc-*"], user).allowed),
    ).toEqual([true, true, false, false]);
  });
  it.each([
    ["1.2.3;UTF8:a;b:c", { oid: "1.2.3", value: "a;b:c" }],
    [" 2.999.1 ; utf-8 : x ", { oid: "2.999.1", value: "x" }],
    ["1.3.6;UTF8:", { oid: "1.3.6", value: "" }],
    ["1.2.3;IA5:x", undefined],
    ["1.2.3", undefined],
    ["UTF8:x", undefined],
    ["1;UTF8:x", undefined],
    ["3.1;UTF8:x", undefined],
    ["1.40;UTF8:x", undefined],
    ["1.2.03;UTF8:x", undefined],
  ])("parse the otherName %j, or reject it as malformed", (text, expected) => {
    expect(parseOtherName(text)).toEqual(expected);
  });
  it.each(["1.3.6.1.5.5.7.8.3", "1.3.6.1.5.5.7.8.4"])(
    "allow a device name with the OID %s only by that OID, not by an entry *",
    (oid) => {
      expect(otherNameVerdict(["*"], { oid, value: "x" })).toEqual({
        allowed: false,
        rule: `other SAN OID ${oid} identifies a device, which the entry * does not allow`,
      });
      expect(otherNameVerdict([`${oid};UTF8:x`], { oid, value: "x" }).allowed).toBe(true);
    },
  );
  it("name the rejected otherName", () => {
    const allowed = ["1.2.3;UTF8:dev-*", "1.2.4;utf-8:*"];
    expect(otherNameVerdict(allowed, { oid: "1.2.3", value: "dev-1" }).allowed).toBe(true);
    expect(otherNameVerdict(["*"], { oid: "1.9.9", value: "x" }).allowed).toBe(true);
    expect(otherNameVerdict(allowed, { oid: "1.2.3", value: "ops" })).toEqual({
      allowed: false,
      rule: "other SAN ops not allowed for OID 1.2.3 by this role",
    });
    expect(otherNameVerdict(allowed, { oid: "1.2.5", value: "ops" })).toEqual({
      allowed: false,
      rule: "other SAN OID 1.2.5 not allowed by this role",
    });
    expect(otherNameVerdict(["*", "1.2.3;UTF8:a"], { oid: "1.9.9", value: "x" }).allowed).toBe(
      false,
    );
    expect(otherNameVerdict(["*"], { oid: "1.9.9", value: "\0" }).allowed).toBe(false);
  });
});

describe("the requested names", () => {
  const collect = (
    commonName: string,
    altNames = "",
    more: { excludeCn?: boolean; csr?: { dns: string[]; email: string[] } } = {},
  ) => collectNames({ commonName, altNames, excludeCn: false, ...more });

  it("keep their order, without surrounding spaces, duplicates or empty names", () => {
    expect(
      collect("z.test", " b.test,a.test , z.test,,b.test, u@b.test,v@b.test,u@b.test"),
    ).toEqual({
      dns: ["z.test", "b.test", "a.test"],
      email: ["u@b.test", "v@b.test"],
    });
  });
  it("include the common name by its type, unless excluded", () => {
    expect(collect("u@a.test")).toEqual({ dns: [], email: ["u@a.test"] });
    expect(collect("Bücher.test")).toEqual({ dns: ["xn--Bcher-kva.test"], email: [] });
    expect(collect("a.test", "b.test", { excludeCn: true })).toEqual({
      dns: ["b.test"],
      email: [],
    });
  });
  it.each([
    "My Root CA",
    "John Q. Public...",
    "a_b.test",
    "x".repeat(80),
    "Jürgen @ home",
    "u@",
    "*",
    "*.*.a.test",
    "",
    ".a.test",
    "a.test ",
    "10.0.0.1",
    "0x7f.1",
    "4711",
    "*.1",
  ])("do not include the common name %j among the SANs", (commonName) => {
    expect(collect(commonName)).toEqual({ dns: [], email: [] });
  });
  it("accept a wildcard as the whole first label or a part of it", () => {
    expect(collect("", "*.a.test,f*o.a.test,*o.a.test,f*.a.test").dns).toEqual([
      "*.a.test",
      "f*o.a.test",
      "*o.a.test",
      "f*.a.test",
    ]);
  });
  it.each([
    "a_b.test",
    "a b.test",
    "*",
    "*.*.a.test",
    "a.*.test",
    "f*o",
    "*a*.test",
    "-a.test",
    "https://a.test",
    "127.0.0.1",
    "0x7f.1",
    "0X7F000001",
    "a.1",
    "a.0x",
    "1.",
    "*.1",
  ])("reject the alternative name %j as an invalid DNS name", (name) => {
    expect(() => collect("a.test", `b.test, ${name}`)).toThrow(
      `subject alternate name ${name} is not a valid DNS name and cannot be included as a SAN`,
    );
  });
  it.each(["a..test", ".a.test", `${"a".repeat(64)}.test`, "xn--ä.test", "XN--ä", "*."])(
    "reject the alternative name %j, which is not a domain name at all",
    (name) => {
      expect(() => collect("", name)).toThrow(
        name === "*." ? "is not a valid DNS name" : "idna: invalid label",
      );
    },
  );
  it.each(["u@", "@a.test", "u@v@a.test", "ü@a.test", "u u@a.test"])(
    "reject the e-mail address %j",
    (name) => {
      expect(() => collect("", name)).toThrow(
        `subject alternate name ${name} is not a valid e-mail address and cannot be included as a SAN`,
      );
    },
  );
  it.each(["\0", "\r", "\n", "\u007f", "\u0085", "\u001b"])(
    "reject the control character %j in every position",
    (char) => {
      const name = `a${char}.test`;
      const sources = [
        () => collect(name),
        () => collect(name, "", { excludeCn: true }),
        () => collect("", `b.test,${name}`),
        () => collect("", `b.test${char}`),
        () => collect("", "", { csr: { dns: [name], email: [] } }),
        () => collect("", "", { csr: { dns: [], email: [name] } }),
      ];
      for (const source of sources) {
        expect(source).toThrow(CaError);
        expect(source).toThrow(/^the name "[^\p{Cc}]*" contains a control character$/u);
      }
    },
  );
  it("are those of the CSR unchanged, without alt_names", () => {
    expect(
      collect("c.test", "b_b, d.test", {
        csr: { dns: ["z_z.test", "a.test", "z_z.test"], email: ["u@a.test"] },
      }),
    ).toEqual({
      dns: ["z_z.test", "a.test", "c.test"],
      email: ["u@a.test"],
    });
  });
  it("are limited to 5,000, and a name of a million characters is rejected promptly", () => {
    const started = threadTime();
    const many = Array.from({ length: 5001 }, (_, at) => `n${at}.a.test`);
    expect(collect("", many.slice(1).join(",")).dns.length).toBe(5000);
    expect(() => collect("", many.join(","))).toThrow(
      "5001 alternative names were requested; at most 5000 are allowed",
    );
    expect(() => collect("", "a.test,".repeat(5000))).toThrow("5001 alternative names");
    expect(() => collect("", `${"a.".repeat(500_000)}test`)).toThrow("idna: invalid label");
    expect(threadTime() - started).toBeLessThan(5000);
  });
});

describe("the domains of a role", () => {
  it("are prepared once, however many names are compared with them", () => {
    let read = 0;
    const counted = new Proxy(["corp.test", "g*.test", ""], {
      get: (list, member, own) => (member === "filter" && read++, Reflect.get(list, member, own)),
    });
    for (let i = 0; i < 100; i++)
      expect([
        isDomain(counted, "CORP.test"),
        isBelowDomain(counted, "x.corp.test"),
        fitsGlobDomain(counted, "gx.test"),
      ]).toEqual([true, true, true]);
    expect(read).toBe(1);
  });

  it("are compared with the end of a name only, so that a million dots cost little", () => {
    const name = `${"a.".repeat(1_000_000)}test`;
    const begun = threadTime();
    expect([
      isBelowDomain(["corp.test"], name),
      isBelowDomain(["corp.test", "a.a.test"], name),
    ]).toEqual([false, true]);
    expect(threadTime() - begun).toBeLessThan(5000);
  });
});
