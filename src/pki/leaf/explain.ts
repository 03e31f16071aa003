import { toBase64 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import { generateKey } from "../../keys/generate.ts";
import type { KeyType } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { flag, list, objects, text } from "../../wire/field.ts";
import { endpoint, type Caller } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { prepare } from "../issuer/certify.ts";
import { leafFields, planIssue } from "./issue.ts";
import type { SigningIssuer } from "../issuer/issuer.ts";
import { tracing, type Judge, type Step } from "../request/judge.ts";
import { authorityOf } from "./leaf.ts";
import { lint } from "../request/lint.ts";
import { schemeFor } from "../request/scheme.ts";
import { planSign, signFields } from "./sign.ts";
import type { Template } from "../request/template.ts";
import { urlsFor } from "../issuer/urls.ts";
import { planVerbatim, verbatimFields, verbatimIgnores } from "./verbatim.ts";

const explanation = {
  would_issue: flag.required("Whether the real call would issue a certificate."),
  refusal: text.optional("Why it would not: the first rule that says no."),
  rules: objects.required(
    "Each rule that was asked, in the order of the real call: `rule`, `input`, `allowed`, and `reason` where it says no. A no ends the list only where nothing can stand instead, such as for a CSR that cannot be read.",
  ),
  lint: objects.required("Findings: `severity`, `section`, `rule`. They never refuse."),
  tbs_certificate: text.optional(
    "The to-be-signed certificate, base64 DER; its serial number stands for the one that is drawn when it is signed. Where a rule says no it holds what was asked for, or what can stand instead: the longest lifetime that is allowed, no name that cannot be read.",
  ),
  warnings: list.required("The warnings that the real call would give."),
} as const;
const declared = {
  access: "token",
  style: envelope,
  reply: explanation,
  refuses: ["unknown_role"],
} as const;

/** What a dry run found out: the template that would be signed, and how. */
interface Plan {
  readonly issuer: SigningIssuer;
  readonly template: Template;
  readonly signature: { readonly bits: number; readonly pss: boolean };
}

export const explainIssue = endpoint({
  ...declared,
  id: "explainIssue",
  at: ["POST /explain/issue/:role", "POST /issuer/:issuer_ref/explain/issue/:role"],
  doc: "A dry run of issue: what each rule says, and the certificate as it would be signed, for a key that is made up. Nothing is stored.",
  asks: "issue",
  body: leafFields,
  ignores: ["issuer_ref"],
  run: (ca, input, caller) =>
    explain(ca, caller, async (config, judge, caller) => {
      const { role, issuer, template } = await planIssue(ca, config, input, caller, judge);
      const spki = await sampleKey(role.key_type as KeyType, role.key_bits);
      return {
        issuer,
        template: { ...template, spki },
        signature: { bits: role.signature_bits, pss: role.use_pss },
      };
    }),
});

export const explainSign = endpoint({
  ...declared,
  id: "explainSign",
  at: ["POST /explain/sign/:role", "POST /issuer/:issuer_ref/explain/sign/:role"],
  doc: "A dry run of sign: what each rule says, and the certificate as it would be signed. Nothing is stored.",
  asks: "sign",
  body: signFields,
  ignores: ["issuer_ref"],
  run: (ca, input, caller) =>
    explain(ca, caller, async (config, judge, caller) => {
      const { role, issuer, template } = await planSign(ca, config, input, caller, judge);
      return { issuer, template, signature: { bits: role.signature_bits, pss: role.use_pss } };
    }),
});

export const explainVerbatim = endpoint({
  ...declared,
  id: "explainVerbatim",
  at: [
    "POST /explain/sign-verbatim(/:role+)",
    "POST /issuer/:path_ref/explain/sign-verbatim(/:role+)",
  ],
  doc: "A dry run of sign-verbatim. Nothing is stored.",
  asks: "sign-verbatim",
  body: verbatimFields,
  ignores: verbatimIgnores,
  run: (ca, input, caller) =>
    explain(ca, caller, async (config, judge, caller) => {
      const { issuer, template } = await planVerbatim(ca, config, input, caller, judge);
      return { issuer, template, signature: { bits: input.signature_bits, pss: input.use_pss } };
    }),
});

/** Public keys for dry runs, whose private keys nobody holds. */
const samples = new Map<string, Uint8Array>();
/**
 * A sample key of the right kind, made once. Larger RSA keys would cost seconds and show nothing
 * else.
 */
async function sampleKey(type: KeyType, bits: number): Promise<Uint8Array> {
  const kind = type === "rsa" ? "rsa" : `${type} ${bits}`;
  const held = samples.get(kind);
  if (held) return held;
  const { spki } = await generateKey(type, type === "rsa" ? 2048 : bits);
  samples.set(kind, spki);
  return spki;
}

/**
 * In the place of a serial number: one that was drawn would count as issued here (D 4), and nothing
 * was.
 */
const noSerial = Uint8Array.of(1, ...new Uint8Array(19));

/**
 * Runs a plan with a judge that writes down instead of refusing; a refusal that leaves nothing to
 * go on with ends it and is told. The store's epoch confirms it like a real decision.
 */
function explain(
  ca: Mount,
  caller: Caller,
  plan: (config: Snapshot, judge: Judge, caller: Caller) => Promise<Plan>,
) {
  return ca.decide(async (config) => {
    const judge = tracing();
    const warnings: string[] = [];
    let findings: ReturnType<typeof lint> = [];
    const own = { ...caller, warn: (warning: string) => void warnings.push(warning) };
    try {
      const { issuer, template, signature } = await plan(config, judge, own);
      const urls = urlsFor(config, issuer.row);
      findings = lint(template, urls);
      const scheme = schemeFor(issuer.publicKey, signature.bits, signature.pss);
      const { tbs } = await prepare({
        template,
        authority: authorityOf(issuer),
        serial: noSerial,
        scheme,
        urls,
      });
      return { reply: outcome(judge.steps, undefined, findings, tbs, warnings) };
    } catch (error) {
      if (!(error instanceof CaError) || error.code === "storage" || error.code === "unknown_role")
        throw error;
      return { reply: outcome(judge.steps, error, findings, undefined, warnings) };
    }
  });
}
function outcome(
  steps: readonly Step[],
  thrown: CaError | undefined,
  findings: ReturnType<typeof lint>,
  tbs: Uint8Array | undefined,
  warnings: readonly string[],
) {
  const written = steps.some(
    (step) => step.reason !== undefined && step.reason === thrown?.message,
  );
  const all =
    thrown && !written
      ? [
          ...steps,
          { rule: thrown.code, input: "the request", allowed: false, reason: thrown.message },
        ]
      : steps;
  const refusal = all.find((step) => !step.allowed)?.reason;
  return {
    would_issue: refusal === undefined,
    ...(refusal === undefined ? {} : { refusal }),
    rules: all.map((step) => ({ ...step })),
    lint: findings.map((finding) => ({ ...finding })),
    ...(tbs ? { tbs_certificate: toBase64(tbs) } : {}),
    warnings,
  };
}
