import { CaError } from "../../base/errors.ts";
import { effectiveTtls } from "../../engine/new-mount.ts";
import { expectMethod, type Method } from "../rows/methods.ts";
import { mergeBatches } from "../../engine/merge-batches.ts";
import type { Batch } from "../../engine/ports.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { externalMembership } from "../entity/external.ts";
import { type Alias, entityOfAlias } from "../entity/of-alias.ts";
import { withEntity } from "../token/entity.ts";
import { loginPolicies } from "../token/login-source.ts";
import { makeToken, type NewToken, type TokenSpec } from "../token/make.ts";
import { asRange, requireAddress } from "./address.ts";
import type { TokenSettings } from "./token-fields.ts";

/** The result of an authentication. */
export interface Login {
  /** The alias whose entity becomes the token's entity. If absent, the token has no entity. */
  readonly alias?: Alias;
  /** Metadata of the token. The response also contains it. */
  readonly metadata: Readonly<Record<string, string>>;
  /**
   * Name to append to the method's path to form the display name. If empty, the display name is the
   * path alone.
   */
  readonly display_name: string;
  /** Name of the role or user whose token settings apply. */
  readonly role?: string;
  /** Key of the row with the token settings. Renewals read these settings again. */
  readonly source: string;
  readonly token: TokenSettings;
  /** Names of the user's groups in the method. Absent if the method does not report groups. */
  readonly groups?: readonly string[];
  /**
   * Additional changes for the commit of the login, such as counting the use of a secret ID, with
   * their preconditions.
   */
  readonly more?: Batch;
}

/**
 * Logs in: issues a token, finds or creates the entity, and sets `auth` in the response. `decide`
 * authenticates the client or throws; it runs again if a row changed concurrently. Throws
 * `forbidden` if the address is not allowed or the entity is disabled, and `no_route` if the method
 * was disabled.
 */
export async function login(
  method: Method,
  caller: Caller,
  decide: () => Promise<Login>,
): Promise<null> {
  const { sys } = method;
  const issued = await sys.change(
    async () => {
      const login = await decide();
      requireAddress(login.token.token_bound_cidrs, caller.address);
      const [enabled, { token, id, changes }] = await Promise.all([
        expectMethod(method),
        prepare(method, caller, login),
      ]);
      caller.audit.draft?.(namesOf(token, id));
      const batch = mergeBatches({ expect: [enabled] }, login.more ?? {}, ...changes);
      return { reply: { token, id }, batch };
    },
    { what: "the login" },
  );
  const { token, id } = issued;
  for (const warning of token.warnings) caller.reply.warn(warning);
  caller.audit.note(namesOf(token, id));
  caller.reply.auth(await withEntity(method.deployment, token.auth));
  return null;
}

/** Returns the audit fields of the new token and its entity. A batch token has no accessor. */
const namesOf = ({ auth: { accessor } }: NewToken, entity: string) => ({
  ...(accessor === "" ? {} : { accessor }),
  ...(entity === "" ? {} : { entity }),
});

async function prepare(method: Method, { path }: Caller, login: Login) {
  const { spec, id, changes } = await plannedToken(method, decodeURIComponent(path), login);
  const token = await makeToken(method.deployment, spec);
  return { token, id, changes: [token.batch, ...changes] };
}
/** A token that a login is about to issue. */
interface PlannedToken {
  readonly spec: TokenSpec;
  /** ID of the entity; empty if there is none. */
  readonly id: string;
  /** Changes that create or update the entity. */
  readonly changes: readonly Batch[];
}
/**
 * Returns the token to issue for a login. `path` is the path of the login, relative to the method.
 */
export async function plannedToken(
  method: Method,
  path: string,
  login: Login,
): Promise<PlannedToken> {
  const { sys } = method;
  const { alias, groups, token: settings } = login;
  const behind =
    alias && (await entityOfAlias(sys, method.accessor, withMetadata(alias, settings)));
  const type = tokenType(method, settings);
  // the uses of batch tokens cannot be counted
  if (type === "batch" && settings.token_num_uses > 0)
    throw new CaError(
      "malformed",
      "this login method creates batch tokens, whose number of uses cannot be limited: give the role another 'token_type'",
    );
  const changes = [
    ...(behind ? [behind.change] : []),
    ...(behind && groups
      ? [await externalMembership(sys, behind.id, method.accessor, groups)]
      : []),
  ];
  return { spec: specOf(method, path, login, behind?.id), id: behind?.id ?? "", changes };
}
/** Adds the role's alias metadata to an alias. Metadata from the method takes precedence. */
const withMetadata = (alias: Alias, { alias_metadata }: TokenSettings): Alias => ({
  ...alias,
  metadata: { ...alias_metadata, ...alias.metadata },
});
function specOf(method: Method, path: string, login: Login, entity?: string): TokenSpec {
  const { token: settings } = login;
  const type = tokenType(method, settings);
  return {
    type,
    policies: loginPolicies(settings),
    path: `auth/${method.path}${path}`,
    method: method.uuid,
    source: login.source,
    display_name: displayName(method, login),
    meta: login.metadata,
    ...(entity === undefined ? {} : { entity_id: entity }),
    ...(login.role === undefined ? {} : { role: login.role }),
    ttl: settings.token_ttl,
    max_ttl: settings.token_max_ttl,
    explicit_max_ttl: settings.token_explicit_max_ttl,
    period: type === "batch" ? 0 : settings.token_period,
    num_uses: settings.token_num_uses,
    bound_cidrs: settings.token_bound_cidrs.map(asRange),
    ttls: effectiveTtls(method),
  };
}
/**
 * Returns a display name that begins with the method's path. External parties such as JWT issuers
 * choose names, which must not be mistaken for those of other callers.
 */
const displayName = ({ path }: Method, { display_name: name }: Login): string =>
  [path.replaceAll("/", "-"), name].filter(Boolean).join("-");

/**
 * Returns the type of a token: the role's type if the method's type begins with `default-` and the
 * role sets a type, and otherwise the method's type.
 */
function tokenType(
  { config: { token_type = "default-service" } }: Pick<Method, "config">,
  { token_type: roleType }: Pick<TokenSettings, "token_type">,
): "service" | "batch" {
  const chosen =
    token_type.startsWith("default-") && roleType !== "default" ? roleType : token_type;
  return chosen.endsWith("batch") ? "batch" : "service";
}
