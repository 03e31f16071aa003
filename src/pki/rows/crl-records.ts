import { rowReader } from "../../engine/row-reader.ts";
import type { IssuerId } from "./record-ids.ts";

/**
 * A current CRL: `<set>` is the complete one of a set, `<set>-<n>-<i>` that of shard i of n. Its
 * bytes are in `crl/<list>/<number>/<chunk>`.
 */
export interface CrlRow {
  readonly number: number;
  readonly issuer: IssuerId;
  readonly chunks: number;
  readonly size: number;
  readonly this_update: number;
  readonly next_update: number;
  /** Whether an earlier CRL of this id was built in the same second. */
  readonly again?: true;
  /** Number of entries, for listings and health. */
  readonly entries: number;
  /** SHA-1 of the names in the issuing distribution point; absent without one. */
  readonly names?: string;
  /**
   * Whether a later CRL was not published because it would exceed the maximum number of entries.
   */
  readonly held?: true;
}
/**
 * The current delta of a complete CRL. Stored under its own id; the two share one sequence of CRL
 * numbers.
 */
export interface DeltaRow extends CrlRow {
  /** Number of the complete CRL that it is based on. */
  readonly base: number;
  /** SHA-256 of its entries. */
  readonly digest: Uint8Array;
  /** Time of its scheduled renewal (Unix ms). */
  readonly renewal: number;
}
/**
 * The pages that the last complete build of a CRL counted; the next build must find the same bytes
 * at their beginning. Entries are in pages of groups: `crlpage/<set>/` for certificates without a
 * shard, `crlpage/<set>-<n>-<i>/` for those of a shard. A shard's CRL has the pages of its group.
 * The complete CRL of a set has those of the set and all its shards; that of the default issuer
 * also those of sets without issuers. A delta contains the entries after the counted lengths,
 * because entries are only appended. Therefore a batch that rewrites a page must also update, with
 * `pageWithout`, each of these rows that names the page, and a build from pages expects the row
 * that it read with them.
 */
export interface CrlSumRow {
  /** Null in older rows, which have no counts. */
  readonly pages: readonly PageSum[] | null;
  /**
   * Whether pages were rewritten since the build. Then it is unknown which of their entries the CRL
   * has, so no delta can be based on it.
   */
  readonly mended?: true;
}
/** The counted bytes of a page, and their SHA-256. */
export interface PageSum {
  readonly key: string;
  readonly length: number;
  readonly digest: Uint8Array;
}
/**
 * A marker that certificates which expire before the end of a week refer to CRLs: those of a set
 * and its shards of one number, or the complete CRL of the set if that number is 0. The rows are
 * put with certificates without preconditions, so that issuing does not contend.
 */
export interface ListNeedRow {
  /** The configured addresses of the complete CRL. */
  readonly addresses: readonly string[];
}
/** Whether the retentions of certificates without a shard are recorded. */
export interface ListNeedsRow {
  /** Whether all are recorded, including those of certificates issued before there were shards. */
  readonly known: boolean;
}
/** The last number of a deleted CRL. */
export interface CrlNumberRow {
  readonly number: number;
}
/** A marker that an issuer is on the CRL of a set, whether or not its certificate is stored. */
export interface ListedIssuerRow {
  /** Unix milliseconds. */
  readonly at: number;
  /** The shard, as for a revocation. */
  readonly shard?: string;
  /** Expiry of its certificate (Unix seconds); absent in older rows. */
  readonly not_after?: number;
}
/** A published CRL that is no longer the current one. */
export interface SupersededRow {
  readonly chunks: number;
  /** Unix milliseconds. */
  readonly at: number;
}

const nothing = new Uint8Array();
/** Readers of the rows of CRLs. */
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
  listNeeds: rowReader<ListNeedsRow>({ known: false }),
  crlNumber: rowReader<CrlNumberRow>({ number: 0 }),
  listNeed: rowReader<ListNeedRow>({ addresses: [] }),
  listedIssuer: rowReader<ListedIssuerRow>({ at: 0 }),
  superseded: rowReader<SupersededRow>({ chunks: 0, at: 0 }),
} as const;
