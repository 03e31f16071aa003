import { type Bytes, asBytes } from "../../src/base/bytes.ts";

/** Encodes `[n] IMPLICIT` over an element: replaces its tag and keeps the constructed bit. */
export function implicit(n: number, element: Uint8Array): Bytes {
  const out = element.slice();
  out[0] = 0x80 | ((element[0] ?? 0) & 0x20) | n;
  return asBytes(out);
}
