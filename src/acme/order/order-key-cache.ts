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

function recordKeys(ca: Mount, name: string, keys: readonly string[]): void {
  const orders = keysByOrder(ca);
  if (keys.length > maxRows || orders.has(name)) return;
  if (orders.size >= maxOrders) orders.clear();
  orders.set(name, keys);
}
const ofCertificate = (order: string): string => `${order}/cert`;

/** Caches the IDs of an order's authorizations. */
export const noteAuthorizations = (ca: Mount, order: string, ids: readonly string[]): void =>
  recordKeys(ca, order, ids.map(acmeKeys.authz));
/** Caches the key of an order's certificate. */
export const noteCertificate = (ca: Mount, order: string, key: string): void =>
  recordKeys(ca, ofCertificate(order), [key]);

/** Returns the keys of an order and its cached authorizations. */
export const orderKeys = (ca: Mount, order: string): readonly string[] => [
  acmeKeys.order(order),
  ...(keysByOrder(ca).get(order) ?? []),
];
/** Returns the keys of an order and, if cached, its certificate. */
export const certificateKeys = (ca: Mount, order: string): readonly string[] => [
  acmeKeys.order(order),
  ...(keysByOrder(ca).get(ofCertificate(order)) ?? []),
];
