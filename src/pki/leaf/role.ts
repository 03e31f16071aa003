import { CaError } from "../../base/errors.ts";
import { hasControlCharacter, shown } from "../../base/names.ts";
import { uriHost } from "../../base/uri.ts";
import { extKeyUsageOid, extKeyUsageOrder, isForCas, keyUsageName } from "../../x509/usage.ts";
import { inRange, ipToBytes, ipToText } from "../../x509/address.ts";
import { parseName } from "../../x509/name.ts";
import type { GeneralNames } from "../../x509/san.ts";
import type { Caller } from "../../wire/endpoint.ts";
import {
  asSan,
  collectNames,
  commonNameVerdict,
  nameVerdict,
  otherSansVerdict,
  parseOtherSan,
  refuseControlCharacters,
  subjectSerialVerdict,
  uriVerdict,
  userIdVerdict,
  type AddressRules,
  type Names,
  type OtherSan,
  type Verdict,
} from "../request/names.ts";
import { passes, quietly, refusalOf, strict, type Judge } from "../request/judge.ts";
import { policiesOf } from "../request/policies.ts";
import type { SigningRequest } from "../request/request.ts";
import type { Role } from "./roles.ts";
import { subjectOf, type Template } from "../request/template.ts";
import type { Validity } from "../issuer/validity.ts";

/** The names that an issuing request asks for in its body. */
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
const denied = (why: string) => new CaError("name_not_allowed", why);

/**
 * What a role makes of a request: all of a template but its key. Refuses the whole request for one
 * name that breaks a rule (D 3); in the order of A 8.3, where the times come before the user ids.
 */
export function judgeRequest(
  role: Role,
  asked: NameRequest,
  request: SigningRequest | undefined,
  caller: Caller,
  judge: Judge,
  times: () => Validity,
): Omit<Template, "spki"> {
  const fromCsr = request !== undefined && role.use_csr_sans;
  const source = fromCsr ? request : undefined;
  const commonName = commonNameOf(role, asked, request, caller, judge);
  const serial =
    asked.serial_number ||
    (request && role.serial_number_source !== "json" ? request.subjectSerial : "");
  if (fromCsr) warnOfIgnored(asked, caller);
  const names = plainNames(asked, commonName, source, judge);
  for (const name of source?.names.dns ?? [])
    passes(judge, "use_csr_sans", name, () => asSan(name, false));
  for (const name of source?.names.email ?? [])
    passes(judge, "use_csr_sans", name, () => asSan(name, true));
  const ask = (verdict: Verdict, input: string, why: string) =>
    judge.demand(verdict.rule, input, verdict.allowed, () => denied(why));
  if (commonName !== "")
    ask(
      commonNameVerdict(role, commonName),
      commonName,
      `common name ${shown(commonName)} not allowed by this role`,
    );
  if (serial !== "")
    ask(
      subjectSerialVerdict(role.allowed_serial_numbers, serial),
      serial,
      `serial_number ${shown(serial)} not allowed by this role`,
    );
  for (const name of names.dns)
    ask(
      nameVerdict(role, name),
      name,
      `subject alternate name ${shown(name)} not allowed by this role`,
    );
  for (const name of names.email)
    ask(nameVerdict(role, name), name, `email address ${shown(name)} not allowed by this role`);
  const other = otherNames(role.allowed_other_sans, asked, source, judge);
  const ip = addresses(role, asked, source, judge);
  const uri = uris(role, asked, source, judge);
  const validity = times();
  const userIds = asked.user_ids.filter(Boolean).length
    ? asked.user_ids.filter(Boolean)
    : (request?.userIds ?? []);
  for (const id of userIds)
    ask(
      userIdVerdict(role.allowed_user_ids, id),
      id,
      `user_id ${shown(id)} is not allowed by this role`,
    );
  return {
    kind: "leaf",
    // what cannot be read was refused above: only a dry run comes here with it
    subject: subjectOf(role, readable(commonName), readable(serial), userIds.map(readable)),
    names: { ...names, ip, uri, other },
    ...validity,
    ...usesOf(role),
  };
}

const readable = (value: string): string => (hasControlCharacter(value) ? "" : value);

/** The DNS and mail names that are asked for. A dry run goes on with those that can be read. */
function plainNames(
  asked: NameRequest,
  commonName: string,
  source: SigningRequest | undefined,
  judge: Judge,
): Names {
  const { alt_names, exclude_cn_from_sans: excludeCn } = asked;
  const csr = source?.names;
  const isSan = (name: string) =>
    !hasControlCharacter(name) && !refusalOf(() => asSan(name.trim(), name.includes("@")));
  const sound = () => ({
    commonName: readable(commonName),
    altNames: alt_names.split(",").filter(isSan).join(","),
    ...(csr ? { csr: { dns: csr.dns.filter(readable), email: csr.email.filter(readable) } } : {}),
  });
  const [rule, input] = csr
    ? ["use_csr_sans", [commonName, ...csr.dns, ...csr.email]]
    : ["common_name, alt_names", [commonName, alt_names]];
  const given = () =>
    collectNames({ commonName, altNames: alt_names, excludeCn, ...(csr ? { csr } : {}) });
  return quietly(judge, rule, input.filter(Boolean).join(", "), given, () =>
    collectNames({ ...sound(), excludeCn }),
  );
}

type Uses = Pick<Template, "keyUsage" | "extKeyUsage" | "policies" | "basicConstraints">;
const uses = new WeakMap<Role, Uses>();
/** What a role says of every certificate alike, read once for each role that was loaded. */
function usesOf(role: Role): Uses {
  let found = uses.get(role);
  if (!found) {
    found = {
      keyUsage: role.key_usage
        .map(keyUsageName)
        .filter((usage) => usage !== undefined)
        .filter((usage) => !isForCas(usage)),
      extKeyUsage: extKeyUsages(role),
      policies: policiesOf(role.policy_identifiers),
      ...(role.basic_constraints_valid_for_non_ca ? { basicConstraints: { ca: false } } : {}),
    };
    uses.set(role, found);
  }
  return found;
}

function commonNameOf(
  role: Role,
  asked: NameRequest,
  request: SigningRequest | undefined,
  caller: Caller,
  judge: Judge,
): string {
  const fromCsr = request !== undefined && role.use_csr_common_name;
  if (fromCsr) warnOfIgnoredName(asked, caller);
  const commonName = fromCsr ? request.commonName || asked.common_name : asked.common_name;
  const missing =
    'the common_name field is required, or must be provided in a CSR with "use_csr_common_name" set to true, unless "require_cn" is set to false';
  warnOfLongName(commonName, caller);
  if (commonName === "")
    judge.demand("require_cn", "", !role.require_cn, () => new CaError("role_violation", missing));
  return commonName;
}

/** The most characters of a common name (RFC 5280 appendix A.1, ub-common-name). */
const longestCommonName = 64;
/**
 * Tells of a common name that is longer than some software reads. It is not refused: there are
 * clients with longer ones.
 */
export function warnOfLongName(commonName: string, caller: Caller): void {
  const { length } = [...commonName];
  if (length > longestCommonName)
    caller.warn(
      `the common name has ${length} characters; RFC 5280 allows ${longestCommonName}, and some software refuses a certificate with more`,
    );
}

/** Tells that the common name of the body is not the one that counts. */
export function warnOfIgnoredName(
  { common_name }: Pick<NameRequest, "common_name">,
  caller: Caller,
): void {
  if (common_name !== "")
    caller.warn(
      'the common_name field was provided but the role is set with "use_csr_common_name" set to true',
    );
}
/** Tells which alternative names of the body are not read, because the CSR's are. */
export function warnOfIgnored(
  asked: Pick<NameRequest, "alt_names" | "ip_sans" | "uri_sans">,
  caller: Caller,
): void {
  if (asked.alt_names !== "")
    caller.warn(
      'the alt_names field was provided but the role is set with "use_csr_sans" set to true',
    );
  if (asked.ip_sans.some(Boolean))
    caller.warn(
      'the ip_sans field was provided but the role is set with "use_csr_sans" set to true',
    );
  if (asked.uri_sans.some(Boolean))
    caller.warn(
      'the uri_sans field was provided but the role is set with "use_csr_sans" set to true',
    );
}

/**
 * Refuses a CSR with alternative names of a kind that cannot be read: no name is dropped silently.
 */
export function refuseUnreadable({ unreadable }: SigningRequest): void {
  if (unreadable.length > 0)
    throw denied(`could not parse requested other SAN: ${shown(unreadable[0] ?? "")}`);
}

/**
 * Refuses a CSR that is taken over as it stands and has a control character in its subject or in
 * one of its names.
 */
export function refuseControlsOf({ names, csr }: SigningRequest): void {
  const subject = parseName(csr.subject).flat();
  const other = names.other.map(({ value }) => value);
  for (const name of [
    ...subject.map(({ value }) => value),
    ...names.dns,
    ...names.email,
    ...names.uri,
    ...other,
  ])
    refuseControlCharacters(name);
}

/** Other names of the body, and those of the CSR where the role takes names from it. */
function otherNames(
  allowed: readonly string[],
  asked: Pick<NameRequest, "other_sans">,
  request: SigningRequest | undefined,
  judge: Judge,
): readonly OtherSan[] {
  if (request)
    passes(judge, "allowed_other_sans", request.unreadable.join(", "), () =>
      refuseUnreadable(request),
    );
  // no role speaks of directory names, so none allows them
  const named = request?.names.directory?.length;
  if (named)
    judge.demand("allowed_other_sans", "directoryName", false, () =>
      denied("could not parse requested other SAN: directoryName"),
    );
  const fromBody = asked.other_sans.filter(Boolean).flatMap((text) => {
    const parsed = parseOtherSan(text);
    if (!parsed)
      judge.demand("allowed_other_sans", text, false, () =>
        denied(`could not parse requested other SAN: ${shown(text)}`),
      );
    return parsed ?? [];
  });
  const all = [...fromBody, ...(request?.names.other ?? [])];
  for (const name of all) {
    const verdict = otherSansVerdict(allowed, name);
    judge.demand("allowed_other_sans", `${name.oid};UTF8:${name.value}`, verdict.allowed, () =>
      denied(verdict.rule),
    );
  }
  return all;
}

function addresses(
  rules: AddressRules,
  asked: Pick<NameRequest, "ip_sans">,
  request: SigningRequest | undefined,
  judge: Judge,
): readonly string[] {
  const list = request ? request.names.ip : asked.ip_sans.filter(Boolean);
  const ips = list.flatMap((text) => {
    const bytes = ipToBytes(text);
    if (!bytes)
      judge.demand("allow_ip_sans", text, false, () =>
        denied(`the value "${shown(text)}" is not a valid IP address`),
      );
    return bytes ? ipToText(bytes) : [];
  });
  const via = request ? "CSR" : "the API";
  for (const ip of ips) {
    judge.demand("allow_ip_sans", ip, rules.allow_ip_sans, () =>
      denied(
        `IP Subject Alternative Names are not allowed in this role, but was provided via ${via}`,
      ),
    );
    const ranges = rules.allowed_ip_sans_cidr;
    const within = () => ranges.some((range) => inRange(ip, range));
    if (ranges.length)
      judge.demand("allowed_ip_sans_cidr", ip, within(), () =>
        denied(`the IP address "${ip}" is not allowed in this role`),
      );
  }
  return [...new Set(ips)];
}

function uris(
  role: Role,
  asked: NameRequest,
  request: SigningRequest | undefined,
  judge: Judge,
): readonly string[] {
  const list = request ? request.names.uri : asked.uri_sans.filter(Boolean);
  const via = request ? "CSR" : "the API";
  const valid = list.filter((uri) => {
    judge.demand("allowed_uri_sans", uri, role.allowed_uri_sans.length > 0, () =>
      denied(
        `URI Subject Alternative Names are not allowed in this role, but were provided via ${via}`,
      ),
    );
    judge.demand("allowed_uri_sans", uri, uriVerdict(role.allowed_uri_sans, uri).allowed, () =>
      denied(
        `URI Subject Alternative Names were provided via ${via} which are not valid for this role`,
      ),
    );
    return passes(judge, "allowed_uri_sans", uri, () => checkUri(uri));
  });
  return [...new Set(valid)];
}
/**
 * A URI that may stand in a certificate: absolute, and more than a scheme (RFC 5280 section
 * 4.2.1.6); one of the web names a host.
 */
export function checkUri(uri: string): void {
  const host = uriHost(uri);
  if (host === undefined || uri.endsWith(":") || (host === "" && /^https?:/i.test(uri)))
    throw denied(`the provided URI Subject Alternative Name "${shown(uri)}" is not a valid URI`);
}

/** Purposes by flags and names in their fixed order, then OIDs in the order given. */
function extKeyUsages(role: Role): readonly string[] {
  const flags = [
    ...(role.server_flag ? ["ServerAuth"] : []),
    ...(role.client_flag ? ["ClientAuth"] : []),
    ...(role.code_signing_flag ? ["CodeSigning"] : []),
    ...(role.email_protection_flag ? ["EmailProtection"] : []),
  ];
  const named = extKeyUsageOrder([
    ...flags,
    ...role.ext_key_usage.filter((name) => extKeyUsageOid(name) !== undefined),
  ]);
  return [...new Set([...named, ...role.ext_key_usage_oids.filter(Boolean)])];
}

const anyAddress: AddressRules = { allow_ip_sans: true, allowed_ip_sans_cidr: [] };
/** Names of a CA, which no role limits; the same rules of form as for leaves (A 3.3). */
export function freeNames(asked: Omit<NameRequest, "user_ids" | "serial_number">): GeneralNames {
  const names = collectNames({
    commonName: asked.common_name,
    altNames: asked.alt_names,
    excludeCn: asked.exclude_cn_from_sans,
  });
  const uri = asked.uri_sans.filter(Boolean);
  uri.forEach(checkUri);
  return {
    ...names,
    ip: addresses(anyAddress, asked, undefined, strict),
    uri,
    other: otherNames(["*"], asked, undefined, strict),
  };
}
