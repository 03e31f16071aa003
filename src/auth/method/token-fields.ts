import { CaError } from "../../base/errors.ts";
import {
  type Field,
  type Shape,
  flag,
  withNormalForm,
  int,
  list,
  seconds,
  textPairs,
} from "../../wire/field.ts";
import { policyNames, readMetadata } from "../entity/names.ts";
import { textOrDefault } from "../token/default-word.ts";
import { checkRanges, rangesForm } from "./address.ts";

export { textOrDefault };

/** Allowed `token_type` settings of a method. */
export const methodTokenTypes = ["default-service", "default-batch", "service", "batch"] as const;
const roleTokenTypes = ["default", ...methodTokenTypes] as const;

/** The token settings of a role or user (P 9.7). Lifetimes are in seconds. */
export interface TokenSettings {
  readonly token_ttl: number;
  readonly token_max_ttl: number;
  readonly token_explicit_max_ttl: number;
  readonly token_period: number;
  readonly token_policies: readonly string[];
  readonly token_bound_cidrs: readonly string[];
  readonly token_no_default_policy: boolean;
  readonly token_num_uses: number;
  readonly token_type: string;
  /**
   * Metadata that a login stores with the entity alias, in addition to metadata from the method.
   */
  readonly alias_metadata: Readonly<Record<string, string>>;
}
/** The default token settings. */
export const plainTokens: TokenSettings = {
  token_ttl: 0,
  token_max_ttl: 0,
  token_explicit_max_ttl: 0,
  token_period: 0,
  token_policies: [],
  token_bound_cidrs: [],
  token_no_default_policy: false,
  token_num_uses: 0,
  token_type: "default",
  alias_metadata: {},
};

const policies = withNormalForm(list, policyNames);
const ranges = withNormalForm(list, rangesForm);
const metadata = withNormalForm(textPairs, readMetadata);
const kinds = {
  token_ttl: [seconds, "Initial lifetime of the issued tokens; 0 means the method's default."],
  token_max_ttl: [
    seconds,
    "Maximum lifetime of the issued tokens, including renewals; 0 means the method's maximum.",
  ],
  token_explicit_max_ttl: [
    seconds,
    "Hard limit on the lifetime of the issued tokens, which renewals cannot exceed; 0 means no limit.",
  ],
  token_period: [
    seconds,
    "Makes the issued tokens periodic: each renewal resets their lifetime to this value.",
  ],
  token_policies: [policies, "Policies of the issued tokens."],
  token_bound_cidrs: [
    ranges,
    "Address ranges (CIDR) from which clients may log in and use the issued tokens.",
  ],
  token_no_default_policy: [flag, "Do not add the `default` policy."],
  token_num_uses: [int, "Number of times each token may be used; 0 means unlimited."],
  token_type: [
    textOrDefault("default"),
    "Type of the issued tokens; `default` means the method's type.",
    roleTokenTypes,
  ],
  alias_metadata: [metadata, "Metadata that logins set on the entity alias: strings by name."],
} as const;
type Kinds = typeof kinds;
type FieldDoc = readonly [string, (readonly string[])?];
type Value<K extends keyof Kinds> = TokenSettings[K];
// the cast is safe: each field is built from its own entry in `kinds`
const each = <R>(make: (kind: Kinds[keyof Kinds][0], about: FieldDoc) => unknown): R =>
  Object.fromEntries(
    Object.entries(kinds).map(([name, [kind, ...about]]) => [name, make(kind, about)]),
  ) as R;

/** The `token_*` fields in requests. Absent fields keep their values. */
export const tokenFields = {
  ...each<{ readonly [K in keyof Kinds]: Field<Value<K> | undefined, false> }>((kind, about) =>
    kind.optional(...about),
  ),
  policies: policies.alias("token_policies"),
  ttl: seconds.alias("token_ttl"),
  max_ttl: seconds.alias("token_max_ttl"),
  period: seconds.alias("token_period"),
  bound_cidrs: ranges.alias("token_bound_cidrs"),
  num_uses: int.alias("token_num_uses"),
} as const;
/** The `token_*` fields in responses. */
export const tokenReply = each<{ readonly [K in keyof Kinds]: Field<Value<K>, true> }>(
  (kind, about) => kind.required(...about),
);

/** Returns the token settings of an object, without its other members. */
export const tokenSettingsOf = (from: TokenSettings): TokenSettings =>
  // `kinds` has the same members as `TokenSettings`
  Object.fromEntries(
    (Object.keys(kinds) as (keyof Kinds)[]).map((name) => [name, from[name]]),
  ) as unknown as TokenSettings;

/**
 * Returns the token settings with the requested changes. Throws `malformed` if the result is
 * contradictory or contains an invalid address range.
 */
export function withTokenFields(
  current: TokenSettings,
  changes: Readonly<Record<string, unknown>>,
): TokenSettings {
  const sent: Record<string, unknown> = {};
  for (const [old, { alias }] of Object.entries<Shape[string]>(tokenFields))
    if (alias !== undefined && changes[old] !== undefined) sent[alias] = changes[old];
  for (const name of Object.keys(kinds))
    if (changes[name] !== undefined) sent[name] = changes[name];
  // `tokenFields` validated the types
  const merged = { ...tokenSettingsOf(current), ...sent } as TokenSettings;
  const settings = {
    ...merged,
    token_policies: policyNames(merged.token_policies),
    alias_metadata: readMetadata(merged.alias_metadata),
  };
  check(settings);
  return settings;
}

function check(settings: TokenSettings): void {
  const { token_ttl, token_max_ttl, token_num_uses, token_period, token_type } = settings;
  const refuse = (why: string): never => {
    throw new CaError("malformed", why);
  };
  if (token_max_ttl > 0 && token_ttl > token_max_ttl)
    refuse("'token_ttl' cannot be greater than 'token_max_ttl'");
  if (token_num_uses < 0) refuse("'token_num_uses' cannot be negative");
  if (!roleTokenTypes.some((one) => one === token_type))
    refuse(`invalid 'token_type': use one of ${roleTokenTypes.join(", ")}`);
  if (token_type === "batch" || token_type === "default-batch") {
    if (token_num_uses > 0)
      refuse("'token_type' cannot be 'batch' if the number of uses is limited");
    if (token_period > 0) refuse("'token_type' cannot be 'batch' if tokens are periodic");
  }
  checkMetadata(settings.alias_metadata);
  if (settings.token_policies.includes("root")) refuse("auth methods cannot create root tokens");
  checkRanges("token_bound_cidrs", settings.token_bound_cidrs);
}

/** Maximum number of entries in `alias_metadata`, and maximum lengths of a name and of a value. */
const [maxNames, maxName, maxText] = [64, 128, 512];
function checkMetadata(metadata: TokenSettings["alias_metadata"]): void {
  const entries = Object.entries(metadata);
  if (entries.length > maxNames)
    throw new CaError("malformed", `'alias_metadata' has more than ${maxNames} names`);
  const [long] =
    entries.find(([name, text]) => name.length > maxName || text.length > maxText) ?? [];
  if (long !== undefined)
    throw new CaError(
      "malformed",
      `'alias_metadata': names may have up to ${maxName} characters and values up to ${maxText}, but "${long.slice(0, 64)}" has more`,
    );
}
