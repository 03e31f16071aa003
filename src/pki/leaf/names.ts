import { CaError } from "../../base/errors.ts";
import { hasControlCharacter, shown } from "../../base/names.ts";
import { asSan, collectNames, type Names } from "../request/alternative-names.ts";
import type { Case } from "../request/case.ts";
import { readValue, refusalOf, type Judge } from "../request/judge.ts";
import { commonNameVerdict, nameVerdict } from "../request/names.ts";
import { subjectSerialVerdict, type Verdict } from "../request/verdict.ts";
import type { GeneralNames } from "../../x509/san.ts";
import { judgeAddresses } from "./addresses.ts";
import type { Asked, NameRequest } from "./asked.ts";
import { judgeOtherNames } from "./other-names.ts";
import type { Role } from "./role.ts";
import { judgeUris } from "./uris.ts";

/**
 * Judges the common name, the subject's serial number and the alternative names of a request, in
 * the order of A 8.3; returns the alternative names. Refuses the whole request for one that breaks
 * a rule (D 3).
 */
export function judgeNames(
  { input, judge }: Pick<Case<NameRequest>, "input" | "judge">,
  role: Role,
  { commonName, serial, csr }: Asked,
): GeneralNames {
  const names = plainNames({ input, judge }, commonName, csr?.names);
  for (const [email, list] of [
    [false, csr?.names.dns ?? []],
    [true, csr?.names.email ?? []],
  ] as const)
    for (const name of list)
      readValue(
        judge,
        { rule: "use_csr_sans", input: name },
        () => asSan(name, email),
        () => name,
      );
  if (commonName !== "")
    allowedIn(judge, commonNameVerdict(role, commonName), commonName, "common name");
  if (serial !== "")
    allowedIn(
      judge,
      subjectSerialVerdict(role.allowed_serial_numbers, serial),
      serial,
      "serial_number",
    );
  for (const name of names.dns)
    allowedIn(judge, nameVerdict(role, name), name, "subject alternate name");
  for (const name of names.email) allowedIn(judge, nameVerdict(role, name), name, "email address");
  const other = judgeOtherNames({ input, judge }, role.allowed_other_sans, csr);
  const ip = judgeAddresses({ input, judge }, role, csr);
  const uri = judgeUris({ input, judge }, role.allowed_uri_sans, csr);
  return { ...names, ip, uri, other };
}

const allowedIn = (judge: Judge, { rule, allowed }: Verdict, name: string, what: string): void =>
  judge.demand(
    rule,
    name,
    allowed,
    () => new CaError("name_not_allowed", `${what} ${shown(name)} not allowed by this role`),
  );

/** A value that can be read; "" for any other, with which only a dry run goes on. */
export const readable = (value: string): string => (hasControlCharacter(value) ? "" : value);

/** The DNS and mail names that are asked for. A dry run goes on with those that can be read. */
function plainNames(
  { input, judge }: Pick<Case<NameRequest>, "input" | "judge">,
  commonName: string,
  csr: Names | undefined,
): Names {
  const { alt_names: altNames, exclude_cn_from_sans: excludeCn } = input;
  const [rule, asked] = csr
    ? ["use_csr_sans", [commonName, ...csr.dns, ...csr.email]]
    : ["common_name, alt_names", [commonName, altNames]];
  return readValue(
    judge,
    { rule, input: () => asked.filter(Boolean).join(", ") },
    () => collectNames({ commonName, altNames, excludeCn, ...(csr ? { csr } : {}) }),
    () =>
      collectNames({
        commonName: readable(commonName),
        altNames: altNames.split(",").filter(isSan).join(","),
        excludeCn,
        ...(csr
          ? { csr: { dns: csr.dns.filter(readable), email: csr.email.filter(readable) } }
          : {}),
      }),
  );
}
const isSan = (name: string): boolean =>
  !hasControlCharacter(name) && !refusalOf(() => asSan(name.trim(), name.includes("@")));
