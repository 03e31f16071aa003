import { toBase64Url } from "../../base/bytes.ts";
import { rfc3339 } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import type { MountIndex } from "../../base/mount-indexes.ts";
import type { Expect, Ports, Row, Store } from "../../engine/ports.ts";
import { acmeBelow } from "../rows/prefixes.ts";
import {
  acmeKeys,
  authzIndex,
  orderIndex,
  type AcmeIdentifier,
  type AuthzRow,
  type OrderRow,
  storedAcme,
} from "../rows/records.ts";
import { retentionSeconds } from "../validation/authz-put.ts";
import { challengeTypes } from "../validation/challenge-table.ts";
import { isWildcard } from "../validation/challenge-type.ts";
import { memoize } from "../../base/memo.ts";
import type { Mount } from "../../engine/mount.ts";

/** Maximum lifetime of an order, in seconds. */
export const orderLife = 24 * 3600;

/** A stored row with its ID and revision. */
export interface StoredRecord<T> {
  readonly id: string;
  readonly rev: number;
  readonly row: T;
}
/** An order and its stored authorizations, listed in the same sequence as its identifiers. */
export interface WholeOrder extends StoredRecord<OrderRow> {
  readonly authorizations: readonly StoredRecord<AuthzRow>[];
}
/** The owner of orders: an account in a directory. An account can access only its own orders. */
export interface OrderOwner {
  readonly account: string;
  readonly directory: string;
}

const readOf = <T>(id: string, row: Row, read: (value: unknown) => T): StoredRecord<T> => ({
  id,
  rev: row.rev,
  row: read(row.value),
});
/**
 * Returns the row if it belongs to the owner; a row of another owner causes the same error as a
 * missing row.
 */
function owned<T extends OrderOwner>(
  what: string,
  record: StoredRecord<T> | undefined,
  { account, directory }: OrderOwner,
): StoredRecord<T> {
  if (!record || record.row.account !== account || record.row.directory !== directory)
    throw new CaError("malformed", `the account has no ${what} with this id in this directory`);
  return record;
}

/** The ID of an order in a request, and its stored row, if any. */
interface OrderReference {
  readonly id: string;
  readonly row: Row | undefined;
}
/**
 * Returns the row of one of the account's orders. Throws `malformed` for any other order (B 5.9).
 */
export const ownOrderRow = (
  { id, row }: OrderReference,
  owner: OrderOwner,
): StoredRecord<OrderRow> => owned("order", row && readOf(id, row, storedAcme.order), owner);
/**
 * Returns an order of the account with its authorizations. Throws `malformed` for any other order.
 */
export async function ownOrder(
  get: Store["get"],
  named: OrderReference,
  owner: OrderOwner,
): Promise<WholeOrder> {
  const order = ownOrderRow(named, owner);
  return { ...order, authorizations: await readAuthorizations(get, order.row.authorizations) };
}
/** Reads the existing authorizations with the given IDs in one call. */
async function readAuthorizations(
  get: Store["get"],
  ids: readonly string[],
): Promise<readonly StoredRecord<AuthzRow>[]> {
  const rows = await get(ids.map(acmeKeys.authz));
  const authorizations: StoredRecord<AuthzRow>[] = [];
  for (const [at, id] of ids.entries()) {
    const row = rows[at];
    if (row) authorizations.push(readOf(id, row, storedAcme.authz));
  }
  return authorizations;
}
/**
 * Reads orders of any account with their authorizations. `listed` contains the rows of a listing.
 */
export async function wholeOrders(
  store: Store,
  listed: readonly (readonly [key: string, row: Row])[],
): Promise<readonly WholeOrder[]> {
  const orders = listed.map(([key, row]) =>
    readOf(key.slice(acmeBelow.orders.length), row, storedAcme.order),
  );
  const ids = orders.flatMap(({ row }) => row.authorizations);
  const read = await readAuthorizations((keys) => store.get(keys), ids);
  const byId = new Map(read.map((one) => [one.id, one]));
  return orders.map((order) => ({
    ...order,
    authorizations: order.row.authorizations.flatMap((id) => byId.get(id) ?? []),
  }));
}
/** Returns an authorization of the account. Throws `malformed` for any other authorization. */
export function ownAuthorization(
  id: string,
  row: Row | undefined,
  owner: OrderOwner,
): StoredRecord<AuthzRow> {
  return owned("authorization", row && readOf(id, row, storedAcme.authz), owner);
}

/**
 * Reports whether an authorization can no longer become or stay valid at a time (Unix seconds): it
 * failed, was deactivated, or has expired (RFC 8555 section 7.1.6).
 */
export const hasFailed = ({ status, expires }: AuthzRow, now: number): boolean =>
  (status !== "pending" && status !== "valid") || expires <= now;
/** Reports whether an authorization is valid and unexpired at a time (Unix seconds). */
const proves = ({ row }: StoredRecord<AuthzRow>, now: number): boolean =>
  row.status === "valid" && row.expires > now;
/** Returns the status of an order at a time in Unix seconds (B 5.9). */
export function statusOf(
  { row, authorizations }: WholeOrder,
  now: number,
): "pending" | "ready" | "valid" | "invalid" {
  if (row.status === "valid") return "valid";
  if (row.expires <= now || authorizations.length < row.identifiers.length) return "invalid";
  if (authorizations.every((one) => proves(one, now))) return "ready";
  return authorizations.some(({ row }) => hasFailed(row, now)) ? "invalid" : "pending";
}
/** Returns the preconditions of a change that depends on an order. */
export const expectOrder = ({ id, rev, authorizations }: WholeOrder): readonly Expect[] => [
  [acmeKeys.order(id), rev],
  ...authorizations.map((one): Expect => [acmeKeys.authz(one.id), one.rev]),
];

/**
 * Returns an order object for a response (B 5.9). `url` returns the URL of a path under the
 * directory.
 */
export function orderObject(order: WholeOrder, now: number, url: (suffix: string) => string) {
  const { id, row, authorizations } = order;
  const status = statusOf(order, now);
  const isOver = status === "valid" || status === "invalid";
  const listed = isOver
    ? authorizations.filter((one) => one.row.status === "valid").map((one) => one.id)
    : row.authorizations;
  return {
    status,
    expires: rfc3339(row.expires),
    identifiers: row.identifiers,
    ...(row.profile === undefined ? {} : { profile: row.profile }),
    ...(row.not_after === undefined ? {} : { notAfter: rfc3339(row.not_after) }),
    ...(row.replaces === undefined ? {} : { replaces: row.replaces }),
    ...(row.warnings ? { warnings: row.warnings } : {}),
    authorizations: listed.map((one) => url(`/authorization/${one}`)),
    finalize: url(`/order/${id}/finalize`),
    ...(status === "valid" ? { certificate: url(`/order/${id}/cert`) } : {}),
  };
}

/** A row to put in a batch. */
type Put<T> = readonly [key: string, row: T, index: MountIndex];
/**
 * Returns the row of an order for a batch. `end` is the time from which the row may be removed
 * (Unix seconds); the default follows from the order's expiry.
 */
export const orderPut = (
  id: string,
  row: OrderRow,
  end = row.expires + retentionSeconds,
): Put<OrderRow> => [acmeKeys.order(id), row, orderIndex(row, end)];
/** Returns the row of an authorization without a pending validation, for a batch. */
export const authorizationPut = (id: string, row: AuthzRow): Put<AuthzRow> => [
  acmeKeys.authz(id),
  row,
  authzIndex(row.expires + retentionSeconds),
];

/** Length of a token in bytes (B 5.10). */
const tokenLength = 21;
/**
 * Returns a new authorization for an identifier of an order. If `preauthorized`, it has no
 * challenges, because the account's binding authorizes it.
 */
export function newAuthorization(
  { random }: Pick<Ports, "random">,
  identifier: AcmeIdentifier,
  {
    preauthorized,
    types,
    ...of
  }: Pick<AuthzRow, "account" | "order" | "directory" | "expires"> & {
    readonly preauthorized: boolean;
    /** Names of the challenge types to offer. */
    readonly types: readonly string[];
  },
): AuthzRow {
  const wildcard = isWildcard(identifier);
  const name = wildcard ? { ...identifier, value: identifier.value.slice(2) } : identifier;
  const row = { ...of, identifier: name, wildcard };
  if (preauthorized) return { ...row, status: "valid", challenges: [], preauthorized };
  const offered = challengeTypes.filter(
    (type) => types.includes(type.name) && type.isOfferedFor(identifier),
  );
  if (offered.length === 0)
    throw new CaError(
      "rejected_identifier",
      `no challenge type that the server offers can validate ${identifier.value}`,
    );
  return {
    ...row,
    status: "pending",
    challenges: offered.map(({ name: type, hasToken = true }) => ({
      type,
      token: hasToken ? toBase64Url(random(tokenLength)) : "",
      status: "pending",
      attempts: 0,
    })),
  };
}

/** Cache limits: number of orders, and of row keys per order. */
const [maxOrders, maxRows] = [1000, 8];
/**
 * Cached keys of the rows that belong to an order, so that one call reads the order and these rows.
 * The keys are only hints: the order determines its rows, and missing rows are read afterwards.
 */
const keysByOrder = memoize((_mount: Mount) => new Map<string, readonly string[]>());

function recordKeys(mount: Mount, name: string, keys: readonly string[]): void {
  const orders = keysByOrder(mount);
  if (keys.length > maxRows || orders.has(name)) return;
  if (orders.size >= maxOrders) orders.clear();
  orders.set(name, keys);
}
const ofCertificate = (order: string): string => `${order}/cert`;

/** Caches the IDs of an order's authorizations. */
export const noteAuthorizations = (mount: Mount, order: string, ids: readonly string[]): void =>
  recordKeys(mount, order, ids.map(acmeKeys.authz));
/** Caches the key of an order's certificate. */
export const noteCertificate = (mount: Mount, order: string, key: string): void =>
  recordKeys(mount, ofCertificate(order), [key]);

/** Returns the keys of an order and its cached authorizations. */
export const orderKeys = (mount: Mount, order: string): readonly string[] => [
  acmeKeys.order(order),
  ...(keysByOrder(mount).get(order) ?? []),
];
/** Returns the keys of an order and, if cached, its certificate. */
export const certificateKeys = (mount: Mount, order: string): readonly string[] => [
  acmeKeys.order(order),
  ...(keysByOrder(mount).get(ofCertificate(order)) ?? []),
];
