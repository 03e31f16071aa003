import { describe, expect, it } from "vitest";
import { openssl, withFiles } from "../x509/fixture.ts";
import { caExtensions, deciding, plainCsr, type Asked, type Deciding } from "./deciding.ts";

const forms = [
  ["issue", "issueByPolicy"],
  ["sign", "signByPolicy"],
  ["sign-intermediate", "signIntermediateByPolicy"],
] as const;
const refusalsOf = ({ a }: Deciding, endpoint: string) =>
  a.events.filter((event) => event.endpoint === endpoint).map(({ refusal }) => refusal);
/** Returns a valid response. */
const fitting = (it: Deciding, asked: Asked, more: Readonly<Record<string, unknown>> = {}) =>
  it.yes(
    asked,
    asked.vault_request_values.issuance_mode === "ica" ? { extensions: caExtensions() } : {},
    more,
  );

describe.each(forms)("external-policy/%s (%s)", (form, endpoint) => {
  const path = `external-policy/${form}`;
  it.each<readonly [string, number, (it: Deciding) => unknown]>([
    ["policy_refused", 400, (it) => (it.answer = no)],
    ["policy_failed", 500, (it) => (it.answer = () => ({}))],
    ["malformed", 400, (it) => it.a.call("POST", "pki/config/external-policy", { enabled: false })],
    [
      "unknown_issuer",
      400,
      (it) => (it.answer = (asked) => fitting(it, asked, { issuer_ref: "gone" })),
    ],
    [
      "unusable_issuer",
      400,
      (it) => it.a.pki.patchIssuer({ issuer_ref: "root", usage: ["read-only"] }),
    ],
    ["constraint", 400, (it) => (it.answer = (asked) => it.yes(asked, { until: -1 }))],
    [
      "validity",
      400,
      async (it) => {
        const leaf_not_after_behavior = "always_enforce_err";
        await it.a.pki.patchIssuer({ issuer_ref: "root", leaf_not_after_behavior });
        it.answer = (asked) =>
          it.yes(asked, {
            until: 90_000 * 3600,
            ...(form === "sign-intermediate" && { extensions: caExtensions() }),
          });
      },
    ],
    [
      "busy",
      503,
      (it) =>
        (it.answer = async (asked) => {
          await it.a.call("POST", "pki/config/external-policy", { timeout: "9s" });
          return fitting(it, asked);
        }),
    ],
  ])("%s: returns %i and stores nothing", async (code, status, prepare) => {
    const it = await deciding();
    const before = await it.certificates();
    await prepare(it);
    const answer = await it.post(path, { csr: await plainCsr() });
    expect([answer.status, refusalsOf(it, endpoint)]).toEqual([status, [code]]);
    expect(await it.certificates()).toEqual(before);
  });

  it("invalid_field for fields of the wrong type", async () => {
    const it = await deciding();
    const wrong = form === "issue" ? { key_bits: "many" } : { csr: { a: 1 } };
    const answer = await it.post(path, wrong);
    expect([answer.status, refusalsOf(it, endpoint)]).toEqual([400, ["invalid_field"]]);
  });

  if (form !== "issue")
    it("bad_csr and bad_key for a CSR that is rejected without calling the service", async () => {
      const it = await deciding();
      const weak = withFiles({}, (path) =>
        openssl(
          ["req", "-new", "-newkey", "rsa:1024", "-nodes", "-subj", "/CN=weak"].concat([
            "-keyout",
            path("key.pem"),
          ]),
        ),
      );
      await it.post(path, { csr: "none" });
      await it.post(path, { csr: weak });
      expect(refusalsOf(it, endpoint)).toEqual(["bad_csr", "bad_key"]);
      expect(it.asked).toEqual([]);
    });
});
const no = ({ request_uuid }: Asked) => ({ request_uuid, error: "not\ntoday" });
