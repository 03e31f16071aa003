import { instantForm, listForm } from "../../base/forms.ts";
import { parseInstant, rfc3339 } from "../../base/duration.ts";
import { CaError, recode } from "../../base/errors.ts";
import { truncateForMessage } from "../../base/names.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import {
  flag,
  int,
  list,
  type Parsed,
  text,
  textPairs,
  texts,
  withNormalForm,
} from "../../wire/field.ts";
import { allowedForm, includesEntry, readAllowed } from "../order/allowed-identifiers.ts";
import { isCurrent } from "../order/binding.ts";
import { type DirectoryNames, externalOf, rulesOfProfile } from "../protocol/selection.ts";
import type { BindingLimits, BindingRow } from "../rows/records.ts";

const docs = {
  role: "Role for all orders of the binding's accounts; only allowed in a directory whose path contains no role.",
  allowed_identifiers:
    "Identifiers for which the binding's accounts may order certificates: DNS names in which `*` matches any characters, including dots; CIDR ranges; and devices as in `allowed_device_identifiers` of roles. If absent, any name or address is allowed, but no device.",
  preauthorized:
    "Whether orders are ready at once, without a challenge. Requires `allowed_identifiers`, and sudo on this path. Devices must still attest.",
  max_uses: "Number of accounts that can register with the binding, 1 to 10,000.",
  expires:
    "Time from which the binding's accounts can no longer create or finalize orders, RFC 3339.",
} as const;

const names = withNormalForm(list, listForm(allowedForm));
const time = withNormalForm(text, instantForm);
/** The request fields that tighten a binding. */
export const tighterFields = {
  role: text.optional(docs.role),
  allowed_identifiers: names.optional(docs.allowed_identifiers),
  preauthorized: flag.optional(docs.preauthorized),
  max_uses: int.optional(docs.max_uses),
  expires: time.optional(docs.expires),
} as const;
/** The request fields of a new binding. Without any of them, the binding has no limits. */
export const limitFields = {
  ...tighterFields,
  metadata: textPairs.optional(
    "Key-value pairs (strings), stored as JSON with each certificate (`cert-metadata`) and in log and audit events; at most 16 pairs, 1,024 characters in total.",
  ),
} as const;

/** The response fields for a binding's limits. */
export const limitsReply = {
  status: text.optional("`valid`, `expired` or `revoked`; absent without limits.", [
    "valid",
    "expired",
    "revoked",
  ]),
  role: text.optional(docs.role),
  allowed_identifiers: list.optional(docs.allowed_identifiers),
  preauthorized: flag.optional("Whether orders are ready at once, without a challenge."),
  max_uses: int.optional("Number of accounts that can register with the binding."),
  expires: text.optional(docs.expires),
  revoked_on: text.optional("Time at which the binding was revoked, RFC 3339."),
  metadata: texts.optional("Strings stored with each certificate, and in log and audit events."),
} as const;
/** Returns the response fields of a binding with limits. `now`: Unix seconds. */
export const limitsOutput = (row: BindingRow, now: number): Parsed<typeof limitsReply> => ({
  status: row.revoked !== undefined ? "revoked" : isCurrent(row, now) ? "valid" : "expired",
  preauthorized: row.preauthorized,
  max_uses: row.max_uses,
  ...(row.role === undefined ? {} : { role: row.role }),
  ...(row.allowed_identifiers ? { allowed_identifiers: row.allowed_identifiers } : {}),
  ...(row.expires === undefined ? {} : { expires: rfc3339(row.expires) }),
  ...(row.revoked === undefined ? {} : { revoked_on: rfc3339(row.revoked) }),
  ...(row.metadata ? { metadata: row.metadata } : {}),
});

const invalid = (why: string): CaError => new CaError("invalid_field", why);

/** The limits in a request. Members that the request does not set are absent. */
type SentLimits = Partial<BindingLimits>;
/**
 * Parses the limits in a request. Throws `invalid_field` if one is not valid. `now`: Unix seconds.
 */
export function readLimits(
  {
    role,
    allowed_identifiers: names,
    preauthorized,
    max_uses,
    ...input
  }: Parsed<typeof limitFields>,
  now: number,
): SentLimits {
  if (max_uses !== undefined && (max_uses < 1 || max_uses > maxUses))
    throw invalid(`max_uses must be 1 to ${maxUses}, got ${max_uses}`);
  const expires = input.expires ? expiryOf(input.expires, now) : undefined;
  const metadata = input.metadata && metadataOf(input.metadata);
  return {
    ...(role ? { role } : {}),
    ...(names ? { allowed_identifiers: readAllowed(names) } : {}),
    ...(preauthorized === undefined ? {} : { preauthorized }),
    ...(max_uses === undefined ? {} : { max_uses }),
    ...(expires === undefined ? {} : { expires }),
    ...(metadata && Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
}
/**
 * Maximum number of uses of a binding, limited because each registration lists the keys of all
 * uses.
 */
const maxUses = 10_000;

function expiryOf(sent: string, now: number): number {
  const expires = recode("invalid_field", () => parseInstant(sent), "expires: ");
  if (expires <= now) throw invalid(`expires ${rfc3339(expires)} is in the past`);
  return expires;
}

/** Maximum number of strings in metadata, and maximum length of their JSON in characters. */
const [maxTexts, maxLength] = [16, 1024];
function metadataOf(sent: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const texts = Object.fromEntries(
    Object.entries(sent).map(([name, value]) => {
      if (typeof value !== "string") throw invalid(`metadata: ${name} must be a string`);
      return [name, value];
    }),
  );
  if (Object.keys(texts).length > maxTexts || JSON.stringify(texts).length > maxLength)
    throw invalid(
      `metadata may have at most ${maxTexts} strings, and ${maxLength} characters as JSON`,
    );
  return texts;
}

/**
 * Rejects a binding's role if no order could use it. Throws `invalid_field` if the path of the
 * directory contains a role or if an external policy decides there, and `invalid_profile` if ACME
 * cannot use the role.
 */
export async function requireRole(
  config: Snapshot,
  directory: DirectoryNames,
  role: string,
): Promise<void> {
  if (directory.role !== undefined)
    throw invalid(
      `role must be absent: the path of this directory contains the role ${truncateForMessage(directory.role)}`,
    );
  if (externalOf(config, directory) !== undefined)
    throw invalid("role must be absent: an external policy decides in this directory");
  await rulesOfProfile(config, role);
}

/**
 * Returns a binding with tighter limits. Throws `invalid_field` for a limit that would allow more.
 */
export function tightened(row: BindingRow, sent: SentLimits): BindingRow {
  const { role, allowed_identifiers: names, max_uses, expires } = sent;
  const only = (name: string, how: string): CaError =>
    invalid(`${name} can only be ${how}: create another binding to allow more`);
  if (role !== undefined && role !== (row.role ?? role))
    throw only("role", `set once, and it is ${row.role ?? ""}`);
  const stray = names?.find((name) => !includesEntry(row.allowed_identifiers, name));
  if (stray !== undefined) throw only("allowed_identifiers", `narrowed, but ${stray} is new`);
  if (sent.preauthorized && !row.preauthorized) throw only("preauthorized", "switched off");
  if (max_uses !== undefined && max_uses > row.max_uses)
    throw only("max_uses", `lowered, and it is ${row.max_uses}`);
  if (expires !== undefined && expires > (row.expires ?? Infinity))
    throw only("expires", `set earlier than ${rfc3339(row.expires ?? 0)}`);
  return { ...row, ...sent };
}
