import { HttpError } from "./http-error.ts";

const lf = 10;
const cr = 13;
const semicolon = 59;

/** Maximum number of hexadecimal digits of a chunk size, which limits a chunk to 256 MiB. */
const maxSizeDigits = 7;
/**
 * Maximum total size, in bytes, of the chunk extensions and trailers of a body. They are unused,
 * and without a limit clients could make the server parse them endlessly (as in CVE-2023-39326).
 */
const maxExtraBytes = 4096;

type Expecting =
  | "size"
  | "extension"
  | "size-lf"
  | "data"
  | "data-cr"
  | "data-lf"
  | "trailer-start"
  | "trailer"
  | "trailer-lf"
  | "last-lf"
  | "done";

function digitOf(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

/**
 * Parses a chunked body (RFC 9112 section 7.1) incrementally. Ignores extensions and trailers, and
 * limits their size. Throws {@link HttpError} for a bare CR or LF, a chunk size that is not plain
 * hexadecimal, and data longer than the chunk size.
 */
export class ChunkReader {
  #expecting: Expecting = "size";
  #size = 0;
  #digits = 0;
  #extra = 0;

  get done(): boolean {
    return this.#expecting === "done";
  }

  /**
   * Parses `bytes`, beginning at `from`. Calls `data` with the range of each piece of data. Returns
   * the offset of the first byte after the body.
   */
  read(bytes: Buffer, from: number, data: (start: number, stop: number) => void): number {
    let at = from;
    while (at < bytes.length && this.#expecting !== "done") {
      if (this.#expecting === "data") {
        const stop = Math.min(bytes.length, at + this.#size);
        data(at, stop);
        this.#size -= stop - at;
        at = stop;
        if (this.#size === 0) this.#expecting = "data-cr";
      } else {
        this.#step(bytes[at] ?? 0);
        at++;
      }
    }
    return at;
  }

  #step(byte: number): void {
    switch (this.#expecting) {
      case "size":
        return this.#sizeByte(byte);
      case "extension":
        if (byte === cr) this.#expecting = "size-lf";
        else this.#extraByte(byte);
        return;
      case "size-lf":
        this.#demand(byte, lf);
        this.#digits = 0;
        this.#expecting = this.#size > 0 ? "data" : "trailer-start";
        return;
      case "data-cr":
        this.#demand(byte, cr);
        this.#expecting = "data-lf";
        return;
      case "data-lf":
        this.#demand(byte, lf);
        this.#expecting = "size";
        return;
      case "trailer-start":
        if (byte === cr) this.#expecting = "last-lf";
        else {
          this.#extraByte(byte);
          this.#expecting = "trailer";
        }
        return;
      case "trailer":
        if (byte === cr) this.#expecting = "trailer-lf";
        else this.#extraByte(byte);
        return;
      case "trailer-lf":
        this.#demand(byte, lf);
        this.#expecting = "trailer-start";
        return;
      default:
        this.#demand(byte, lf);
        this.#expecting = "done";
    }
  }

  #sizeByte(byte: number): void {
    const digit = digitOf(byte);
    if (digit >= 0) {
      if (++this.#digits > maxSizeDigits) throw new HttpError(400, "a chunk is too large");
      this.#size = this.#size * 16 + digit;
      return;
    }
    if (this.#digits === 0) throw new HttpError(400, "malformed chunk size");
    if (byte === cr) this.#expecting = "size-lf";
    else if (byte === semicolon) this.#expecting = "extension";
    else throw new HttpError(400, "malformed chunk size");
  }

  #extraByte(byte: number): void {
    if (byte < 32 && byte !== 9)
      throw new HttpError(400, "the chunked body contains a control character between chunks");
    if (++this.#extra > maxExtraBytes)
      throw new HttpError(400, "chunk extensions or trailers are too long");
  }

  #demand(byte: number, expected: number): void {
    if (byte !== expected) throw new HttpError(400, "malformed chunk");
  }
}
