import { hexForm, referenceForm } from "../../base/forms.ts";
import { CaError } from "../../base/errors.ts";
import { lowerAscii } from "../../base/names.ts";
import type { Mount } from "../../engine/mount.ts";
import { nameKey } from "../rows/records.ts";
import { withNormalForm, int, text } from "../../wire/field.ts";
import { findIssuer } from "../issuer/issuer.ts";
import type { Query } from "./search-index.ts";

/** Request fields for the search criteria, all of which must match. */
export const searchFields = {
  name: withNormalForm(text, nameKey).default(
    "",
    "Prefix of the indexed name. This is the first subject alternative name (DNS in ASCII form, email, IP, then URI), otherwise the common name, otherwise any other name in the certificate. ASCII letters match case-insensitively. Only the first 253 octets are indexed. To search all names, use `san`.",
  ),
  issuer: withNormalForm(text, referenceForm).default(
    "",
    "Issuer of the certificates: an ID, a name, or `default`.",
  ),
  role: text.default("", "Name of the role under which the certificates were issued."),
  not_after_from: int.optional("Earliest notAfter, Unix seconds."),
  not_after_to: int.optional("Latest notAfter, Unix seconds."),
  not_before_from: int.optional(
    "Earliest notBefore, Unix seconds. It is usually the time of issuance minus the role's `not_before_duration`.",
  ),
  not_before_to: int.optional("Latest notBefore, Unix seconds."),
  state: text.default("", "State of the certificates: `valid`, `expired` or `revoked`.", [
    "",
    "valid",
    "expired",
    "revoked",
  ]),
  source: text.default("", "`acme` for certificates issued with ACME, `api` for all others.", [
    "",
    "acme",
    "api",
  ]),
  acme_account: text.default("", "ID of the ACME account to which the certificates were issued."),
  san: withNormalForm(text, lowerAscii).default(
    "",
    "Substring of any of the certificate's names. ASCII letters match case-insensitively.",
  ),
  fingerprint: withNormalForm(text, hexForm).default(
    "",
    "SHA-256 fingerprint of the certificate or of its SubjectPublicKeyInfo: 64 hexadecimal digits, with or without colons.",
  ),
} as const;
/** The search criteria of a request. */
export interface SearchRequest {
  readonly name: string;
  readonly issuer: string;
  readonly role: string;
  readonly not_after_from?: number | undefined;
  readonly not_after_to?: number | undefined;
  readonly not_before_from?: number | undefined;
  readonly not_before_to?: number | undefined;
  readonly state: string;
  readonly source: string;
  readonly acme_account: string;
  readonly san: string;
  readonly fingerprint: string;
}

/** Parses the search criteria. Throws `malformed` for an invalid state, source or fingerprint. */
export async function queryOf(mount: Mount, input: SearchRequest): Promise<Query> {
  if (!["", "valid", "expired", "revoked"].includes(input.state))
    throw new CaError(
      "malformed",
      `unknown state ${input.state.slice(0, 32)}: use valid, expired or revoked`,
    );
  if (!["", "acme", "api"].includes(input.source))
    throw new CaError("malformed", `unknown source ${input.source.slice(0, 32)}: use acme or api`);
  const print = input.fingerprint.replaceAll(":", "").toLowerCase();
  if (print !== "" && !/^[0-9a-f]{64}$/.test(print))
    throw new CaError("malformed", "fingerprint must be a SHA-256 hash of 64 hexadecimal digits");
  return {
    name: nameKey(input.name),
    issuer: findIssuer(await mount.config(), input.issuer)?.id ?? input.issuer,
    role: input.role,
    from: input.not_after_from,
    to: input.not_after_to,
    beginsFrom: input.not_before_from,
    beginsTo: input.not_before_to,
    state: input.state,
    source: input.source,
    account: input.acme_account,
    san: lowerAscii(input.san),
    print,
    order: "",
  };
}
