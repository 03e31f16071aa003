import { concat, utf8, type Bytes } from "../../../src/base/bytes.ts";
import { crc32 } from "../../../src/base/hashes.ts";

/** Encodes integers in little-endian order, each with the given number of bytes. */
function fields(...all: readonly (readonly [value: number, bytes: number])[]): Uint8Array {
  return Uint8Array.from(
    all.flatMap(([value, bytes]) =>
      Array.from({ length: bytes }, (_, i) => Math.floor(value / 256 ** i) % 256),
    ),
  );
}

/** Flag that declares names as UTF-8. */
const flags = 0x0800;
/** 1 January 1980, the earliest date that the format can express. */
const noDate = 0x0021;

/** Returns a ZIP archive with uncompressed files. Names must be ASCII and unique. */
export function zip(files: readonly (readonly [name: string, content: Uint8Array])[]): Bytes {
  const local: Uint8Array[] = [];
  const central: Uint8Array[] = [];
  let at = 0;
  for (const [title, content] of files) {
    const name = utf8(title);
    const about = fields(
      [20, 2],
      [flags, 2],
      [0, 2],
      [0, 2],
      [noDate, 2],
      [crc32(content) >>> 0, 4],
      [content.length, 4],
      [content.length, 4],
      [name.length, 2],
      [0, 2],
    );
    const entry = concat([fields([0x04034b50, 4]), about, name, content]);
    central.push(
      concat([
        fields([0x02014b50, 4], [20, 2]),
        about,
        fields([0, 2], [0, 2], [0, 2], [0, 4], [at, 4]),
        name,
      ]),
    );
    local.push(entry);
    at += entry.length;
  }
  const directory = concat(central);
  const end = fields(
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [files.length, 2],
    [files.length, 2],
    [directory.length, 4],
    [at, 4],
    [0, 2],
  );
  return concat([...local, directory, end]);
}
