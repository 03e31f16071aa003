import type { Bytes } from "../../src/base/bytes.ts";
import { asBytes } from "../../src/base/bytes.ts";

/** `[n] IMPLICIT` over an encoded element: its tag replaced, constructed or not kept. */
export function implicit(n: number, element: Uint8Array): Bytes {
  const out = element.slice();
  out[0] = 0x80 | ((element[0] ?? 0) & 0x20) | n;
  return asBytes(out);
}
