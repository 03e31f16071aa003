import { approle } from "../types/approle.ts";
import { uuid } from "../../base/ids.ts";
import { rfc3339nano } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import { hashedName } from "../rows/logins.ts";
import type { Method } from "../rows/methods.ts";
import type { Index, Row } from "../../engine/ports.ts";
import { rowReader } from "../../engine/row-reader.ts";
import { withNormalForm, int, list, map, type Parsed, seconds, text } from "../../wire/field.ts";
import { rangesForm, rangesWithin } from "../method/address.ts";
import type { Role } from "./role.ts";

/**
 * A stored secret ID. Its value is not stored: the row key contains a hash of the value. Times are
 * in Unix seconds.
 */
export interface SecretRow {
  readonly accessor: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly cidr_list: readonly string[];
  readonly token_bound_cidrs: readonly string[];
  /** Number of uses at creation; 0 means unlimited. */
  readonly num_uses: number;
  /** Remaining uses; meaningful only if `num_uses` is not 0. */
  readonly left: number;
  readonly ttl: number;
  readonly created: number;
  readonly updated: number;
  /** Time of expiry. Absent if the secret ID never expires. */
  readonly expires?: number;
}
/** Parses the row of a secret ID. */
export const storedSecret = rowReader<SecretRow>({
  accessor: "",
  metadata: {},
  cidr_list: [],
  token_bound_cidrs: [],
  num_uses: 0,
  left: 0,
  ttl: 0,
  created: 0,
  updated: 0,
});

/** Name of the index on the accessor of secret IDs. */
const secretAccessors = "secret_id_accessor";
/** Name of the index on the expiry of secret IDs (Unix seconds). */
export const secretEnds = "secret_id_end";
/** Returns the index values of a secret ID's row. */
export const secretIndex = ({ accessor, expires }: SecretRow): Index => ({
  [secretAccessors]: accessor,
  ...(expires === undefined ? {} : { [secretEnds]: expires }),
});
/** Returns the key prefix of a role's secret IDs. */
const secretsOf = (method: Method, { id }: Pick<Role, "id">): string =>
  method.key(`${approle.rows.secretIds}${id}/`);

/** A secret ID with the key and the revision of its row. */
export interface StoredSecret {
  readonly key: string;
  readonly rev: number;
  readonly secret: SecretRow;
}
const toStoredSecret = (key: string, { value, rev }: Row): StoredSecret => ({
  key,
  rev,
  secret: storedSecret(value),
});
/** Returns the key of a secret ID's row. */
export const secretKey = async (method: Method, role: Role, secretId: string): Promise<string> =>
  `${secretsOf(method, role)}${await hashedName(secretId)}`;

/** Reports whether a secret ID has expired. `now` is in Unix milliseconds. */
const hasEnded = ({ expires }: SecretRow, now: number): boolean =>
  expires !== undefined && now >= expires * 1000;

/**
 * Finds a secret ID of a role by its value. Returns undefined if it does not exist or has expired.
 */
export async function findSecret(
  method: Method,
  role: Role,
  secretId: string,
): Promise<StoredSecret | undefined> {
  const key = await secretKey(method, role, secretId);
  const [row] = await method.sys.store.get([key]);
  return row && unlessExpired(method, toStoredSecret(key, row));
}
/** Finds a role's secret ID by its accessor. */
export async function findByAccessor(
  method: Method,
  role: Role,
  accessor: string,
): Promise<StoredSecret | undefined> {
  const by = { name: secretAccessors, from: accessor, to: accessor };
  const [row] = await method.sys.store.list(secretsOf(method, role), { by, limit: 1 });
  return row && unlessExpired(method, toStoredSecret(...row));
}
const unlessExpired = ({ sys }: Method, stored: StoredSecret): StoredSecret | undefined =>
  hasEnded(stored.secret, sys.ports.now()) ? undefined : stored;
/** Returns all valid secret IDs of a role. */
export async function allSecrets(method: Method, role: Role): Promise<readonly StoredSecret[]> {
  const rows = await method.sys.store.list(secretsOf(method, role));
  return rows.flatMap((row) => unlessExpired(method, toStoredSecret(...row)) ?? []);
}

/**
 * Parses login metadata: a JSON object whose values are all strings. Throws `malformed` otherwise.
 */
export function readMetadata(sent: string | undefined): Readonly<Record<string, string>> {
  if (sent === undefined || sent === "") return {};
  const refuse = (): never => {
    throw new CaError("malformed", "metadata must be a JSON object whose values are strings");
  };
  let value: unknown;
  try {
    value = JSON.parse(sent);
  } catch {
    refuse();
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) refuse();
  const entries = Object.entries(value ?? {});
  if (entries.some(([, one]) => typeof one !== "string")) refuse();
  return Object.fromEntries(entries);
}

/** Fields of a request for a new secret ID. */
export const secretFields = {
  metadata: withNormalForm(text, readMetadata).optional(
    "Metadata to attach to tokens issued for this secret ID: a JSON object whose values are strings.",
  ),
  cidr_list: withNormalForm(list, rangesForm).default(
    [],
    "Address ranges (CIDR) from which the secret ID may be used.",
  ),
  token_bound_cidrs: withNormalForm(list, rangesForm).default(
    [],
    "Address ranges (CIDR) from which tokens issued for this secret ID may be used.",
  ),
  num_uses: int.optional(
    "Number of times the secret ID may be used; 0 means unlimited. By default, the value of the role applies.",
  ),
  ttl: seconds.optional(
    "Lifetime of the secret ID; 0 means no expiry. By default, the value of the role applies.",
  ),
} as const;
/**
 * Returns the row of a new secret ID. Throws `malformed` if a value in the request exceeds the
 * role's value.
 */
export function newSecret(
  { sys: { ports } }: Method,
  role: Role,
  fields: Parsed<Omit<typeof secretFields, "metadata">> & {
    readonly metadata: Readonly<Record<string, string>>;
  },
): SecretRow {
  const { num_uses = role.secret_id_num_uses, ttl = role.secret_id_ttl } = fields;
  const refuse = (what: string): never => {
    throw new CaError("malformed", `${what} cannot exceed the role's value`);
  };
  if (num_uses < 0) throw new CaError("malformed", "num_uses cannot be negative");
  if (role.secret_id_num_uses > 0 && (num_uses === 0 || num_uses > role.secret_id_num_uses))
    refuse("num_uses");
  if (role.secret_id_ttl > 0 && (ttl === 0 || ttl > role.secret_id_ttl)) refuse("ttl");
  for (const [ranges, own] of [
    [role.secret_id_bound_cidrs, fields.cidr_list],
    [role.token_bound_cidrs, fields.token_bound_cidrs],
  ] as const)
    if (rangesWithin(ranges, own).length < own.length)
      throw new CaError(
        "malformed",
        "the address ranges must lie within the role's address ranges",
      );
  const now = Math.floor(ports.now() / 1000);
  return {
    accessor: uuid(ports.random),
    metadata: fields.metadata,
    cidr_list: fields.cidr_list,
    token_bound_cidrs: fields.token_bound_cidrs,
    num_uses,
    left: num_uses,
    ttl,
    created: now,
    updated: now,
    ...(ttl > 0 ? { expires: now + ttl } : {}),
  };
}

/** The fields of a secret ID in responses. */
export const secretReply = {
  secret_id_accessor: text.required(
    "Accessor, which identifies the secret ID without revealing it.",
  ),
  metadata: map.required("Metadata that is attached to tokens issued for this secret ID."),
  cidr_list: list.required("Address ranges (CIDR) from which the secret ID may be used."),
  token_bound_cidrs: list.required(
    "Address ranges (CIDR) from which tokens issued for this secret ID may be used.",
  ),
  secret_id_num_uses: int.required("Remaining uses; 0 means unlimited."),
  secret_id_ttl: int.required("Lifetime at creation in seconds; 0 means no expiry."),
  creation_time: text.required("Time at which the secret ID was created, RFC 3339."),
  last_updated_time: text.required(
    "Time at which the secret ID was last used, or created if it is unused, RFC 3339.",
  ),
  expiration_time: text.required(
    "Time at which the secret ID expires, RFC 3339; in the year 1 if it does not expire.",
  ),
} as const;
const neverEnds = "0001-01-01T00:00:00Z";
/** Returns a secret ID, formatted for responses. */
export const toSecretReply = (secret: SecretRow): Parsed<typeof secretReply> => ({
  secret_id_accessor: secret.accessor,
  metadata: secret.metadata,
  cidr_list: secret.cidr_list,
  token_bound_cidrs: secret.token_bound_cidrs,
  secret_id_num_uses: secret.left,
  secret_id_ttl: secret.ttl,
  creation_time: rfc3339nano(secret.created * 1000),
  last_updated_time: rfc3339nano(secret.updated * 1000),
  expiration_time: secret.expires === undefined ? neverEnds : rfc3339nano(secret.expires * 1000),
});
