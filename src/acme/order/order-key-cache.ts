import { memoize } from "../../base/memo.ts";
import type { Mount } from "../../engine/mount.ts";
import { acmeKeys } from "../rows/records.ts";

/** Cache limits: number of orders, and of row keys per order. */
const [maxOrders, maxRows] = [1000, 8];
/**
 * Cached keys of the rows that belong to an order, so that one call reads the order and these rows.
 * The keys are only hints: the order determines its rows, and missing rows are read afterwards.
 */
const keysByOrder = memoize((_ca: Mount) => new Map<string, readonly string[]>());

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
