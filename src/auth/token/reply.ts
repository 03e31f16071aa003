import type { AuthReply } from "../../wire/outcome.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { flag, int, list, text, textOrNull, textsOrNull } from "../../wire/field.ts";

/** The members of `auth` in responses (P 9.6 rule 1). */
export const authReply = {
  client_token: text.required("The token."),
  accessor: text.required(
    "Accessor, which identifies the token without revealing it; empty for batch tokens.",
  ),
  policies: list.required("All policies of the token and its entity."),
  token_policies: list.required("Policies of the token itself."),
  identity_policies: list.optional("Policies of the token's entity."),
  metadata: textsOrNull.required("Metadata of the token."),
  lease_duration: int.required(
    "Remaining lifetime in seconds; 0 means that the token does not expire.",
  ),
  renewable: flag.required("Whether the token can be renewed."),
  entity_id: text.required("ID of the token's entity; empty if it has none."),
  token_type: text.required("`service` or `batch`.", ["service", "batch"]),
  orphan: flag.required(
    "Whether the token is an orphan, which outlives the token that created it.",
  ),
  mfa_requirement: textOrNull.required("Always null."),
  num_uses: int.required("Remaining uses; 0 means unlimited."),
} as const;

/** Sets `auth` in the response to the given token. The response's `data` is null. */
export function tokenReply(
  caller: Caller,
  auth: AuthReply,
  warnings: readonly string[] = [],
): null {
  for (const warning of warnings) caller.reply.warn(warning);
  caller.reply.auth(auth);
  return null;
}
