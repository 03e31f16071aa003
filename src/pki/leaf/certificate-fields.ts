import { CaError } from "../../base/errors.ts";
import { hasControlCharacter, excerpt } from "../../base/names.ts";
import type { GeneralNames } from "../../x509/san.ts";
import type { SigningIssuer } from "../issuer/issuer.ts";
import { checkValidity, type LifetimeRequest } from "../issuer/validity.ts";
import {
  asSan,
  collectNames,
  type CollectedNames,
  commonNameVerdict,
  nameVerdict,
  type RuleResult,
  subjectSerialVerdict,
  userIdVerdict,
} from "../request/names.ts";
import {
  type IssuanceContext,
  readChecked,
  refusalOf,
  type RuleChecker,
} from "../request/rule-checker.ts";
import { checkCommonNames, subjectOf, type CertificateFields } from "../request/template.ts";
import type { SigningRequest } from "../request/request.ts";
import {
  checkAddresses,
  readRequestedNames,
  type RequestedNames,
  type NameRequest,
  checkOtherNames,
  checkUris,
} from "./requested-names.ts";
import type { Role } from "./role.ts";

/**
 * What a role and an issuer let a request have of its own in a certificate: all but its key. Judged
 * in the order of A 8.3, where the times come before the user ids.
 */
export function checkCertificateFields(
  it: IssuanceContext<NameRequest & LifetimeRequest>,
  { role, issuer }: { readonly role: Role; readonly issuer: SigningIssuer },
  request?: SigningRequest,
): Omit<CertificateFields, "spki"> {
  const asked = readRequestedNames(it, role, request);
  const names = checkNames(it, role, asked);
  checkCommonNames(it, asked.commonName);
  const validity = checkValidity(it, role, issuer);
  checkUserIds(it.judge, role, asked.userIds);
  return {
    // what cannot be read was refused above: only a dry run comes here with it
    subject: subjectOf(
      role,
      readable(asked.commonName),
      readable(asked.serial),
      asked.userIds.map(readable),
    ),
    names,
    ...validity,
  };
}

/**
 * Judges the common name, the subject's serial number and the alternative names of a request, in
 * the order of A 8.3; returns the alternative names. Refuses the whole request for one that breaks
 * a rule (D 3).
 */
function checkNames(
  { input, checker }: Pick<IssuanceContext<NameRequest>, "input" | "checker">,
  role: Role,
  { commonName, serial, csr }: RequestedNames,
): GeneralNames {
  const names = plainNames({ input, checker }, commonName, csr?.names);
  for (const [email, list] of [
    [false, csr?.names.dns ?? []],
    [true, csr?.names.email ?? []],
  ] as const)
    for (const name of list)
      readChecked(
        checker,
        { rule: "use_csr_sans", input: name },
        () => asSan(name, email),
        () => name,
      );
  if (commonName !== "")
    allowedIn(checker, commonNameVerdict(role, commonName), commonName, "common name");
  if (serial !== "")
    allowedIn(
      checker,
      subjectSerialVerdict(role.allowed_serial_numbers, serial),
      serial,
      "serial_number",
    );
  for (const name of names.dns)
    allowedIn(checker, nameVerdict(role, name), name, "subject alternate name");
  for (const name of names.email)
    allowedIn(checker, nameVerdict(role, name), name, "email address");
  const it = { input, checker };
  return {
    ...names,
    other: csr || input.other_sans.length ? checkOtherNames(it, role.allowed_other_sans, csr) : [],
    ip: csr || input.ip_sans.length ? checkAddresses(it, role, csr) : [],
    uri: csr || input.uri_sans.length ? checkUris(it, role.allowed_uri_sans, csr) : [],
  };
}

const allowedIn = (
  checker: RuleChecker,
  { rule, allowed }: RuleResult,
  name: string,
  what: string,
): void =>
  checker.require(
    rule,
    name,
    allowed,
    () => new CaError("name_not_allowed", `${what} ${excerpt(name)} not allowed by this role`),
  );

/** A value that can be read; "" for any other, with which only a dry run goes on. */
const readable = (value: string): string => (hasControlCharacter(value) ? "" : value);

/** The DNS and mail names that are asked for. A dry run goes on with those that can be read. */
function plainNames(
  { input, checker }: Pick<IssuanceContext<NameRequest>, "input" | "checker">,
  commonName: string,
  csr: CollectedNames | undefined,
): CollectedNames {
  const { alt_names: altNames, exclude_cn_from_sans: excludeCn } = input;
  const [rule, asked] = csr
    ? ["use_csr_sans", [commonName, ...csr.dns, ...csr.email]]
    : ["common_name, alt_names", [commonName, altNames]];
  return readChecked(
    checker,
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

/** Refuses user ids that the role does not let in. */
function checkUserIds(checker: RuleChecker, role: Role, ids: readonly string[]): void {
  for (const id of ids) {
    const { rule, allowed } = userIdVerdict(role.allowed_user_ids, id);
    const why = () =>
      new CaError("name_not_allowed", `user_id ${excerpt(id)} is not allowed by this role`);
    checker.require(rule, id, allowed, why);
  }
}
