import { toBase64, utf8 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import { rowsBeside } from "../../engine/placement.ts";
import type { Expect, Row, Store } from "../../engine/ports.ts";
import type { Role } from "../../pki/leaf/role.ts";
import type { Caller } from "../../wire/endpoint.ts";
import {
  acmeKeys,
  type AccountRow,
  type AuthzRow,
  type BindingRow,
  type OrderRow,
  storedAcme,
} from "../rows/records.ts";
import { isAllowed } from "./allowed-identifiers.ts";
import type { StoredRecord, WholeOrder } from "./order-row.ts";

/** An external account binding with limits, as it applies to an account. */
export interface AccountBinding {
  readonly id: string;
  /** Undefined if the stored row is missing, in which case nothing is allowed. */
  readonly row: BindingRow | undefined;
  /** The precondition of a change that depends on the limits; see `expectLimits`. */
  readonly expect: Expect;
}

/** Reads the limits of an account's binding. Returns undefined if the account has no limits. */
export async function readBinding(
  get: Store["get"],
  { eab }: Pick<AccountRow, "eab">,
): Promise<AccountBinding | undefined> {
  if (!eab?.limited) return undefined;
  const [row] = await get([acmeKeys.binding(eab.id)]);
  return bindingIn(eab.id, row);
}
const bindingIn = (id: string, row: Row | undefined): AccountBinding => ({
  id,
  row: row && storedAcme.binding(row.value),
  expect: [acmeKeys.binding(id), row?.rev ?? null],
});

const refuse = (why: string): CaError =>
  new CaError("acme_forbidden", `the external account binding of the account ${why}`);

/** Reports whether a binding is neither revoked nor expired at a time (Unix seconds). */
export const isCurrent = ({ revoked, expires = Infinity }: BindingRow, now: number): boolean =>
  revoked === undefined && expires > now;

/**
 * Reads the limits of an account that requests a certificate, and adds the binding to log and audit
 * events. Throws `acme_forbidden` if the binding was revoked or has expired. `now`: Unix seconds.
 */
export async function currentBinding(
  get: Store["get"],
  { account, caller }: { readonly account: Pick<AccountRow, "eab">; readonly caller: Caller },
  now: number,
): Promise<(AccountBinding & { readonly row: BindingRow }) | undefined> {
  const binding = await readBinding(get, account);
  if (!binding) return undefined;
  const { id, row, expect } = binding;
  caller.audit.note({ binding: id, ...metadataNote(row) });
  if (!row) throw refuse("no longer exists");
  if (row.revoked !== undefined) throw refuse("was revoked");
  if (!isCurrent(row, now)) throw refuse("has expired");
  return { id, row, expect };
}
/**
 * Returns the precondition that the limits of an account are unchanged. In a partitioned mount,
 * they may be in another partition than the account, and a change of them then changes the epoch,
 * which every order expects.
 */
export const expectLimits = (
  { store }: Pick<Mount, "store">,
  account: string,
  binding: AccountBinding | undefined,
): readonly Expect[] =>
  binding ? rowsBeside(store, acmeKeys.account(account), [binding.expect]) : [];

/** Returns a binding's metadata as a field for log and audit events. */
export const metadataNote = (
  row: Pick<BindingRow, "metadata"> | undefined,
): Readonly<Record<string, string>> =>
  row?.metadata ? { binding_metadata: JSON.stringify(row.metadata) } : {};

/** Returns the profile of an order. A binding with a role allows only that role. */
export function profileWithin(
  binding: AccountBinding | undefined,
  profile: string | undefined,
): string | undefined {
  const role = binding?.row?.role;
  if (role === undefined) return profile;
  if (profile !== undefined && profile !== role)
    throw new CaError(
      "invalid_profile",
      `the external account binding of the account allows only the profile ${role}`,
    );
  return role;
}

/**
 * Rejects an order that the limits no longer allow, because they were tightened after it was
 * created.
 */
export function requireWithin(
  { row: { role, allowed_identifiers } }: { readonly row: BindingRow },
  { profile, identifiers }: OrderRow,
): void {
  if (role !== undefined && profile !== role) throw refuse(`allows only the profile ${role}`);
  const stray = identifiers.find((one) => !isAllowed(allowed_identifiers, one));
  if (stray) throw refuse(`does not allow ${stray.value}`);
}

/**
 * Returns an authorization. Its status is `revoked` if a binding preauthorized it and no longer
 * allows it.
 */
export function authorizationWithin(
  authorization: StoredRecord<AuthzRow>,
  binding: AccountBinding | undefined,
  now: number,
): StoredRecord<AuthzRow> {
  const { row } = authorization;
  if (!row.preauthorized || row.status !== "valid") return authorization;
  const { type, value } = row.identifier;
  const named = { type, value: row.wildcard ? `*.${value}` : value };
  const limits = binding?.row;
  return limits?.preauthorized &&
    isCurrent(limits, now) &&
    isAllowed(limits.allowed_identifiers, named)
    ? authorization
    : { ...authorization, row: { ...row, status: "revoked" } };
}
/** Returns an order with its authorizations as they are under the current limits of its account. */
export const orderWithin = (
  order: WholeOrder,
  binding: AccountBinding | undefined,
  now: number,
): WholeOrder => ({
  ...order,
  authorizations: order.authorizations.map((one) => authorizationWithin(one, binding, now)),
});

/**
 * Returns the given orders, which may belong to different accounts, with their authorizations as
 * they are under the current limits.
 */
export async function ordersWithin(
  get: Store["get"],
  orders: readonly WholeOrder[],
  now: number,
): Promise<readonly WholeOrder[]> {
  const limited = orders.filter(({ authorizations }) =>
    authorizations.some(({ row }) => row.preauthorized),
  );
  if (limited.length === 0) return orders;
  const accounts = [...new Set(limited.map(({ row }) => row.account))];
  const ids = (await get(accounts.map(acmeKeys.account))).map(
    (row) => storedAcme.account(row?.value).eab?.id ?? "",
  );
  const rows = await get(ids.map(acmeKeys.binding));
  const bindings = new Map(
    accounts.map((account, at) => [account, bindingIn(ids[at] ?? "", rows[at])]),
  );
  return orders.map((order) => orderWithin(order, bindings.get(order.row.account), now));
}

/**
 * Returns the metadata to store with a certificate, in base64, as `cert-metadata` returns it.
 * Returns undefined if there is none to store.
 */
export const certificateMetadata = (
  binding: AccountBinding | undefined,
  { no_store_metadata }: Pick<Role, "no_store_metadata">,
): string | undefined =>
  binding?.row?.metadata && !no_store_metadata
    ? toBase64(utf8(JSON.stringify(binding.row.metadata)))
    : undefined;
