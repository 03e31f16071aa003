import { bareHex } from "../../lib/hex-text.ts";
import type { Authority } from "../../api/issuer.ts";
import { filtersOf, searchPage, type RowContext } from "../../api/inventory-search.ts";
import { lazyLoad } from "../../lib/lazy-load.ts";

const successorSearch = lazyLoad(() => import("../../api/successor-search.ts"));

/** The number of certificates from a CA that are still valid although clients distrust the CA. */
export interface DistrustedCertificates {
  readonly one: Authority;
  readonly count: number;
  /** Whether there are more certificates than `count`. */
  readonly more: boolean;
}

/** Maximum number of certificates to count for each CA. */
const maxCounted = 1000;

/**
 * Counts the valid certificates from CAs that are revoked or below a revoked CA. Excludes renewed
 * certificates and the mount's issuers.
 */
export async function countDistrusted(
  all: readonly Authority[],
  context: RowContext,
): Promise<readonly DistrustedCertificates[]> {
  const issuers = new Set(all.map(({ view }) => bareHex(view.serial)));
  const revoked = all.filter(({ record }) => context.issuers.distrusted.has(record.issuer_id));
  const counted: DistrustedCertificates[] = [];
  for (const one of revoked) {
    const filters = filtersOf(
      new URLSearchParams({ issuer: one.record.issuer_id, status: "valid" }),
    );
    const { rows, cursor } = await searchPage(filters, "", context, maxCounted);
    const own = rows.filter(({ serial }) => !issuers.has(serial));
    if (own.length === 0) continue;
    const left = await (await successorSearch()).withoutSuccessors(own, context);
    counted.push({ one, count: left.length, more: cursor !== "" });
  }
  return counted.filter(({ count }) => count > 0);
}
