import { fromHex } from "../../base/bytes.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Page } from "../../engine/ports.ts";
import { below } from "../../engine/records.ts";
import { keepEnds, storedEnd } from "./revoked-end.ts";
import { endedBy, type Sweep } from "./sweep.ts";

/** Where the sweep is: at a certificate and its end, Unix seconds. */
interface Place {
  readonly from: number;
  readonly key: string;
}
const begin: Place = { from: 0, key: "" };
type Span = NonNullable<Page["by"]>;
async function placeAt(ca: Mount, key: string): Promise<Place | undefined> {
  const from = await storedEnd(ca, fromHex(key.slice(below.certs.length)));
  return from === undefined ? undefined : { from, key };
}

/**
 * Removes certificates that have ended, found by the index of their ends: what stays costs nothing.
 * Their revocations have ends of their own and stay.
 */
export const certSweep: Sweep = {
  name: "tidy_cert_store",
  step: async ({ ca, settings, now, counts, at, limit }) => {
    const end = endedBy(now, settings.safety_buffer);
    const listed = async (by: Omit<Span, "name">): Promise<readonly string[]> => {
      const page = { by: { name: "not_after", ...by }, limit, values: false };
      return (await ca.store.list(below.certs, page)).map(([key]) => key);
    };
    const { from, key } = at === undefined ? begin : (at as Place);
    // those of one end first: a role may give all its certificates the same
    const same =
      key === "" || from > end ? [] : await listed({ from, to: from, after: [from, key] });
    // all of before is gone, and other rows with such ends need not be passed by again; but for a
    // last look: what its index puts elsewhere than its certificate
    const some = same.length === limit ? same : await listed({ from, to: end });
    const names =
      some.length < limit && from > 0
        ? [...new Set([...some, ...(await listed({ from: 0, to: end }))])].slice(0, limit)
        : some;
    const done = counts.cert_store_deleted_count + names.length;
    const kept = await keepEnds(
      ca,
      names.map((key) => below.revoked + key.slice(below.certs.length)),
      end,
    );
    const isDone = names.length < limit;
    const last = some.at(-1);
    const next = isDone || last === undefined ? undefined : await placeAt(ca, last);
    return {
      message: `Tidying certificate store: checking entry ${done} of ${done}`,
      counts: { cert_store_deleted_count: names.length },
      ...(names.length === 0 ? {} : { batch: { ...kept, del: names } }),
      ...(isDone ? {} : { at: next ?? begin }),
    };
  },
};
