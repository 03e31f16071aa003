import { hasOwnUrls, type UrlLists } from "../../api/certificate-urls.ts";
import type { CrlConfig } from "../../lib/crl-config.ts";
import type { IssuerRecord } from "../../api/issuers.ts";

/** An issuer that has its own URLs. */
interface IssuerWithUrls {
  readonly id: string;
  readonly name: string;
}
/** A kind of CRL whose URL is missing from new certificates. */
export interface MissingCrlUrls {
  readonly kind: "shards" | "delta";
  /** Whether the URL is missing from the mount's URLs. */
  readonly isMount: boolean;
  /** The issuers that have their own URLs, but not this one. */
  readonly issuers: readonly IssuerWithUrls[];
}

/**
 * Reports whether certificates can contain the URL of a shard's CRL. Assumes that placeholders
 * stand for HTTP URLs.
 */
const hasCrl = ({ crl_distribution_points: urls = [] }: UrlLists): boolean =>
  urls.some((url) => /^(?:https?:|\{\{)/i.test(url));
const hasDelta = ({ delta_crl_distribution_points: urls = [] }: UrlLists): boolean =>
  urls.length > 0;

/**
 * Returns the kinds of CRLs in a configuration whose URLs are missing from new certificates.
 * `mount` contains the URLs of the mount, which apply to issuers without their own.
 */
export function missingCrlUrls(
  { shards = 0, enable_delta: deltas = false, disable = false }: CrlConfig,
  mount: UrlLists,
  issuers: readonly IssuerRecord[],
): readonly MissingCrlUrls[] {
  if (disable) return [];
  const own = issuers.filter(hasOwnUrls);
  const usesMount = issuers.length === 0 || own.length < issuers.length;
  const lacking = (kind: MissingCrlUrls["kind"], isThere: (urls: UrlLists) => boolean) => ({
    kind,
    isMount: usesMount && !isThere(mount),
    issuers: own
      .filter((urls) => !isThere(urls))
      .map(({ issuer_id: id, issuer_name: name }) => ({ id, name: name || id.slice(0, 8) })),
  });
  return [
    ...(shards > 0 ? [lacking("shards", hasCrl)] : []),
    ...(deltas ? [lacking("delta", hasDelta)] : []),
  ].filter(({ isMount, issuers: named }) => isMount || named.length > 0);
}
