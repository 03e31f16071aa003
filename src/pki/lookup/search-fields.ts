import { hexForm, referenceForm } from "../../base/forms.ts";
import { CaError } from "../../base/errors.ts";
import { lowerAscii } from "../../base/names.ts";
import type { Mount } from "../../engine/mount.ts";
import { nameKey } from "../../engine/records.ts";
import { withNormalForm, int, text } from "../../wire/field.ts";
import { findIssuer } from "../issuer/issuer.ts";
import type { Query } from "./search-index.ts";

/** The search criteria; all given ones must match. */
export const searchFields = {
  name: withNormalForm(text, nameKey).default(
    "",
    "Prefix of the name that the certificate is indexed by: the first DNS name (in ASCII form), else mail address, IP address or URI of its alternative names; without any of these the common name, else another name. The index holds 253 octets of it and ignores the case of ASCII letters. Use `san` to search all names.",
  ),
  issuer: withNormalForm(text, referenceForm).default(
    "",
    "The issuer: an id, a name, or `default`.",
  ),
  role: text.default("", "Name of the role."),
  not_after_from: int.optional("Earliest end of validity, Unix seconds."),
  not_after_to: int.optional("Latest end of validity, Unix seconds."),
  not_before_from: int.optional(
    "Earliest begin of validity, Unix seconds: the moment of issue less the role's `not_before_duration`.",
  ),
  not_before_to: int.optional("Latest begin of validity, Unix seconds."),
  state: text.default("", "`valid`, `expired` or `revoked`.", ["", "valid", "expired", "revoked"]),
  source: text.default("", "`acme`: issued by ACME; `api`: issued otherwise.", ["", "acme", "api"]),
  acme_account: text.default("", "Account of ACME that it was issued to."),
  san: withNormalForm(text, lowerAscii).default(
    "",
    "Text that one of the names contains; the case of ASCII letters is ignored.",
  ),
  fingerprint: withNormalForm(text, hexForm).default(
    "",
    "SHA-256 of the certificate, or of its public key as SubjectPublicKeyInfo: 64 hexadecimal digits, with or without colons.",
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
export async function queryOf(ca: Mount, input: SearchRequest): Promise<Query> {
  if (!["", "valid", "expired", "revoked"].includes(input.state))
    throw new CaError(
      "malformed",
      `unknown state ${input.state.slice(0, 32)}: use valid, expired or revoked`,
    );
  if (!["", "acme", "api"].includes(input.source))
    throw new CaError("malformed", `unknown source ${input.source.slice(0, 32)}: use acme or api`);
  const print = input.fingerprint.replaceAll(":", "").toLowerCase();
  if (print !== "" && !/^[0-9a-f]{64}$/.test(print))
    throw new CaError("malformed", "fingerprint is not 64 hexadecimal digits");
  return {
    name: nameKey(input.name),
    issuer: findIssuer(await ca.config(), input.issuer)?.id ?? input.issuer,
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
  };
}
