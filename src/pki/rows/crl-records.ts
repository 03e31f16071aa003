import { rowReader } from "../../engine/row-reader.ts";
import type { IssuerId } from "./record-ids.ts";

/**
 * A current CRL. Its ID is `<set>` (a CRL set) for the unsharded CRL of the set, or `<set>-<n>-<i>`
 * for shard i of n. Its DER is stored in chunks under `crl/<id>/<number>/<chunk>`.
 */
export interface CrlRow {
  readonly number: number;
  readonly issuer: IssuerId;
  readonly chunks: number;
  readonly size: number;
  readonly this_update: number;
  readonly next_update: number;
  /** Whether an earlier CRL with this ID was built in the same second. */
  readonly again?: true;
  /** Number of entries, which shows whether a disabled CRL is already empty. */
  readonly entries: number;
  /**
   * SHA-1 of the names in the issuing distribution point extension. Absent if the CRL has no such
   * extension.
   */
  readonly names?: string;
  /**
   * Whether a later CRL was not published because it would exceed the maximum number of entries.
   */
  readonly held?: true;
}
/**
 * The current delta CRL of a complete CRL. It is stored under its own ID; the two CRLs share one
 * sequence of CRL numbers.
 */
export interface DeltaRow extends CrlRow {
  /** Number of the complete CRL on which the delta is based. */
  readonly base: number;
  /** SHA-256 of the entries of the delta. */
  readonly digest: Uint8Array;
  /** Time at which the delta is due for renewal (Unix ms). */
  readonly renewal: number;
}
/**
 * The pages that the last complete build of a CRL included, with their lengths. The next build must
 * find the same bytes at the beginning of each page.
 *
 * CRL entries are stored in groups of pages: `crlpage/<set>/` for certificates without a shard,
 * `crlpage/<set>-<n>-<i>/` for those of a shard. The CRL of a shard consists of the pages of its
 * group. The unsharded CRL of a set consists of the pages of the set and of all its shards; that of
 * the default issuer also includes sets without issuers.
 *
 * Entries are only appended, so a delta CRL contains the entries after these lengths. Therefore a
 * batch that rewrites a page must also update every row of this type that contains the key of the
 * page (`pageWithout`), and the batch of a build must expect the revision of the row that the build
 * read. If the page is in another partition, these rows are updated first.
 */
export interface CrlSumRow {
  /** Null in older rows, which recorded no pages. */
  readonly pages: readonly PageSum[] | null;
  /**
   * Whether pages were rewritten since the build. It is then unknown which of their entries the CRL
   * contains, so no delta CRL can be based on it.
   */
  readonly mended?: true;
}
/**
 * A statement about the CRL entries of a shard in a mount with several partitions. Absent before
 * the first build.
 */
export interface CrlSpreadRow {
  /**
   * Whether entries may be in any slot, and not only in those of the shard's new certificates.
   */
  readonly wide: boolean;
}
/** The length of a prefix of a page, and the SHA-256 of these bytes. */
export interface PageForm {
  readonly length: number;
  readonly digest: Uint8Array;
}
/** The prefix of a page that a build included, with the key of the page. */
export interface PageSum extends PageForm {
  readonly key: string;
  /**
   * The digest after a rewrite of the page. Present for a page in another partition, from before
   * the rewrite until the next build; in that time, the page may have either content.
   */
  readonly next?: RewrittenPage;
}
/** The form of a page after a rewrite. */
interface RewrittenPage extends PageForm {
  /** Length of the whole page before the rewrite. */
  readonly of: number;
  /** The whole page after the rewrite. */
  readonly whole: PageForm;
}
/**
 * A marker that certificates expiring before the end of a given week refer to CRLs of a set. The
 * key contains a number of shards: the certificates refer to the shards of that division or, if it
 * is 0, to the unsharded CRL. The rows are written with certificates and without preconditions, so
 * that concurrent issuance does not conflict.
 */
export interface ListNeedRow {
  /** The configured URLs of the unsharded CRL. */
  readonly addresses: readonly string[];
}
/** The state of the retention rows for certificates without a shard. */
export interface CrlNeedsRow {
  /**
   * Whether the retention rows cover all certificates, including those issued before CRLs were
   * sharded.
   */
  readonly known: boolean;
}
/** The last CRL number of a deleted CRL. */
export interface CrlNumberRow {
  readonly number: number;
}
/** A marker that an issuer is on the CRL of a set, whether or not its certificate is stored. */
export interface ListedIssuerRow {
  /** Time of revocation (Unix ms). */
  readonly at: number;
  /** The shard, as for a revocation. */
  readonly shard?: string;
  /** Expiry of the issuer's certificate (Unix seconds); absent in older rows. */
  readonly not_after?: number;
}
/** A published CRL that was replaced by a newer one. */
export interface SupersededRow {
  readonly chunks: number;
  /** Time of replacement (Unix ms). */
  readonly at: number;
}

const nothing = new Uint8Array();
/** Parsers for the stored rows of CRLs, with defaults for missing fields. */
export const storedCrl = {
  crl: rowReader<CrlRow>({
    number: 0,
    issuer: "",
    chunks: 0,
    size: 0,
    this_update: 0,
    next_update: 0,
    entries: 0,
  }),
  delta: rowReader<DeltaRow>({
    number: 0,
    issuer: "",
    chunks: 0,
    size: 0,
    this_update: 0,
    next_update: 0,
    entries: 0,
    base: 0,
    digest: nothing,
    renewal: 0,
  }),
  crlSum: rowReader<CrlSumRow>({ pages: null }),
  crlSpread: rowReader<CrlSpreadRow>({ wide: true }),
  crlNeeds: rowReader<CrlNeedsRow>({ known: false }),
  crlNumber: rowReader<CrlNumberRow>({ number: 0 }),
  listNeed: rowReader<ListNeedRow>({ addresses: [] }),
  listedIssuer: rowReader<ListedIssuerRow>({ at: 0 }),
  superseded: rowReader<SupersededRow>({ chunks: 0, at: 0 }),
} as const;
