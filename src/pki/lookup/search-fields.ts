import { CaError } from "../../base/errors.ts";
import { lowerAscii } from "../../base/names.ts";
import type { Mount } from "../../engine/mount.ts";
import { nameKey } from "../../engine/records.ts";
import { int, text } from "../../wire/field.ts";
import { findIssuer } from "../issuer/issuer.ts";
import type { Query } from "./search-index.ts";

/** By what certificates are searched; all that is given must fit. */
export const searchFields = {
  name: text.default(
    "",
    "Prefix of the name that the certificate is indexed by: the first DNS name (in ASCII form), else mail address, IP address or URI of its alternative names; without any of these the common name, else another name. The index holds 253 octets of it and ignores the case of ASCII letters. Use `san` to search all names.",
  ),
  issuer: text.default("", "The issuer: an id, a name, or `default`."),
  role: text.default("", "Name of the role."),
  not_after_from: int.optional("Earliest end of validity, Unix seconds."),
  not_after_to: int.optional("Latest end of validity, Unix seconds."),
  state: text.default("", "`valid`, `expired` or `revoked`."),
  source: text.default("", "`acme`: issued by ACME; `api`: issued otherwise."),
  acme_account: text.default("", "Account of ACME that it was issued to."),
  san: text.default(
    "",
    "Text that one of the names contains; the case of ASCII letters is ignored.",
  ),
} as const;
/** What a request says of them. */
export interface Searched {
  readonly name: string;
  readonly issuer: string;
  readonly role: string;
  readonly not_after_from?: number | undefined;
  readonly not_after_to?: number | undefined;
  readonly state: string;
  readonly source: string;
  readonly acme_account: string;
  readonly san: string;
}

/** What is searched for. Throws `malformed` for a state or a source that is none. */
export async function queryOf(ca: Mount, input: Searched): Promise<Query> {
  if (!["", "valid", "expired", "revoked"].includes(input.state))
    throw new CaError(
      "malformed",
      `unknown state ${input.state.slice(0, 32)}: use valid, expired or revoked`,
    );
  if (!["", "acme", "api"].includes(input.source))
    throw new CaError("malformed", `unknown source ${input.source.slice(0, 32)}: use acme or api`);
  return {
    name: nameKey(input.name),
    issuer: findIssuer(await ca.config(), input.issuer)?.id ?? input.issuer,
    role: input.role,
    from: input.not_after_from,
    to: input.not_after_to,
    state: input.state,
    source: input.source,
    account: input.acme_account,
    san: lowerAscii(input.san),
  };
}
