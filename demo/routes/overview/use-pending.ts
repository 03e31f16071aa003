import { issuersIn } from "../../api/inventory-search.ts";
import { stateOf, type Authority } from "../../api/issuer.ts";
import * as pki from "../../api/endpoints/pki.ts";
import { missingPermission } from "../../api/permissions.ts";
import { roles } from "../../api/roles.ts";
import { lazyLoad } from "../../lib/lazy-load.ts";
import { useLoad, type Loaded } from "../../lib/use-load.ts";
import type { DistrustedCertificates } from "./distrusted.ts";
import { countExpiring, type ExpiryForecast } from "./expiring.ts";
import type { OtherMount } from "./other-mount.ts";
import { ending, pendingIssuers, type Ending, type PendingIssuer } from "./pending-actions.ts";

const otherMounts = lazyLoad(() => import("./other-mount.ts"));
const distrustedCas = lazyLoad(() => import("./distrusted.ts"));

/** The CAs and certificates that need action. */
export interface Pending {
  readonly issuers: readonly PendingIssuer[];
  readonly distrusted: readonly DistrustedCertificates[];
  readonly elsewhere: NonNullable<ExpiryForecast["elsewhere"]>;
  readonly soon: Ending;
  readonly otherMount: OtherMount | undefined;
  /**
   * Number of certificates that need action; undefined until the CAs are known and the certificates
   * have been counted.
   */
  readonly certificates: number | undefined;
}

interface PendingOfIssuers {
  readonly issuers: readonly PendingIssuer[];
  readonly distrusted: readonly DistrustedCertificates[];
}
/** Returns the CAs that need action, and the numbers of valid certificates from distrusted CAs. */
async function readPending(
  all: readonly Authority[],
  now: Date,
  counts: boolean,
): Promise<PendingOfIssuers> {
  if (all.every((one) => stateOf(one, now) === "valid")) return { issuers: [], distrusted: [] };
  const named = missingPermission(pki.listRoles) === "" ? await roles() : [];
  const { countDistrusted } = await distrustedCas();
  return {
    issuers: pendingIssuers(all, named, now),
    distrusted: counts ? await countDistrusted(all, { issuers: issuersIn(all), now }) : [],
  };
}

const never = <T>(): Promise<T> => new Promise(() => {});

/**
 * Returns the expiry forecast, and the CAs and certificates that need action. Set `counts` if the
 * token may search certificates.
 */
export function usePending(
  all: readonly Authority[] | undefined,
  counts: boolean,
): { readonly counted: Loaded<ExpiryForecast>; readonly pending: Pending } {
  // without a CA there are no certificates to count
  const isCounted = counts && all !== undefined && all.length > 0;
  const counted = useLoad(
    () => (isCounted ? countExpiring(new Date(), issuersIn(all)) : never<ExpiryForecast>()),
    [all, isCounted],
  );
  const read = useLoad(
    () => (all ? readPending(all, new Date(), counts) : never<PendingOfIssuers>()),
    [all, counts],
  );
  const otherMount = useLoad(
    // certificates of distrusted CAs are counted instead, to limit the requests of this view
    async () =>
      all && (await otherMounts()).findOtherMount(all, issuersIn(all).distrusted.size === 0),
    [all],
  ).value;
  const { issuers = [], distrusted = [] } = read.value ?? {};
  const elsewhere = counted.value?.elsewhere ?? [];
  const soon = counted.value && ending(counted.value, issuers);
  const ofRevoked = distrusted.reduce((sum, { count }) => sum + count, 0);
  return {
    counted,
    pending: {
      issuers,
      distrusted,
      elsewhere,
      otherMount,
      soon: soon ?? { authorities: 0, others: 0 },
      certificates: read.value && soon && soon.others + elsewhere.length + ofRevoked,
    },
  };
}
