import { CaError } from "../../base/errors.ts";
import type { Caller } from "../../wire/endpoint.ts";
import type { Case } from "../request/case.ts";
import type { SigningRequest } from "../request/request.ts";
import type { Role } from "./role.ts";

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
/** What is asked of subject and names, by body and CSR together. */
export interface Asked {
  readonly commonName: string;
  readonly serial: string;
  readonly userIds: readonly string[];
  /** The CSR, where the alternative names are taken from it. */
  readonly csr: SigningRequest | undefined;
}

/** What body and CSR ask for together, as the role says which of them counts. */
export function askedOf(
  { input, caller, judge }: Pick<Case<NameRequest>, "input" | "caller" | "judge">,
  role: Role,
  request: SigningRequest | undefined,
): Asked {
  const csr = role.use_csr_sans ? request : undefined;
  const commonName = commonNameOf({ input, caller }, role, request);
  if (commonName === "")
    judge.demand("require_cn", "", !role.require_cn, () => new CaError("role_violation", noName));
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

function commonNameOf(
  { input, caller }: Pick<Case<NameRequest>, "input" | "caller">,
  role: Role,
  request: SigningRequest | undefined,
): string {
  const fromCsr = request !== undefined && role.use_csr_common_name;
  if (fromCsr) warnOfIgnoredName(input, caller);
  return (fromCsr && request.commonName) || input.common_name;
}

/** Tells that the common name of the body is not the one that counts. */
export function warnOfIgnoredName(
  { common_name }: Pick<NameRequest, "common_name">,
  caller: Pick<Caller, "warn">,
): void {
  if (common_name !== "")
    caller.warn(
      'the common_name field was provided but the role is set with "use_csr_common_name" set to true',
    );
}
/** Tells which alternative names of the body are not read, because the CSR's are. */
export function warnOfIgnored(
  asked: Pick<NameRequest, "alt_names" | "ip_sans" | "uri_sans">,
  caller: Pick<Caller, "warn">,
): void {
  const given: Readonly<Record<string, boolean>> = {
    alt_names: asked.alt_names !== "",
    ip_sans: asked.ip_sans.some(Boolean),
    uri_sans: asked.uri_sans.some(Boolean),
  };
  for (const [field, isGiven] of Object.entries(given))
    if (isGiven)
      caller.warn(
        `the ${field} field was provided but the role is set with "use_csr_sans" set to true`,
      );
}
