import { toBase64Url } from "../../base/bytes.ts";
import { rfc3339 } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import type { Expect, Index, Ports, Row, Store } from "../../engine/ports.ts";
import {
  acmeBelow,
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

/** How long an order may take, seconds. */
export const orderLife = 24 * 3600;

/** A row that was read, with its id and revision. */
export interface StoredRow<T> {
  readonly id: string;
  readonly rev: number;
  readonly row: T;
}
/** An order with its authorizations, in the order of its identifiers, but for those removed. */
export interface WholeOrder extends StoredRow<OrderRow> {
  readonly authorizations: readonly StoredRow<AuthzRow>[];
}
/** Whose objects a request may see: those of its account, in its directory. */
export interface OrderOwner {
  readonly account: string;
  readonly directory: string;
}

const readOf = <T>(id: string, row: Row, read: (value: unknown) => T): StoredRow<T> => ({
  id,
  rev: row.rev,
  row: read(row.value),
});
/** The same answer for what is not there and for what is somebody else's. */
function owned<T extends OrderOwner>(
  what: string,
  found: StoredRow<T> | undefined,
  { account, directory }: OrderOwner,
): StoredRow<T> {
  if (!found || found.row.account !== account || found.row.directory !== directory)
    throw new CaError("malformed", `the account has no ${what} of this id in this directory`);
  return found;
}

/** What a request names an order by; `row`: what the store has of it. */
interface Named {
  readonly id: string;
  readonly row: Row | undefined;
}
/** The row of an order of the account. Refuses (`malformed`) any other (B 5.9). */
export const ownOrderRow = ({ id, row }: Named, owner: OrderOwner): StoredRow<OrderRow> =>
  owned("order", row && readOf(id, row, storedAcme.order), owner);
/** An order of the account with its authorizations. Refuses (`malformed`) any other. */
export async function ownOrder(
  get: Store["get"],
  named: Named,
  owner: OrderOwner,
): Promise<WholeOrder> {
  const found = ownOrderRow(named, owner);
  return { ...found, authorizations: await authorizationsOf(get, found.row) };
}
const authorizationsOf = async (
  get: Store["get"],
  order: OrderRow,
): Promise<readonly StoredRow<AuthzRow>[]> => (await eachAuthorizations(get, [order]))[0] ?? [];
/** The authorizations of each of some orders, but for those removed, in one read. */
async function eachAuthorizations(
  get: Store["get"],
  orders: readonly OrderRow[],
): Promise<readonly (readonly StoredRow<AuthzRow>[])[]> {
  const ids = orders.flatMap((order) => order.authorizations);
  const rows = await get(ids.map(acmeKeys.authz));
  const found = new Map(
    rows.flatMap((row, at): [string, StoredRow<AuthzRow>][] => {
      const id = ids[at] ?? "";
      return row ? [[id, readOf(id, row, storedAcme.authz)]] : [];
    }),
  );
  return orders.map((order) => order.authorizations.flatMap((id) => found.get(id) ?? []));
}
/** Orders of any account with their authorizations; `listed`: the rows of a listing. */
export async function wholeOrders(
  store: Store,
  listed: readonly (readonly [key: string, row: Row])[],
): Promise<readonly WholeOrder[]> {
  const orders = listed.map(([key, row]) =>
    readOf(key.slice(acmeBelow.orders.length), row, storedAcme.order),
  );
  const authorizations = await eachAuthorizations(
    (keys) => store.get(keys),
    orders.map(({ row }) => row),
  );
  return orders.map((order, at) => ({ ...order, authorizations: authorizations[at] ?? [] }));
}
/** An authorization of the account. Refuses (`malformed`) any other. */
export function ownAuthorization(
  id: string,
  row: Row | undefined,
  owner: OrderOwner,
): StoredRow<AuthzRow> {
  return owned("authorization", row && readOf(id, row, storedAcme.authz), owner);
}

/** Whether an authorization proves its identifier at a time, Unix seconds. */
const proves = ({ row }: StoredRow<AuthzRow>, now: number): boolean =>
  row.status === "valid" && row.expires > now;
/** What an order is at a time, Unix seconds (B 5.9). */
export function statusOf(
  { row, authorizations }: WholeOrder,
  now: number,
): "pending" | "ready" | "valid" | "invalid" {
  if (row.status === "valid") return "valid";
  if (row.expires <= now || authorizations.length < row.identifiers.length) return "invalid";
  if (authorizations.every((one) => proves(one, now))) return "ready";
  return authorizations.some(({ row: { status } }) => status !== "pending" && status !== "valid")
    ? "invalid"
    : "pending";
}
/** What a change that rests on an order expects of its rows. */
export const expectOrder = ({ id, rev, authorizations }: WholeOrder): readonly Expect[] => [
  [acmeKeys.order(id), rev],
  ...authorizations.map((one): Expect => [acmeKeys.authz(one.id), one.rev]),
];

/** An order as an answer shows it; `url` spells an address below the directory (B 5.9). */
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

/** A row as a batch puts it. */
type Put<T> = readonly [key: string, row: T, index: Index];
/** An order to be stored; `end`: when it may be removed, unless as usual. */
export const orderPut = (
  id: string,
  row: OrderRow,
  end = row.expires + retentionSeconds,
): Put<OrderRow> => [acmeKeys.order(id), row, orderIndex(row, end)];
/** An authorization to be stored, without a validation that waits. */
export const authorizationPut = (id: string, row: AuthzRow): Put<AuthzRow> => [
  acmeKeys.authz(id),
  row,
  authzIndex(row.expires + retentionSeconds),
];

/** Bytes of a token (B 5.10). */
const tokenLength = 21;
/** A new authorization for an identifier of an order. */
export function newAuthorization(
  { random }: Pick<Ports, "random">,
  identifier: AcmeIdentifier,
  of: Pick<AuthzRow, "account" | "order" | "directory" | "expires">,
): AuthzRow {
  const wildcard = isWildcard(identifier);
  const offered = challengeTypes.filter((type) => type.isOfferedFor(identifier));
  return {
    ...of,
    identifier: wildcard ? { ...identifier, value: identifier.value.slice(2) } : identifier,
    wildcard,
    status: "pending",
    challenges: offered.map(({ name }) => ({
      type: name,
      token: toBase64Url(random(tokenLength)),
      status: "pending",
      attempts: 0,
    })),
  };
}
