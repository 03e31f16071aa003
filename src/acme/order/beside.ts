import { memoize } from "../../base/memo.ts";
import type { Mount } from "../../engine/mount.ts";
import { selfOf } from "../../engine/store-context.ts";
import { acmeKeys } from "../rows/records.ts";

/** Orders, and rows of one, that are known so. */
const [maxOrders, maxRows] = [1000, 8];
/**
 * Keys of rows that go with an order, as requests before have found them: with them the order is
 * read in one call. They are where to look and nothing else. Whether those rows are the ones, the
 * order says, and what is not among them is read after it.
 */
const known = memoize((_ca: Mount) => new Map<string, readonly string[]>(), selfOf);

function note(ca: Mount, name: string, keys: readonly string[]): void {
  const orders = known(ca);
  if (keys.length > maxRows || orders.has(name)) return;
  if (orders.size >= maxOrders) orders.clear();
  orders.set(name, keys);
}
const ofCertificate = (order: string): string => `${order}/cert`;

/** Notes which authorizations an order has. */
export const noteAuthorizations = (ca: Mount, order: string, ids: readonly string[]): void =>
  note(ca, order, ids.map(acmeKeys.authz));
/** Notes under which key the certificate of an order is stored. */
export const noteCertificate = (ca: Mount, order: string, key: string): void =>
  note(ca, ofCertificate(order), [key]);

/** Keys of an order and, as far as they are known, of its authorizations. */
export const orderKeys = (ca: Mount, order: string): readonly string[] => [
  acmeKeys.order(order),
  ...(known(ca).get(order) ?? []),
];
/** Keys of an order and, where it is known, of its certificate. */
export const certificateKeys = (ca: Mount, order: string): readonly string[] => [
  acmeKeys.order(order),
  ...(known(ca).get(ofCertificate(order)) ?? []),
];
