import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright";
import { stepsOf, type Explanation } from "../../../demo/lib/issuance-findings.ts";
import { fieldsOf } from "../../../demo/lib/request-fields.ts";
import { createCa, memoryStore, RefusedError } from "../../../src/index.ts";
import { devCa, host, openWindow, type Host } from "../support.ts";

const seed = Number(process.env["SEED"] ?? 20261121);

/** Returns a seeded random generator (mulberry32). */
function generator(start: number): (below: number) => number {
  let state = start;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}
const below = generator(seed);
const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;

const names = [
  "dev.test",
  "www.dev.test",
  "*.dev.test",
  "a*.dev.test",
  "*.*.dev.test",
  "localhost",
  "www.other.example",
  "bob@dev.test",
  "10.0.0.1",
  "192.168.4.4",
  "::1",
  "10.300.0.1",
  "urn:x:y",
  "https://dev.test/x",
  "-a.dev.test",
  "bücher.dev.test",
  "plain",
  "x.secret.test",
  "secret.test",
];
const ttls = ["", "24h", "2160h", "9528h", "200000h", "soon"];
const requests = (
  count: number,
): readonly { readonly names: readonly string[]; readonly ttl: string }[] =>
  Array.from({ length: count }, () => ({
    names: Array.from({ length: 1 + below(2) }, () => pick(names)),
    ttl: pick(ttls),
  }));

describe("what the authority explains", () => {
  it(`is what it does, and the page shows exactly the rules that say no (seed ${seed})`, async () => {
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
        // Both reject an invalid ttl before any rule is applied.
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

  it("a refusal that belongs to no rule is told as one of the request", () => {
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

it("what is asked about the request as a whole stands below its names, in words", () => {
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
    asked("ttl, max_ttl, not_after", "no lifetime asked for"),
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

describe("in the page", () => {
  let at: Host;
  beforeAll(async () => {
    at = await host();
  });
  afterAll(async () => {
    await at.close();
  });

  const post = (page: Page, path: string, body: object): Promise<{ errors?: string[] }> =>
    page.evaluate(
      `fetch('./v1/pki/${path}', { method: 'POST', body: ${JSON.stringify(JSON.stringify(body))} }).then((answer) => answer.status === 204 ? {} : answer.json())`,
    );

  it(`the outcome beside the form equals the real answer over generated requests (seed ${seed})`, async () => {
    const { page, context, complaints } = await openWindow(at);
    await devCa(page);
    const differences: string[] = [];
    for (const { names: typed } of requests(15)) {
      await page.evaluate("location.hash = '#/settings'");
      await page.evaluate(
        `location.hash = ${JSON.stringify(`#/issue/dev-server?name=${encodeURIComponent(typed.join(","))}`)}`,
      );
      const outcome = page.getByRole("status").filter({ hasText: /^Would be (issued|refused)$/ });
      await outcome.waitFor();
      const said = await outcome.innerText();
      const real = await post(page, "issue/dev-server", fieldsOf(typed));
      if ((said === "Would be issued") !== (real.errors === undefined))
        differences.push(
          `${typed.join(" and ")}: page ${said}, authority ${real.errors?.join() ?? "issued"}`,
        );
    }
    expect(differences).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("each rule and each finding is shown, and the authority is asked only when typing pauses", async () => {
    const { page, context, complaints } = await openWindow(at);
    await devCa(page);
    await page.getByText("Checked by the server").waitFor();
    const trace = page.getByRole("region", { name: "Would this be allowed?" });
    await trace.getByText("No CRL or OCSP URL").waitFor();
    await page.getByLabel("Name 1", { exact: true }).fill("www.elsewhere.example");
    await page.getByRole("status").filter({ hasText: "Would be refused" }).waitFor();
    await trace
      .getByText(/not allowed by this role/)
      .first()
      .waitFor();
    expect(await trace.innerText()).toContain("allowed_domains");
    await post(page, "roles/long", {
      allow_any_name: true,
      key_type: "ec",
      key_bits: 256,
      max_ttl: "200000h",
      issuer_ref: "default",
    });
    await page.evaluate("location.hash = '#/issue/long?name=a.test'");
    await page.getByRole("status").filter({ hasText: "Would be issued" }).waitFor();
    const asked: string[] = [];
    page.on("request", (request) => void asked.push(request.url()));
    await page.getByLabel("Name 1", { exact: true }).pressSequentially("bcdefghij", { delay: 10 });
    await page.getByText("bcdefghija.test").first().waitFor();
    await page.locator(".trace[aria-busy=true]").waitFor({ state: "detached" });
    expect(asked.filter((url) => url.includes("/explain/")).length).toBeLessThanOrEqual(2);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("an authority that cannot explain is judged in the page", async () => {
    const { page, context, complaints } = await openWindow(at);
    await devCa(page);
    await page.getByText("Checked by the server").waitFor();
    await page.evaluate(
      "const real = fetch; globalThis.fetch = (url, init) => String(url).includes('/explain/') ? Promise.resolve(new Response('{}', { status: 404 })) : real(url, init)",
    );
    await page.evaluate("location.hash = '#/settings'");
    await page.evaluate("location.hash = '#/issue/dev-server?name=www.dev.test'");
    await page.getByText("Checked in this page: the role’s names").waitFor();
    await page.getByRole("status").filter({ hasText: "Would be issued" }).waitFor();
    await page.getByLabel("Name 1", { exact: true }).fill("www.elsewhere.example");
    await page.getByRole("status").filter({ hasText: "Would be refused" }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });
});
