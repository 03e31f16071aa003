import { asBytes } from "../../base/bytes.ts";
import type { CrlSumRow } from "../../engine/records.ts";
import { isSameBytes } from "./crl-revocations.ts";

/**
 * Sums are made over blocks of this many bytes: what was checked need not be digested again for the
 * next sum.
 */
const blockLength = 256 * 1024;
const digestsOf = (bytes: Uint8Array): Promise<readonly Uint8Array[]> =>
  Promise.all(
    Array.from({ length: Math.ceil(bytes.length / blockLength) }, async (_, i) => {
      const block = bytes.subarray(i * blockLength, (i + 1) * blockLength);
      return new Uint8Array(await crypto.subtle.digest("SHA-256", asBytes(block)));
    }),
  );
/** The sum of pages that begin with what `checked` is the sum of. */
export async function sumOf(
  whole: Uint8Array,
  checked: CrlSumRow = { length: 0, digests: [] },
): Promise<CrlSumRow> {
  if (checked.length === whole.length) return checked;
  const full = Math.floor(checked.length / blockLength);
  return {
    length: whole.length,
    digests: [
      ...checked.digests.slice(0, full),
      ...(await digestsOf(whole.subarray(full * blockLength))),
    ],
  };
}
/** Whether pages begin with what this is the sum of. */
export async function isSame({ length, digests }: CrlSumRow, whole: Uint8Array): Promise<boolean> {
  if (length > whole.length) return false;
  const found = await digestsOf(whole.subarray(0, length));
  return (
    found.length === digests.length && found.every((digest, i) => isSameBytes(digests[i], digest))
  );
}
