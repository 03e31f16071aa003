import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";

/** Files by their path in a directory. */
export type Files = Readonly<Record<string, Uint8Array>>;

/** Reads the files below a directory, except those that `leaveOut` matches. */
export function filesIn(directory: string, leaveOut: RegExp): Files {
  const paths = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(directory, path)).isFile() && !leaveOut.test(path))
    .toSorted();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(directory, path))]));
}
/** Writes files below a directory, accessible only to their owner. */
export function writeFiles(directory: string, files: Files): void {
  for (const [path, bytes] of Object.entries(files)) {
    const file = join(directory, path);
    if (relative(directory, file).startsWith("..")) throw new Error(`${path} leads elsewhere`);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, bytes, { mode: 0o600 });
  }
}

/** Packs files: their paths and sizes as JSON in the first line, then their bytes, compressed. */
export function pack(files: Files): Uint8Array {
  const head = JSON.stringify(Object.entries(files).map(([path, { length }]) => [path, length]));
  const bytes = Buffer.concat([Buffer.from(`${head}\n`), ...Object.values(files)]);
  return brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}
/** Unpacks files. */
export function unpack(packed: Uint8Array): Files {
  const bytes = brotliDecompressSync(packed);
  const end = bytes.indexOf("\n");
  const head = JSON.parse(bytes.toString("utf8", 0, end)) as readonly (readonly [string, number])[];
  let at = end + 1;
  return Object.fromEntries(
    head.map(([path, length]) => [path, new Uint8Array(bytes.subarray(at, (at += length)))]),
  );
}
