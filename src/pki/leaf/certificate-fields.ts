import { CaError } from "../../base/errors.ts";
import { hasControlCharacter, truncateForMessage } from "../../base/names.ts";
import { uriHost } from "../../base/uri.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { inRange, ipToBytes, ipToText } from "../../x509/address.ts";
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
  type AddressRules,
  uriVerdict,
} from "../request/names.ts";
import { otherNameVerdict, parseOtherName, type OtherName } from "../request/other-name.ts";
import type { SigningRequest } from "../request/request.ts";
import {
  type IssuanceContext,
  readChecked,
  refusalOf,
  type RuleChecker,
  failFast,
} from "../request/rule-checker.ts";
import { refuseUnreadable } from "../request/taken-over.ts";
import { checkCommonNames, subjectOf, type CertificateFields } from "../request/template.ts";
import type { Role } from "./role.ts";

/**
 * Returns the per-certificate fields that the role and the issuer allow: the subject, names and
 * validity, but not the key. Checks run in the order of A 8.3: validity before user IDs.
 */
export function checkCertificateFields(
  it: IssuanceContext<NameRequest & LifetimeRequest>,
  { role, issuer }: { readonly role: Role; readonly issuer: SigningIssuer },
  request?: SigningRequest,
): Omit<CertificateFields, "spki"> {
  const requested = readRequestedNames(it, role, request);
  const names = checkNames(it, role, requested);
  checkCommonNames(it, requested.commonName);
  const validity = checkValidity(it, role, issuer);
  checkUserIds(it.checker, role, requested.userIds);
  return {
    // values with control characters were rejected above, but a dry run continues with "" instead
    subject: subjectOf(
      role,
      readable(requested.commonName),
      readable(requested.serial),
      requested.userIds.map(readable),
    ),
    names,
    ...validity,
  };
}

/**
 * Checks the common name, the subject serial number and the alternative names of a request, in the
 * order of A 8.3, and returns the alternative names. If a single name breaks a rule, the whole
 * request is rejected (D 3).
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
  checker.enforce(
    rule,
    name,
    allowed,
    () =>
      new CaError(
        "name_not_allowed",
        `${what} ${truncateForMessage(name)} not allowed by this role`,
      ),
  );

/**
 * Returns a value unchanged, or "" if it contains a control character. Only a dry run continues
 * with such a value.
 */
const readable = (value: string): string => (hasControlCharacter(value) ? "" : value);

/**
 * Returns the requested DNS names and email addresses. If some are invalid, a dry run continues
 * with the others.
 */
function plainNames(
  { input, checker }: Pick<IssuanceContext<NameRequest>, "input" | "checker">,
  commonName: string,
  csr: CollectedNames | undefined,
): CollectedNames {
  const { alt_names: altNames, exclude_cn_from_sans: excludeCn } = input;
  const [rule, requested] = csr
    ? ["use_csr_sans", [commonName, ...csr.dns, ...csr.email]]
    : ["common_name, alt_names", [commonName, altNames]];
  return readChecked(
    checker,
    { rule, input: () => requested.filter(Boolean).join(", ") },
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

/** Rejects user IDs that the role does not allow. */
function checkUserIds(checker: RuleChecker, role: Role, ids: readonly string[]): void {
  for (const id of ids) {
    const { rule, allowed } = userIdVerdict(role.allowed_user_ids, id);
    const why = () =>
      new CaError(
        "name_not_allowed",
        `user_id ${truncateForMessage(id)} is not allowed by this role`,
      );
    checker.enforce(rule, id, allowed, why);
  }
}

/** The subject and names in the body of a request. */
export interface NameRequest {
  readonly common_name: string;
  readonly alt_names: string;
  readonly ip_sans: readonly string[];
  readonly uri_sans: readonly string[];
  readonly other_sans: readonly string[];
  readonly user_ids: readonly string[];
  readonly serial_number: string;
  readonly exclude_cn_from_sans: boolean;
}
/** The subject and names of a request, merged from the body and the CSR. */
interface RequestedNames {
  readonly commonName: string;
  readonly serial: string;
  readonly userIds: readonly string[];
  /** The CSR, if the alternative names come from it. */
  readonly csr: SigningRequest | undefined;
}

/** Merges the names in the body and in the CSR; the role determines which take precedence. */
function readRequestedNames(
  { input, caller, checker }: Pick<IssuanceContext<NameRequest>, "input" | "caller" | "checker">,
  role: Role,
  request: SigningRequest | undefined,
): RequestedNames {
  const csr = role.use_csr_sans ? request : undefined;
  const nameFromCsr = role.use_csr_common_name ? request?.commonName : undefined;
  if (nameFromCsr !== undefined) warnOfIgnoredName(input, caller);
  const commonName = nameFromCsr || input.common_name;
  if (commonName === "")
    checker.enforce(
      "require_cn",
      "",
      !role.require_cn,
      () => new CaError("role_violation", noName),
    );
  if (csr) warnOfIgnored(input, caller);
  const userIds = input.user_ids.filter(Boolean);
  return {
    commonName,
    serial:
      input.serial_number ||
      (role.serial_number_source === "json" ? "" : (request?.subjectSerial ?? "")),
    userIds: userIds.length > 0 ? userIds : (request?.userIds ?? []),
    csr,
  };
}
const noName =
  'the common_name field is required, or must be provided in a CSR with "use_csr_common_name" set to true, unless "require_cn" is set to false';

/** Warns that the common name in the body is ignored, if there is one. */
export function warnOfIgnoredName(
  { common_name }: Pick<NameRequest, "common_name">,
  caller: Pick<Caller, "reply">,
): void {
  if (common_name !== "")
    caller.reply.warn(
      'the common_name field was provided but the role is set with "use_csr_common_name" set to true',
    );
}
/** Warns about alternative names in the body, which are ignored in favour of those in the CSR. */
export function warnOfIgnored(
  request: Pick<NameRequest, "alt_names" | "ip_sans" | "uri_sans">,
  caller: Pick<Caller, "reply">,
): void {
  const isPresent: Readonly<Record<string, boolean>> = {
    alt_names: request.alt_names !== "",
    ip_sans: request.ip_sans.some(Boolean),
    uri_sans: request.uri_sans.some(Boolean),
  };
  for (const [field, isGiven] of Object.entries(isPresent))
    if (isGiven)
      caller.reply.warn(
        `the ${field} field was provided but the role is set with "use_csr_sans" set to true`,
      );
}

const nameDenied = (why: string) => new CaError("name_not_allowed", why);

/**
 * Returns the distinct IP addresses in the CSR, or in the body if there is no CSR. Throws
 * `name_not_allowed` for addresses that are invalid or that the role does not allow.
 */
export function checkAddresses(
  { input, checker }: Pick<IssuanceContext<Pick<NameRequest, "ip_sans">>, "input" | "checker">,
  { allow_ip_sans: allowed, allowed_ip_sans_cidr: ranges }: AddressRules,
  csr: SigningRequest | undefined,
): readonly string[] {
  const requested = csr ? csr.names.ip : input.ip_sans.filter(Boolean);
  if (requested.length === 0) return requested;
  const ips = requested.flatMap((text) => {
    const bytes = ipToBytes(text);
    if (bytes) return ipToText(bytes);
    const why = `the value "${truncateForMessage(text)}" is not a valid IP address`;
    checker.enforce("allow_ip_sans", text, false, () => nameDenied(why));
    return [];
  });
  for (const ip of ips) {
    checker.enforce("allow_ip_sans", ip, allowed, () =>
      nameDenied(
        `IP Subject Alternative Names are not allowed in this role, but was provided via ${csr ? "CSR" : "the API"}`,
      ),
    );
    if (ranges.length > 0)
      checker.enforce(
        "allowed_ip_sans_cidr",
        ip,
        ranges.some((range) => inRange(ip, range)),
        () => nameDenied(`the IP address "${ip}" is not allowed in this role`),
      );
  }
  return [...new Set(ips)];
}

/**
 * Returns the distinct URIs in the CSR, or in the body if there is no CSR. Throws
 * `name_not_allowed` for URIs that are invalid or that the role does not allow.
 */
function checkUris(
  { input, checker }: Pick<IssuanceContext<Pick<NameRequest, "uri_sans">>, "input" | "checker">,
  allowed: readonly string[],
  csr: SigningRequest | undefined,
): readonly string[] {
  const requested = csr ? csr.names.uri : input.uri_sans.filter(Boolean);
  if (requested.length === 0) return requested;
  const rule = "allowed_uri_sans";
  const via = csr ? "CSR" : "the API";
  const valid = requested.filter((uri) => {
    checker.enforce(rule, uri, allowed.length > 0, () =>
      nameDenied(
        `URI Subject Alternative Names are not allowed in this role, but were provided via ${via}`,
      ),
    );
    checker.enforce(rule, uri, uriVerdict(allowed, uri).allowed, () =>
      nameDenied(
        `URI Subject Alternative Names were provided via ${via} which are not valid for this role`,
      ),
    );
    return readChecked(
      checker,
      { rule, input: uri },
      () => checkUri(uri),
      () => false,
    );
  });
  return [...new Set(valid)];
}

/**
 * Throws `name_not_allowed` for a URI that must not be in a certificate. A URI must be absolute and
 * have more than a scheme (RFC 5280 section 4.2.1.6), and an HTTP URI must have a host.
 */
function checkUri(uri: string): true {
  const host = uriHost(uri);
  if (host === undefined || uri.endsWith(":") || (host === "" && /^https?:/i.test(uri)))
    throw nameDenied(
      `the provided URI Subject Alternative Name "${truncateForMessage(uri)}" is not a valid URI`,
    );
  return true;
}

const otherNamesRule = "allowed_other_sans";
const unreadableName = (what: string) => () =>
  nameDenied(`could not parse requested other SAN: ${truncateForMessage(what)}`);

/**
 * Returns the otherName SANs in the body and in the CSR, if there is one. Throws `name_not_allowed`
 * for names that are malformed or that the role does not allow.
 */
function checkOtherNames(
  { input, checker }: Pick<IssuanceContext<Pick<NameRequest, "other_sans">>, "input" | "checker">,
  allowed: readonly string[],
  csr: SigningRequest | undefined,
): readonly OtherName[] {
  if (csr)
    readChecked(
      checker,
      { rule: otherNamesRule, input: csr.unreadable.join(", ") },
      () => refuseUnreadable(csr),
      () => undefined,
    );
  // roles have no field for directory names, so no role allows them
  if (csr?.names.directory?.length)
    checker.enforce(otherNamesRule, "directoryName", false, unreadableName("directoryName"));
  const fromBody = input.other_sans.filter(Boolean).flatMap((text) => {
    const parsed = parseOtherName(text);
    if (!parsed) checker.enforce(otherNamesRule, text, false, unreadableName(text));
    return parsed ?? [];
  });
  const all = [...fromBody, ...(csr?.names.other ?? [])];
  for (const name of all) {
    const verdict = otherNameVerdict(allowed, name);
    checker.enforce(otherNamesRule, `${name.oid};UTF8:${name.value}`, verdict.allowed, () =>
      nameDenied(verdict.rule),
    );
  }
  return all;
}

const anyAddress = { allow_ip_sans: true, allowed_ip_sans_cidr: [] };
/**
 * Returns the alternative names of a CA, which no role restricts. Checks their syntax as for leaf
 * certificates (A 3.3).
 */
export function freeNames(request: Omit<NameRequest, "user_ids" | "serial_number">): GeneralNames {
  const names = collectNames({
    commonName: request.common_name,
    altNames: request.alt_names,
    excludeCn: request.exclude_cn_from_sans,
  });
  const uri = request.uri_sans.filter(Boolean);
  uri.forEach(checkUri);
  const free = { input: request, checker: failFast };
  return {
    ...names,
    ip: checkAddresses(free, anyAddress, undefined),
    uri,
    other: checkOtherNames(free, ["*"], undefined),
  };
}
