import { algorithmFor } from "../../algorithms/table.ts";
import { toBase64 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import type { Finding } from "../../lint/finding.ts";
import { generateKey } from "../../keys/generate.ts";
import { refusePrimeModulus, parsePublicKey } from "../../x509/public-key.ts";
import { flag, int, list, listOf, text } from "../../wire/field.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { prepareTbs } from "../issuer/certify.ts";
import { type IssuanceContext, recordingChecker, type RuleStep } from "../request/rule-checker.ts";
import { approveIssue, type KeylessLeaf } from "./issue.ts";
import { issueFields, type ApprovedLeaf } from "./leaf.ts";
import { planFor } from "./issuance.ts";
import { approveSign, signFields } from "./sign.ts";
import { approveVerbatim } from "./verbatim.ts";
import { verbatimFields, verbatimIgnores } from "./verbatim-fields.ts";

const explanation = {
  would_issue: flag.required("Whether the real request would issue a certificate."),
  refusal: text.optional(
    "Error message of the first failed rule, if no certificate would be issued.",
  ),
  rules: listOf({
    rule: text.required("Field of the role, or the name of another rule."),
    input: text.required("Value that was checked."),
    allowed: flag.required("Whether the request passes the rule."),
    reason: text.optional("Error message, if the request does not pass the rule."),
  }).required(
    "The rules that were checked, in the order in which the real request is checked. A failed rule ends the list only if no further rule can be checked, for example if the CSR cannot be parsed.",
  ),
  lint: listOf({
    severity: text.required("Severity of the finding.", ["error", "warning", "info"]),
    section: text.required("Source of the rule."),
    id: text.required("Stable name of the lint, such as `dns-label-long`."),
    rule: text.required("Description of the defect, with the offending value."),
  }).required("Lint findings, errors first. They never fail the request."),
  lints_checked: int.required(
    "Number of lints that were run; 0 if there was no certificate to check.",
  ),
  tbs_certificate: text.optional(
    "The TBSCertificate that would be signed: DER, base64, with a placeholder serial number. Rejected values appear as requested, except that a lifetime is reduced to the maximum and unreadable names are omitted.",
  ),
  warnings: list.required("Warnings that the real request would return."),
} as const;
const declared = {
  access: "token",
  style: envelope,
  reply: explanation,
  refuses: ["unknown_role"],
} as const;

/** Returns the policy path of the real request, because a dry run requires the same permissions. */
const policyPathOf = (path: string): string => path.replace("/explain/", "/");

export const explainIssue = endpoint({
  ...declared,
  id: "explainIssue",
  at: ["POST /explain/issue/:role", "POST /issuer/:issuer_ref/explain/issue/:role"],
  doc: "Performs a dry run of `issue`. Stores nothing, and returns the result of each rule and the certificate that would be signed for a sample key.",
  policyPathOf,
  body: issueFields,
  ignores: ["issuer_ref"],
  run: (mount, input, caller) =>
    explain({ mount, input, caller }, async (it) => {
      const leaf = await approveIssue(it);
      return { ...leaf, own: { ...leaf.own, spki: await sampleKey(leaf.key) } };
    }),
});

export const explainSign = endpoint({
  ...declared,
  id: "explainSign",
  at: ["POST /explain/sign/:role", "POST /issuer/:issuer_ref/explain/sign/:role"],
  doc: "Performs a dry run of `sign`. Stores nothing, and returns the result of each rule and the certificate that would be signed.",
  policyPathOf,
  body: signFields,
  ignores: ["issuer_ref"],
  run: (mount, input, caller) => explain({ mount, input, caller }, approveSign),
});

export const explainVerbatim = endpoint({
  ...declared,
  id: "explainVerbatim",
  at: [
    "POST /explain/sign-verbatim(/:role+)",
    "POST /issuer/:path_ref/explain/sign-verbatim(/:role+)",
  ],
  doc: "Performs a dry run of `sign-verbatim`. Stores nothing, and returns the result of each rule.",
  policyPathOf,
  body: verbatimFields,
  ignores: verbatimIgnores,
  run: (mount, input, caller) => explain({ mount, input, caller }, approveVerbatim),
});

/** Public keys for dry runs; their private keys are discarded. */
const samples = new Map<string, Uint8Array>();
/**
 * Returns a sample public key of the given type, generated once. RSA keys have the minimum size,
 * because generating larger ones takes seconds and does not change the result.
 */
async function sampleKey({ type, bits }: KeylessLeaf["key"]): Promise<Uint8Array> {
  const { algorithm, bits: size } = algorithmFor(type, bits);
  const minSize = algorithm.minSize ?? size;
  const kind = `${type} ${minSize}`;
  const cached = samples.get(kind);
  if (cached) return cached;
  const { spki } = await generateKey(type, minSize);
  samples.set(kind, spki);
  return spki;
}

/** Placeholder for the serial number; a generated serial number would count as issued (D 4). */
const noSerial = Uint8Array.of(1, ...new Uint8Array(19));

/**
 * Checks an issuance with a checker that records violated rules instead of throwing. An error after
 * which no further rule can be checked ends the run and becomes part of the response. As with a
 * real request, the result is confirmed against the store's epoch.
 */
function explain<I>(
  { mount, input, caller }: Pick<IssuanceContext<I>, "mount" | "input" | "caller">,
  approve: (it: IssuanceContext<I>) => Promise<ApprovedLeaf>,
) {
  return mount.decide(async (config) => {
    const checker = recordingChecker();
    const warnings: string[] = [];
    const recordingCaller = {
      ...caller,
      reply: { ...caller.reply, warn: (warning: string) => void warnings.push(warning) },
    };
    const explanation: LeafExplanation = {
      steps: checker.steps,
      warnings,
      findings: [],
      lintsChecked: 0,
    };
    try {
      const { issuer, profile, own } = await approve({
        mount,
        config,
        input,
        caller: recordingCaller,
        checker,
      });
      explanation.tbs = prepareTbs(planFor(config, issuer, profile).issuing, own, noSerial);
      // loaded lazily, because only dry runs need the lints
      const { lintTbs, certificateLintIds } = await import("../../lint/certificate.ts");
      explanation.findings = lintTbs(explanation.tbs);
      explanation.lintsChecked = certificateLintIds.length;
      await refusePrimeModulus(parsePublicKey(own.spki));
    } catch (error) {
      if (!(error instanceof CaError) || error.code === "storage" || error.code === "unknown_role")
        throw error;
      explanation.thrown = error;
    }
    return { reply: explanationOf(explanation) };
  });
}

/** The result of a dry run. */
interface LeafExplanation {
  readonly steps: readonly RuleStep[];
  readonly warnings: readonly string[];
  findings: readonly Finding[];
  lintsChecked: number;
  tbs?: Uint8Array;
  /** The error that ended the dry run, if any. */
  thrown?: CaError;
}
function explanationOf({ steps, warnings, findings, lintsChecked, tbs, thrown }: LeafExplanation) {
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
    lints_checked: lintsChecked,
    ...(tbs ? { tbs_certificate: toBase64(tbs) } : {}),
    warnings,
  };
}
