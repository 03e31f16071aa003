import type { Role } from "./pki.ts";
import { words, type Judged } from "./verdict.ts";
import { visible } from "./words.ts";

/** A finding about the certificate that would be signed. */
export interface Finding {
  readonly severity: "error" | "warning" | "info";
  readonly section: string;
  readonly rule: string;
}

/** What the authority says that it would do. */
export interface Explanation {
  readonly would_issue: boolean;
  readonly refusal?: string;
  readonly rules: readonly { readonly rule: string; readonly input: string; readonly allowed: boolean; readonly reason?: string }[];
  readonly lint: readonly Finding[];
  readonly warnings: readonly string[];
}

/** One judged part of a request. */
export type Step = Judged & { readonly what: string };

/** Every rule that was asked, and last a refusal that belongs to none of them. */
export function stepsOf({ would_issue, refusal = "", rules }: Explanation, role: Role): readonly Step[] {
  const steps = rules.map(({ rule, input, allowed, reason = "" }) => {
    const what = visible(input) || "No common name";
    return { what, allowed, rule, why: allowed ? words(input, true, rule, role) : visible(reason) };
  });
  // A common name that is an alternative name too is asked about twice, mostly with one answer.
  const told = new Set<string>();
  const once = steps.filter((step) => !told.has(JSON.stringify(step)) && told.add(JSON.stringify(step)));
  return would_issue || steps.some(({ allowed }) => !allowed) ? once : [...once, { what: "The request", allowed: false, rule: "", why: visible(refusal) }];
}
