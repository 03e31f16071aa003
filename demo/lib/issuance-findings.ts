import type { ExplainIssueReply } from "../../src/client/pki.ts";
import type { Role } from "./role.ts";
import { keyOf } from "./role-text.ts";
import { ruleText, type RuleVerdict } from "./verdict.ts";
import { instant } from "./time-text.ts";
import { visible } from "./visible-text.ts";

/** A lint finding about the certificate that would be signed. */
export type Finding = ExplainIssueReply["lint"][number];

/** The server's response to a dry run. */
export type Explanation = Pick<ExplainIssueReply, "would_issue" | "refusal" | "rules" | "lint"> & {
  /** Absent in responses from older servers. */
  readonly lints_checked?: number;
};

/** A part of a request with the verdict on it. */
export type Step = RuleVerdict & { readonly what: string };

/**
 * Rules that concern a request as a whole, by name: the part that each checks, and a function that
 * returns the text for an allowed part.
 */
const whole: Readonly<
  Record<string, readonly [what: string, why: (input: string, role: Role) => string]>
> = {
  key_type: ["Key", (_, role) => `${keyOf(role)}, set by the role`],
  "key_type, key_bits": ["Key", () => "the role allows this key"],
  issuer_ref: ["Issuer", () => "present and able to sign"],
  "ttl, max_ttl, not_after": [
    "Lifetime",
    (input) => (/\d/.test(input) ? input.replace(/(?<=\D)0m0s$/, "") : "role default"),
  ],
  leaf_not_after_behavior: ["End", (input) => `${instant(new Date(input))}, allowed by its issuer`],
  csr: ["Request", () => "signed by its own key"],
};

/**
 * Returns the verdicts of all rules that were applied: first rejections and rules about names, then
 * the others. An error that no rule explains is last.
 */
export function stepsOf(
  { would_issue, refusal = "", rules }: Explanation,
  role: Role,
): readonly Step[] {
  const steps = rules.map(({ rule, input, allowed, reason = "" }) => {
    const [title, why] = whole[rule] ?? [
      visible(input) || "No common name",
      () => ruleText(input, true, rule, role),
    ];
    return {
      what: title,
      allowed,
      rule,
      why: allowed ? visible(why(input, role)) : visible(reason),
    };
  });
  // A common name that is also an alternative name is checked twice, usually with the same result.
  // If the same rule rejects both, show it only once.
  const seen = new Set<string>();
  const keyOfStep = (step: Step): string =>
    JSON.stringify(step.allowed ? step : [step.what, step.rule]);
  const once = steps.filter((step) => !seen.has(keyOfStep(step)) && seen.add(keyOfStep(step)));
  const last = ({ allowed, rule }: Step): boolean => allowed && rule in whole;
  const ordered = [...once.filter((step) => !last(step)), ...once.filter(last)];
  return would_issue || steps.some(({ allowed }) => !allowed)
    ? ordered
    : [...ordered, { what: "The request", allowed: false, rule: "", why: visible(refusal) }];
}
