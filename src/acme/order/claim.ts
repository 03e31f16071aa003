import { fromHex } from "../../base/bytes.ts";
import { pause } from "../../base/event-loop.ts";
import { uuid } from "../../base/ids.ts";
import type { Job } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch } from "../../engine/ports.ts";
import { keys, storedPki } from "../../pki/rows/records.ts";
import { acmeClaim } from "../rows/prefixes.ts";
import { acmeKeys, type OrderClaim, type OrderRow, storedAcme } from "../rows/records.ts";
import { orderPut } from "./order-row.ts";
import { replacement } from "./replacement.ts";

// In a partitioned mount, an external policy may choose a serial number whose certificate belongs
// to a different partition from the order. Finalizing then takes three commits: the order gets a
// claim, the certificate is stored, and the order becomes valid. The claim is settled by the
// request itself, by the next request for the order, or by a job.

/** Delay in ms of the job that settles a claim. */
const settlingDelay = 60_000;

/**
 * Returns the rows that claim an order for a certificate that the next commit stores. `valid` is
 * the row of the order with that certificate.
 */
export function claimOrder(
  { ports }: Mount,
  id: string,
  { before, valid }: { readonly before: OrderRow; readonly valid: OrderRow },
): Required<Pick<Batch, "put">> & { readonly claim: OrderClaim } {
  const { serial = "", ends = 0, warnings } = valid;
  const claim = {
    id: uuid(ports.random),
    serial,
    ends,
    ...(warnings ? { warnings } : {}),
  };
  const now = ports.now();
  return {
    claim,
    put: [
      orderPut(id, { ...before, claim }),
      jobRow({ due: now + settlingDelay, now }, acmeClaim, id),
    ],
  };
}

/**
 * Stores the certificate of a claimed order and makes the order valid. Returns "again" if the
 * configuration or the order has changed. In that case, nothing is stored and the claim is removed.
 */
export async function storeClaimed(
  mount: Mount,
  order: string,
  { claim, certificate }: { readonly claim: OrderClaim; readonly certificate: Batch },
): Promise<"again" | undefined> {
  const stored = await mount.storeContext.commit(certificate);
  if (!stored) mount.forget();
  const serial = await closeClaim(mount, order, claim.id);
  return stored && serial === claim.serial ? undefined : "again";
}

/** Delays in ms between reads of a claimed order, doubled up to the maximum. */
const [firstDelay, maxDelay] = [5, 640];

/**
 * Settles the claim that another request has on an order. Waits about a second for that request,
 * and then prevents it from storing its certificate.
 */
export async function settleClaim(mount: Mount, order: string): Promise<void> {
  for (let delay = firstDelay; delay <= maxDelay; delay *= 2) {
    if (!(await claimOf(mount, order))) return;
    await pause(delay);
  }
  await endClaim(mount, order);
}

/** Settles the claims of requests that were interrupted. */
export const claimJob: Job = {
  kind: acmeClaim,
  of: "mount",
  budget: 1,
  step: async (mount, id) => {
    await endClaim(mount, id);
    return undefined;
  },
};

async function endClaim(mount: Mount, order: string): Promise<void> {
  const claim = await claimOf(mount, order);
  if (!claim) return;
  // A certificate is stored only at the epoch of its decision, so after this commit it is either
  // stored or never will be. `self` is used because the audit entry of the request belongs to the
  // request's own change.
  await mount.self.storeContext.commit({ epoch: "next" });
  mount.forget();
  await closeClaim(mount, order, claim.id);
}

async function claimOf(mount: Mount, order: string): Promise<OrderClaim | undefined> {
  const [row] = await mount.store.get([acmeKeys.order(order)]);
  return row && storedAcme.order(row.value).claim;
}

/**
 * Makes an order valid if the certificate of its claim is stored, and otherwise removes the claim.
 * Returns the serial number of the order's certificate, if it has one.
 */
function closeClaim(mount: Mount, id: string, claimId: string): Promise<string | undefined> {
  const { storeContext } = mount.self;
  return storeContext.change(async () => {
    const key = acmeKeys.order(id);
    const [row] = await mount.store.get([key]);
    if (!row) return { reply: undefined };
    const { claim, ...before } = storedAcme.order(row.value);
    if (claim?.id !== claimId) return { reply: before.serial };
    const [stored] = await mount.store.get([keys.cert(fromHex(claim.serial))]);
    const isOwn = stored !== undefined && storedPki.cert(stored.value).acme?.order === id;
    if (!isOwn)
      return { reply: undefined, batch: { expect: [[key, row.rev]], put: [orderPut(id, before)] } };
    const { id: _, ...issued } = claim;
    const replaced = await replacement(mount.store, id, before);
    return {
      reply: claim.serial,
      batch: {
        expect: [[key, row.rev], ...replaced.expect],
        put: [orderPut(id, { ...before, status: "valid", ...issued }), ...replaced.put],
      },
    };
  });
}
