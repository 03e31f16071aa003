import { CaError } from "../../base/errors.ts";
import { excerpt } from "../../base/names.ts";
import type { Case } from "../request/case.ts";
import { readValue } from "../request/judge.ts";
import { otherNameVerdict, parseOtherName, type OtherName } from "../request/other-name.ts";
import type { SigningRequest } from "../request/request.ts";
import { refuseUnreadable } from "../request/taken-over.ts";
import type { NameRequest } from "./asked.ts";

const rule = "allowed_other_sans";
const denied = (why: string) => new CaError("name_not_allowed", why);
const unread = (what: string) => () =>
  denied(`could not parse requested other SAN: ${excerpt(what)}`);

/** Other names of the body, and of the CSR where that counts, as the role allows them. */
export function judgeOtherNames(
  { input, judge }: Pick<Case<Pick<NameRequest, "other_sans">>, "input" | "judge">,
  allowed: readonly string[],
  csr: SigningRequest | undefined,
): readonly OtherName[] {
  if (csr)
    readValue(
      judge,
      { rule, input: csr.unreadable.join(", ") },
      () => refuseUnreadable(csr),
      () => undefined,
    );
  // no role speaks of directory names, so none allows them
  if (csr?.names.directory?.length)
    judge.demand(rule, "directoryName", false, unread("directoryName"));
  const fromBody = input.other_sans.filter(Boolean).flatMap((text) => {
    const parsed = parseOtherName(text);
    if (!parsed) judge.demand(rule, text, false, unread(text));
    return parsed ?? [];
  });
  const all = [...fromBody, ...(csr?.names.other ?? [])];
  for (const name of all) {
    const verdict = otherNameVerdict(allowed, name);
    judge.demand(rule, `${name.oid};UTF8:${name.value}`, verdict.allowed, () =>
      denied(verdict.rule),
    );
  }
  return all;
}
