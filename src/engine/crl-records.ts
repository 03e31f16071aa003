import { rowReader } from "./row-reader.ts";
import type { IssuerId } from "./record-ids.ts";

/**
 * The current CRL of a list: `<set>` is the complete one of a set, `<set>-<n>-<i>` that of shard i
 * of n. Its bytes lie in `crl/<list>/<number>/<chunk>`.
 */
export interface CrlRow {
  readonly number: number;
  readonly issuer: IssuerId;
  readonly chunks: number;
  readonly size: number;
  readonly this_update: number;
  readonly next_update: number;
  /** Another list of this id was built in the same second before. */
  readonly again?: true;
  /** Entry pages that the list holds, for listings and health. */
  readonly entries: number;
  /** SHA-1 of the names in the issuing distribution point; absent: it has none. */
  readonly names?: string;
  /** A later list was held back: it would have had more entries than it may. */
  readonly held?: true;
}
/** The current delta of a list, stored under an id of its own; numbered together with the list. */
export interface DeltaRow extends CrlRow {
  /** Number of the complete list that it follows. */
  readonly base: number;
  /** SHA-256 of its entries. */
  readonly digest: Uint8Array;
  /** When its renewal is planned for, Unix milliseconds. */
  readonly renewal: number;
}
/**
 * What the last complete build of a list counted: the begin of each of these pages is to be the
 * same at the next one. Entries lie in pages of groups, `crlpage/<set>/` for certificates without a
 * shard and `crlpage/<set>-<n>-<i>/` for those of one; a list of a shard has the pages of its
 * group, the complete list of a set those of the set and of all its shards, and that of the default
 * issuer those of sets without issuers too.
 *
 * What lies behind the lengths here is what a delta lists: entries are only ever added at the end
 * of a group, so that the list that was counted and all that lies behind it are the next list. For
 * the same reason whoever writes a page anew mends each of these rows that names it, in the same
 * batch, by `pageWithout`; and who builds from pages expects the row that was read with them.
 */
export interface CrlSumRow {
  /** Null in rows of before, which say nothing. */
  readonly pages: readonly PageSum[] | null;
  /**
   * Pages were written anew since, and it is not known any more which of their entries the list
   * has: no delta can follow it.
   */
  readonly mended?: true;
}
/** How much of a page was counted, bytes, and the SHA-256 of that. */
export interface PageSum {
  readonly key: string;
  readonly length: number;
  readonly digest: Uint8Array;
}
/**
 * That certificates name lists, until the end of a week: those of a set and its shards of one
 * number, or the complete list of the set where that number is 0. Rows are put with certificates
 * and expect nothing, so that issuing does not contend.
 */
export interface ListNeedRow {
  /** The addresses of the complete list as they were configured. */
  readonly addresses: readonly string[];
}
/** What is known of the needs of certificates without a shard. */
export interface ListNeedsRow {
  /** They are all among the needs: those that were issued before there were shards too. */
  readonly known: boolean;
}
/** The last number of a list that was removed. */
export interface CrlNumberRow {
  readonly number: number;
}
/** That an issuer stands on the list of a set, whether or not its certificate is stored. */
export interface ListedIssuerRow {
  /** Unix milliseconds. */
  readonly at: number;
  /** As of a revocation. */
  readonly shard?: string;
  /** When its certificate ends, Unix seconds; absent in rows of before. */
  readonly not_after?: number;
}
/** A list that was published and is no longer the current one. */
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
