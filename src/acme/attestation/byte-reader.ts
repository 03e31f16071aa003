import { badAttestation } from "./format.ts";

/** A reader of TPM structures: big-endian numbers, and byte strings with a two-octet size. */
export interface ByteReader {
  u16(what: string): number;
  u32(what: string): number;
  /** Returns the next `length` octets. */
  bytes(length: number, what: string): Uint8Array;
  /** Returns a byte string that is preceded by its size (TPM2B). */
  sized(what: string): Uint8Array;
  /** Requires that no octets are left. */
  end(): void;
}

/** Returns a reader of bytes. `where` is the name of the structure in error messages. */
export function byteReader(bytes: Uint8Array, where: string): ByteReader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const advance = (length: number, what: string): number => {
    const from = at;
    if (length > bytes.length - from) throw badAttestation(`${where} ends within ${what}`);
    at += length;
    return from;
  };
  const u16 = (what: string): number => view.getUint16(advance(2, what));
  const take = (length: number, what: string): Uint8Array => {
    const from = advance(length, what);
    return bytes.subarray(from, from + length);
  };
  return {
    u16,
    u32: (what) => view.getUint32(advance(4, what)),
    bytes: take,
    sized: (what) => take(u16(what), what),
    end() {
      const left = bytes.length - at;
      if (left > 0) throw badAttestation(`${where} has unexpected trailing bytes: ${left}`);
    },
  };
}
