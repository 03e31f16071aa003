import { describe, expect, it } from "vitest";
import {
  gapsOf,
  newGaps,
  newRisks,
  risksOf,
  wrongGlob,
} from "../../../../demo/routes/roles/role-risks.ts";

const texts = (values: Parameters<typeof risksOf>[0]): readonly string[] =>
  risksOf(values).map(({ text }) => text);

describe("the risks of a role", () => {
  it.each([
    [{ allow_any_name: true }, ["certificates for any name"]],
    [
      { allow_any_name: true, allow_wildcard_certificates: true },
      ["certificates for any name, and wildcards for any domain"],
    ],
    [
      { allow_glob_domains: true, allowed_domains: "*.com\n*" },
      [
        "certificates for every name that matches *.com",
        "certificates for every name that matches *",
      ],
    ],
    [{ allowed_uri_sans: "*" }, ["certificates for any URI, such as another SPIFFE ID"]],
    [
      { allowed_other_sans: "1.3.6.1.4.1.311.20.2.3;UTF8:*" },
      ["certificates for any otherName SAN, such as another user’s UPN for smart card logon"],
    ],
    [{ allow_glob_domains: true, allowed_domains: "*.example.com, web-*.test.example" }, []],
    [{ allowed_domains: "*", allow_subdomains: true, allow_wildcard_certificates: true }, []],
    [{ allowed_uri_sans: "spiffe://a.test/*" }, []],
  ])("of %j are %j", (values, expected) => {
    expect(texts(values)).toEqual(expected);
  });

  it("are new if the saved role does not have them, including wildcards added to any name", () => {
    const any = { allow_any_name: true };
    expect(newRisks(any, undefined)).toHaveLength(1);
    expect(newRisks({ ...any, ttl: "1h" }, any)).toEqual([]);
    expect(newRisks({ ...any, allow_wildcard_certificates: true }, any)).toHaveLength(1);
    expect(newRisks({ ...any, allowed_uri_sans: "*" }, any).map(({ id }) => id)).toEqual([
      "any-uri",
    ]);
  });
});

it("a domain with * in a role without glob domains is reported with the text to enter instead", () => {
  const wrong = (allowed_domains: string, allow_glob_domains = false) =>
    wrongGlob({ allowed_domains, allow_glob_domains });
  expect(wrong("example.org, *.example.test")).toMatch(
    /^\*\.example\.test allows no name\. Enter example\.test and select “Subdomains of these domains”/,
  );
  expect(wrong("www*.example.test")).toMatch(/ Enter a domain without \* and select/);
  expect([wrong("example.test"), wrong("*.example.test", true)]).toEqual([undefined, undefined]);
  // rule allow_bare_domains compares the name with the domain, including its *
  const itself = { allow_bare_domains: true, allow_wildcard_certificates: true };
  expect(wrongGlob({ allowed_domains: "*.example.test", ...itself })).toBe(undefined);
  expect(wrongGlob({ allowed_domains: "*.example.test", allow_any_name: true })).toBe(undefined);
});

it.each([
  [{}, true],
  [{ allowed_domains: "example.test" }, true],
  [{ allow_subdomains: true }, true],
  [{ allowed_domains: "*.example.test", allow_subdomains: true }, true],
  [{ allowed_domains: "*.example.test, a.test", allow_subdomains: true }, false],
  [{ allowed_domains: "example.test", allow_bare_domains: true }, false],
  [{ allowed_domains: "*.example.test", allow_glob_domains: true }, false],
  [{ allow_localhost: true }, false],
  [{ allow_ip_sans: true }, false],
  [{ allow_any_name: true }, false],
  [{ allowed_uri_sans: "spiffe://a.test/*" }, false],
  [{ allowed_device_identifiers: "permanent-identifier:C02*" }, false],
  [{ cn_validations: "disabled" }, false],
])(
  "a role with %j allows no name: %s, and only a saved role may stay so unconfirmed",
  (values, isNameless) => {
    const ids = (all: ReturnType<typeof gapsOf>) =>
      all.map(({ id }) => id).filter((id) => id === "no name");
    expect(ids(gapsOf(values))).toEqual(isNameless ? ["no name"] : []);
    expect(ids(newGaps(values, undefined))).toEqual(ids(gapsOf(values)));
    expect(newGaps(values, values)).toEqual([]);
  },
);
