import { CaError } from "../../base/errors.ts";
import { excerpt } from "../../base/names.ts";
import { nameValues, type Rdn } from "../../x509/name.ts";
import { nameOid } from "../../x509/oid.ts";
import type { Case } from "./case.ts";
import { choicesOf } from "./dialect.ts";

/** The maximum number of characters of a common name (RFC 5280 appendix A.1, ub-common-name). */
const maxCommonName = 64;

/** Reports whether a common name has more characters than RFC 5280 allows. */
export const isLongCommonName = (name: string): boolean =>
  // no character is more than two units of text
  name.length > maxCommonName && [...name].length > maxCommonName;

/**
 * Checks the length of common names (D 1 row 8). One above 64 characters is refused, or issued with
 * a warning, as the caller's dialect says.
 */
export function judgeCommonNames(
  {
    caller,
    judge,
  }: Pick<Case<unknown>, "judge"> & {
    readonly caller: Pick<Case<unknown>["caller"], "warn" | "dialect">;
  },
  ...names: readonly string[]
): void {
  for (const name of new Set(names.filter(isLongCommonName))) {
    const text = `the common name has ${[...name].length} characters; RFC 5280 allows ${maxCommonName}`;
    if (choicesOf(caller.dialect).longCommonName === "warn")
      caller.warn(`${text}, and some software refuses a certificate with more`);
    else
      judge.demand(
        "common_name",
        name,
        false,
        () => new CaError("name_not_allowed", `${text}: ${excerpt(name)}`),
      );
  }
}

/** Returns all common names of a subject: a certificate may have several. */
export const commonNamesOf = (subject: readonly Rdn[] | Uint8Array): readonly string[] =>
  subject instanceof Uint8Array
    ? nameValues(subject, nameOid.commonName)
    : subject
        .flat()
        .filter(({ oid }) => oid === nameOid.commonName)
        .map(({ value }) => value);
