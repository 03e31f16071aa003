import { fromHex } from "../../base/bytes.ts";
import type { Mount } from "../../engine/mount.ts";
import { rowPrefixes } from "../rows/records.ts";
import { storeExpiry, storedExpiry } from "./revocation-expiry.ts";
import { expiredBy, type Sweep } from "./sweep.ts";

/**
 * Returns the position of the sweep after a certificate: the certificate's expiry (Unix seconds),
 * or undefined if it is unknown.
 */
const placeAt = async (mount: Mount, key: string): Promise<number | undefined> =>
  storedExpiry(mount, fromHex(key.slice(rowPrefixes.certs.length)));

/**
 * The sweep that removes expired certificates. It finds them with the index on notAfter, so that
 * other certificates are not read. Revocations of removed certificates stay; the expiry is stored
 * in them.
 */
export const certSweep: Sweep = {
  name: "tidy_cert_store",
  step: async ({ mount, settings, now, counts, at, limit }) => {
    const end = expiredBy(now, settings.safety_buffer);
    const listed = async (from: number): Promise<readonly string[]> => {
      const by = { name: "not_after", from, to: end, anyOrder: true };
      const page = { by, limit, values: false };
      return (await mount.store.list(rowPrefixes.certs, page)).map(([key]) => key);
    };
    const from = typeof at === "number" ? at : 0;
    // certificates before this position have been deleted; a last pass finds rows whose index value
    // differs from the expiry of the certificate
    const some = from > end ? [] : await listed(from);
    const names =
      some.length < limit && from > 0
        ? [...new Set([...some, ...(await listed(0))])].slice(0, limit)
        : some;
    const done = counts.cert_store_deleted_count + names.length;
    const retained = await storeExpiry(
      mount,
      names.map((key) => rowPrefixes.revoked + key.slice(rowPrefixes.certs.length)),
      end,
    );
    const isDone = names.length < limit;
    const last = some.at(-1);
    const next = isDone || last === undefined ? undefined : await placeAt(mount, last);
    return {
      message: `Tidying certificate store: checking entry ${done} of ${done}`,
      counts: { cert_store_deleted_count: names.length },
      ...(names.length === 0 ? {} : { batch: { ...retained, del: names } }),
      ...(isDone ? {} : { at: next ?? 0 }),
    };
  },
};
