import { asBytes } from "../../base/bytes.ts";
import type { Mount } from "../../engine/mount.ts";
import { keys, type PageSum } from "../../engine/records.ts";
import { stored } from "../../engine/stored.ts";
import { isSameBytes } from "./crl-revocations.ts";
import type { StoredPage } from "./crl-pages.ts";

const digestOf = async (bytes: Uint8Array): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", asBytes(bytes)));

/** The sum of a page, of all that it holds; one that was checked before is not made again. */
export async function pageSum(
  { key, bytes }: Pick<StoredPage, "key" | "bytes">,
  checked?: PageSum,
): Promise<PageSum> {
  if (checked?.length === bytes.length) return checked;
  return { key, length: bytes.length, digest: await digestOf(bytes) };
}
/** Whether a page begins with what this is the sum of. */
export async function isSame({ length, digest }: PageSum, bytes: Uint8Array): Promise<boolean> {
  return length <= bytes.length && isSameBytes(digest, await digestOf(bytes.subarray(0, length)));
}

/** What the last complete build of a list counted. */
export interface Counted {
  /** Of the row of the sums; null: there is none. */
  readonly rev: number | null;
  /** By the key of the page; undefined: nothing is known. */
  readonly sums: ReadonlyMap<string, PageSum> | undefined;
  /** Pages without any sum were taken by the builds of an earlier version (D 4). */
  readonly isOld: boolean;
  readonly mended: boolean;
}
/** Reads what the last complete build of a list counted. */
export async function countedBy(ca: Mount, list: string): Promise<Counted> {
  const [row, state] = await ca.store.get([keys.crlSum(list), keys.crl(list)]);
  const { pages, mended } = stored.crlSum(row?.value);
  return {
    rev: row?.rev ?? null,
    sums: pages ? new Map(pages.map((sum) => [sum.key, sum])) : undefined,
    isOld: !pages && state !== undefined,
    mended: mended === true,
  };
}
