import { mergeBatches } from "../../engine/merge-batches.ts";
import { CaError } from "../../base/errors.ts";
import { matchesGlob } from "../../base/glob.ts";
import type { Deployment } from "../../engine/deployment.ts";
import type { TokenRoleRow } from "../rows/tokens.ts";
import { systemEndpoint, type Caller } from "../../wire/endpoint.ts";
import {
  flag,
  withNormalForm,
  int,
  list,
  type Parsed,
  seconds,
  secret,
  text,
  textPairs,
} from "../../wire/field.ts";
import { unauthenticatedError } from "../../wire/access.ts";
import { authEnvelope } from "../../wire/style.ts";
import { type Alias, entityOfAlias } from "../entity/of-alias.ts";
import { readMetadata, readName } from "../entity/names.ts";
import { withEntity } from "./entity.ts";
import { tokenAccessor, tokenTtls } from "./named-token.ts";
import { lesserLimit } from "./lifetime.ts";
import { makeToken, type NewToken, type TokenSpec } from "./make.ts";
import { policiesFor, policyNames } from "./policies.ts";
import { tokenReply, authReply } from "./reply.ts";
import { tokenRole } from "./roles.ts";

const body = {
  id: secret.optional("The token itself; default: generated. Requires sudo."),
  policies: withNormalForm(list, policyNames).default(
    [],
    "Policies of the token; default: those of the caller's token.",
  ),
  meta: withNormalForm(textPairs, readMetadata).optional("Metadata: strings by name."),
  no_parent: flag.default(
    false,
    "Create an orphan, which outlives the caller's token. Requires sudo.",
  ),
  no_default_policy: flag.default(false, "Do not add the `default` policy."),
  renewable: flag.default(true, "Whether the token can be renewed."),
  ttl: seconds.optional("Lifetime; default: that of the mount."),
  lease: seconds.alias("ttl"),
  type: text.default("", "`service` (the default) or `batch`.", ["", "service", "batch"]),
  explicit_max_ttl: seconds.default(0, "Maximum lifetime including renewals; 0: no extra limit."),
  display_name: withNormalForm(text, (name) => displayName(name)).default(
    "",
    "Display name in logs, prefixed with `token-`.",
  ),
  num_uses: int.default(0, "Number of times the token may be used; 0: unlimited."),
  period: seconds.default(
    0,
    "Create a periodic token: each renewal resets its lifetime to this value.",
  ),
  entity_alias: text.default(
    "",
    "Name of the entity alias to create the token for; must be allowed by the role.",
  ),
} as const;
type TokenInput = Parsed<typeof body>;

const refuse = (why: string): never => {
  throw new CaError("malformed", why);
};

/** A token request with its caller. */
interface TokenRequest {
  readonly caller: Caller;
  readonly input: TokenInput;
  /** True if the caller has sudo on the path. */
  readonly isSudo: boolean;
  /** True if the path itself creates orphans. */
  readonly orphan: boolean;
  /** Unix milliseconds. */
  readonly now: number;
  readonly role?: { readonly name: string; readonly row: TokenRoleRow } | undefined;
}

/** Creates the token that a caller requests (P 9.6). */
async function create(ca: Deployment, asking: TokenRequest): Promise<null> {
  const { caller } = asking;
  const { spec, warnings } = specOf(asking);
  const alias = aliasOf(asking.input.entity_alias, asking.role?.row);
  const ttls = await tokenTtls(ca.sys);
  const created = await ca.sys.change(
    async () => {
      const behind = alias && (await entityOfAlias(ca.sys, await tokenAccessor(ca.sys), alias));
      const entity = behind ? { entity_id: behind.id } : {};
      const one = await makeToken(ca, { ...spec, ...entity, ttls });
      if (spec.id !== undefined) await requireUnused(ca, spec.id, one.batch.expect?.[0]?.[0] ?? "");
      caller.audit.draft?.(auditFieldsOf(one));
      return { reply: one, batch: behind ? mergeBatches(one.batch, behind.change) : one.batch };
    },
    { what: "the token" },
  );
  caller.audit.note(auditFieldsOf(created));
  return tokenReply(caller, await withEntity(ca, created.auth), [...warnings, ...created.warnings]);
}
/** Returns the requested alias. Throws `malformed` if no role allows it (P 9.6). */
function aliasOf(name: string, role: TokenRoleRow | undefined): Alias | undefined {
  if (name === "") return undefined;
  if (!role) return refuse("'entity_alias' is only allowed in combination with token role");
  // aliases that differ only in case are distinct
  if (!role.allowed_entity_aliases.some((pattern) => matchesGlob(pattern, name)))
    return refuse("invalid 'entity_alias' value");
  return { name: readName(name) };
}
/** Returns the audit fields of the new token. A batch token has no accessor. */
const auditFieldsOf = ({ auth: { accessor, token_type } }: NewToken) => ({
  ...(accessor === "" ? {} : { made: accessor }),
  made_type: token_type,
});
/** Rejects a chosen token text that is in use, or that looks like a generated one. */
async function requireUnused({ sys, ports }: Deployment, id: string, key: string): Promise<void> {
  const prefix = ["s.", "b.", "wrap."].find((each) => id.startsWith(each));
  if (prefix !== undefined) refuse(`custom token ID cannot have the '${prefix}' prefix`);
  if (!/^[\x21-\x7e]{1,512}$/.test(id))
    refuse("a custom token ID must have 1 to 512 printable ASCII characters without spaces");
  const [accessorRow] = await sys.store.get([key]);
  if (accessorRow || (await ports.authenticate(id)))
    refuse("cannot create a token with a duplicate ID");
}

function specOf(asking: TokenRequest): {
  readonly spec: TokenSpec;
  readonly warnings: readonly string[];
} {
  const { caller, input, isSudo, role } = asking;
  const { token } = caller.identity;
  if (token?.type === "batch") refuse("batch tokens cannot create more tokens");
  if (token && token.num_uses !== 0) refuse("restricted use token cannot generate child tokens");
  const type = typeOf(input.type, role?.row);
  checkPrivileges(asking);
  if (type === "batch") checkBatch(input, role?.row);
  if (input.num_uses < 0) refuse("number of uses cannot be negative");
  const policies = policiesFor({
    requested: input.policies,
    no_default_policy: input.no_default_policy,
    parent: token?.policies ?? caller.identity.policies,
    isSudo,
    role: role?.row,
  });
  if (type === "batch" && policies.includes("root")) refuse("batch tokens cannot be root tokens");
  const limits = limitsOf(input, role?.row);
  const ttl = input.ttl ?? input.lease ?? 0;
  const isEndless =
    policies.includes("root") && ttl + limits.period + limits.explicit_max_ttl === 0;
  if (isEndless && caller.identity.expires !== undefined)
    refuse("expiring root tokens cannot create non-expiring root tokens");
  const parent = parentOf(asking);
  return {
    warnings: limits.warnings,
    spec: {
      type,
      policies,
      path: pathOf(asking),
      display_name: displayName(input.display_name),
      meta: metaOf(input.meta),
      entity_id: parent === undefined ? "" : (token?.entity_id ?? ""),
      role: role?.name ?? "",
      parent,
      origin: token && (token.origin ?? (token.entity_id || token.hash)),
      ttl,
      period: limits.period,
      explicit_max_ttl: lesserLimit(limits.explicit_max_ttl, maxTtlOfRoot(policies, asking)),
      orphan: isOrphan(asking) || !hasParent(caller.identity),
      num_uses: lesserLimit(input.num_uses, role?.row.token_num_uses ?? 0),
      renewable: input.renewable && role?.row.renewable !== false,
      bound_cidrs: isEndless ? [] : cidrsOf(asking),
      ...(input.id === undefined || input.id === "" ? {} : { id: input.id }),
    },
  };
}

function typeOf(requested: string, role: TokenRoleRow | undefined): "service" | "batch" {
  if (!["", "service", "batch"].includes(requested)) refuse("invalid 'type': use service or batch");
  const kind = role?.token_type ?? "default-service";
  const chosen = kind.startsWith("default-") && requested !== "" ? requested : kind;
  return chosen.endsWith("batch") ? "batch" : "service";
}
function checkPrivileges({ input, isSudo, role }: TokenRequest): void {
  if (isSudo) return;
  if (input.id !== undefined && input.id !== "")
    refuse("root or sudo privileges required to specify token id");
  if (input.no_parent && !role) refuse("root or sudo privileges required to create orphan token");
  if (input.period > 0) refuse("root or sudo privileges required to create periodic token");
}
/** Rejects properties, requested or from the role, that a batch token cannot have. */
function checkBatch(input: TokenInput, role: TokenRoleRow | undefined): void {
  const [bad] = Object.entries({
    explicit_max_ttl: input.explicit_max_ttl || (role?.token_explicit_max_ttl ?? 0),
    num_uses: input.num_uses || (role?.token_num_uses ?? 0),
    period: input.period || (role?.token_period ?? 0),
    id: input.id ?? "",
  }).find(([, value]) => value !== 0 && value !== "") ?? [undefined];
  if (bad !== undefined) refuse(`batch tokens cannot have "${bad}" set`);
}

/**
 * Returns the maximum lifetime in seconds, including renewals, of a root token created by the
 * caller, orphan or not: it must not outlive the caller's token. 0: the caller's token does not
 * expire.
 */
function maxTtlOfRoot(
  policies: readonly string[],
  {
    caller: {
      identity: { expires },
    },
    now,
  }: TokenRequest,
): number {
  if (!policies.includes("root") || expires === undefined) return 0;
  const left = Math.floor(expires / 1000) - Math.floor(now / 1000);
  if (left <= 0) throw unauthenticatedError("ended");
  return left;
}
const isOrphan = ({ input, orphan, role }: TokenRequest): boolean =>
  role ? role.row.orphan : orphan || input.no_parent;
/**
 * Reports whether tokens created by a caller have a parent. The deployment's root token never
 * expires, so its children need none.
 */
const hasParent = ({ token, policies, expires }: Caller["identity"]): boolean =>
  token?.hash !== undefined || (!token && policies.includes("root") && expires === undefined);
/** Returns the hash of the caller's token, which becomes the parent. */
const parentOf = (asking: TokenRequest): string | undefined =>
  isOrphan(asking) ? undefined : asking.caller.identity.token?.hash;
/**
 * Returns the address ranges of a new token: the caller's, even for an orphan, unless the role sets
 * its own.
 */
const cidrsOf = ({ caller, role }: TokenRequest): readonly string[] =>
  role ? role.row.token_bound_cidrs : (caller.identity.token?.bound_cidrs ?? []);
function limitsOf(input: TokenInput, role: TokenRoleRow | undefined) {
  const period = lesserLimit(input.period, role?.token_period ?? 0);
  const explicit_max_ttl = lesserLimit(input.explicit_max_ttl, role?.token_explicit_max_ttl ?? 0);
  const both = (what: string, one: number, other = 0, used = 0): readonly string[] =>
    one > 0 && other > 0
      ? [
          `${what} specified both during creation call and in role; using the lesser value of ${used} seconds`,
        ]
      : [];
  return {
    period,
    explicit_max_ttl,
    warnings: [
      ...both(
        "Explicit max TTL",
        input.explicit_max_ttl,
        role?.token_explicit_max_ttl,
        explicit_max_ttl,
      ),
      ...both("Period", input.period, role?.token_period, period),
    ],
  };
}
const pathOf = ({ caller, role }: TokenRequest): string => {
  const suffix = role?.row.path_suffix ?? "";
  return `auth${caller.path}${suffix === "" ? "" : `/${suffix}`}`;
};
/** Returns a display name of letters, digits and hyphens, prefixed with `token`. */
const displayName = (requested: string): string =>
  requested === ""
    ? "token"
    : `token-${requested.slice(0, 256).replaceAll(/[^a-zA-Z0-9-]/g, "-")}`.replace(/-$/, "");
function metaOf(
  meta: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, string>> | null {
  const entries = Object.entries(meta ?? {});
  if (entries.some(([, value]) => typeof value === "object"))
    refuse("'meta' must be an object of strings");
  return entries.length
    ? Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
    : null;
}

const shared = {
  access: "token",
  style: authEnvelope,
  body,
  reply: authReply,
  nullable: true,
  refuses: ["malformed", "forbidden"],
} as const;
const toTokenRequest = (
  { ports }: Deployment,
  caller: Caller,
  input: TokenInput,
): Omit<TokenRequest, "orphan"> => ({
  now: ports.now(),
  caller,
  input,
  isSudo: caller.identity.can("sudo", decodeURIComponent(`auth${caller.path}`)),
});

export const createToken = systemEndpoint({
  ...shared,
  id: "createToken",
  audits: { always: true },
  at: ["POST /token/create"],
  doc: "Creates a token, which is revoked when the caller's is revoked.",
  run: (ca, input, caller) => create(ca, { ...toTokenRequest(ca, caller, input), orphan: false }),
});
export const createOrphanToken = systemEndpoint({
  ...shared,
  id: "createOrphanToken",
  audits: { always: true },
  at: ["POST /token/create-orphan"],
  doc: "Creates an orphan token, which outlives the caller's.",
  run: (ca, input, caller) => create(ca, { ...toTokenRequest(ca, caller, input), orphan: true }),
});
export const createRoleToken = systemEndpoint({
  ...shared,
  id: "createRoleToken",
  audits: { always: true },
  at: ["POST /token/create/:role"],
  doc: "Creates a token with the settings of a role.",
  run: async (ca, { role: name, ...input }, caller) => {
    const row = await tokenRole(ca.sys, name);
    if (!row) throw new CaError("malformed", `unknown role ${name.slice(0, 128)}`);
    return create(ca, { ...toTokenRequest(ca, caller, input), orphan: false, role: { name, row } });
  },
});
