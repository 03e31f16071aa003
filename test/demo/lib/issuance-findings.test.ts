import { describe, expect, it } from "vitest";
import { stepsOf, type Explanation } from "../../../demo/lib/issuance-findings.ts";
import { fieldsOf } from "../../../demo/lib/request-fields.ts";
import { createCa, memoryStore, RefusedError } from "../../../src/index.ts";
import { generator, seed } from "./issuance-requests.ts";

const { below, pick, requests } = generator();

describe("the explanation of a dry run", () => {
  it(`agrees with issuing, and the page shows exactly the rules that reject the request (seed ${seed})`, async () => {
    const ca = createCa({ stores: memoryStore(), now: () => Date.UTC(2026, 10, 21) });
    await ca.pki.generateRoot({
      common_name: "Root",
      key_type: "ec",
      ttl: 31_536_000,
      excluded_dns_domains: ["secret.test"],
    });
    const differences: string[] = [];
    for (let round = 0; round < 40; round++) {
      const flag = (): boolean => below(2) === 1;
      const fields = {
        allow_any_name: flag(),
        allow_localhost: flag(),
        allow_bare_domains: flag(),
        allow_subdomains: flag(),
        allow_glob_domains: flag(),
        enforce_hostnames: flag(),
        allow_wildcard_certificates: flag(),
        allow_ip_sans: flag(),
        require_cn: flag(),
        allowed_domains: pick([[], ["dev.test"], ["*.test"]]),
        allowed_ip_sans_cidr: pick([[], ["10.0.0.0/8"]]),
        allowed_uri_sans: pick([[], ["urn:*"]]),
        max_ttl: pick([0, 7_776_000]),
        key_type: "ed25519" as const,
      };
      const role = (await ca.pki.writeRole({ name: "any", ...fields })) as Readonly<
        Record<string, unknown>
      >;
      for (const asked of requests(8)) {
        const body = {
          ...fieldsOf(asked.names),
          ...(asked.ttl && { ttl: asked.ttl as unknown as number }),
        };
        // both reject an invalid ttl before any rule is applied
        const said = await ca.pki.explainIssue({ role: "any", ...body }).then(
          (value) => value as unknown as Explanation,
          (error: unknown) => (error instanceof RefusedError ? error.message : String(error)),
        );
        const real = await ca.pki.issue({ role: "any", ...body }).then(
          () => "",
          (error: unknown) =>
            error instanceof RefusedError ? error.message || "refused" : String(error),
        );
        const steps = typeof said === "string" ? [] : stepsOf(said, role);
        const shown = typeof said !== "string" && steps.every(({ allowed }) => allowed);
        if (shown !== (real === ""))
          differences.push(
            `${asked.names.join(" and ")} for ${asked.ttl} under ${JSON.stringify(fields)}: page ${shown}, authority ${real || "issued"}`,
          );
        const first = steps.find(({ allowed }) => !allowed);
        if (first && first.why !== real)
          differences.push(
            `${asked.names.join(" and ")}: page says ${first.why}, authority ${real}`,
          );
      }
    }
    expect(differences).toEqual([]);
  });

  it("shows a rejection without a rule as one of the request", () => {
    const steps = stepsOf(
      {
        would_issue: false,
        refusal: "too long",
        rules: [{ rule: "allow_any_name", input: "a.test", allowed: true }],
        lint: [],
      },
      {},
    );
    expect(steps).toEqual([
      { what: "a.test", allowed: true, rule: "allow_any_name", why: "any name is allowed" },
      { what: "The request", allowed: false, rule: "", why: "too long" },
    ]);
  });
});

it("a name that a rule rejects both as common name and as alternative name is shown once", () => {
  const rejected = (reason: string) => ({
    rule: "allowed_domains",
    input: "a.example",
    allowed: false,
    reason,
  });
  const rules = [rejected("common name not allowed"), rejected("alternate name not allowed")];
  const steps = stepsOf({ would_issue: false, rules, lint: [] }, {});
  expect(steps.map(({ why }) => why)).toEqual(["common name not allowed"]);
});

it("rules about the whole request are listed after its names, in words", () => {
  const asked = (rule: string, input: string, reason?: string) => ({
    rule,
    input,
    allowed: reason === undefined,
    ...(reason && { reason }),
  });
  const told = (rules: Explanation["rules"]) =>
    stepsOf(
      { would_issue: rules.every(({ allowed }) => allowed), rules, lint: [] },
      { key_type: "ec", key_bits: 384 },
    ).map(({ what, why }) => `${what}: ${why}`);
  const rules = [
    asked("key_type", "ec"),
    asked("issuer_ref", "8afa6c9c-403f-4922-b283-8b3d2bb432bd"),
    asked("allow_any_name", "a.test"),
    asked("ttl, max_ttl, not_after", "no lifetime requested"),
    asked("leaf_not_after_behavior", "2027-02-19T07:56:30Z"),
  ];
  expect(told(rules)).toEqual([
    "a.test: any name is allowed",
    "Key: ECDSA P-384, set by the role",
    "Issuer: present and able to sign",
    "Lifetime: role default",
    "End: 19 Feb 2027 07:56 UTC, allowed by its issuer",
  ]);
  expect(
    told([asked("ttl, max_ttl, not_after", "24h0m0s"), asked("csr", "its signature")]),
  ).toEqual(["Lifetime: 24h", "Request: signed by its own key"]);
  expect(
    told([asked("issuer_ref", "gone", "no such issuer"), asked("key_type, key_bits", "ec")]),
  ).toEqual(["Issuer: no such issuer", "Key: the role allows this key"]);
});
