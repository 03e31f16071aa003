import { describe, expect, it } from "vitest";
import { newRisks, risksOf, wrongGlob } from "../../../../demo/routes/roles/role-risks.ts";

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
});
