import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress, gzip } from "node:zlib";
import type { Assets } from "../../src/host/page.ts";
import { mediaTypes } from "../../src/host/media-types.ts";

interface Loaded {
  readonly changed: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/** Matches the paths of the console's files. Excludes escapes and path traversal. */
const fileName = /^\/demo\/(?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*$/;
const types: Readonly<Record<string, string>> = {
  ...mediaTypes,
  br: "application/octet-stream",
  gz: "application/gzip",
};

const decompressed = promisify(brotliDecompress);
const gzipped = promisify(gzip);

/**
 * Serves the built console in a directory at `/demo/`. Reads unchanged files only once. If only the
 * `.br` form of a file exists, derives the other encodings from it.
 */
export function filesBelow(directory: string): Assets {
  const loaded = new Map<string, Loaded>();
  const load = async (path: string): Promise<Loaded | undefined> => {
    const source = await sourceOf(path);
    if (!source) return undefined;
    const cached = loaded.get(path);
    if (cached?.changed === source.changed) return cached;
    const bytes = new Uint8Array(await source.read());
    const etag = `"${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}"`;
    const entry = { changed: source.changed, bytes, etag };
    loaded.set(path, entry);
    return entry;
  };
  return {
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const type = types[pathname.slice(pathname.lastIndexOf(".") + 1)];
      const file =
        type !== undefined && fileName.test(pathname)
          ? await load(join(directory, pathname.slice("/demo".length)))
          : undefined;
      if (!file) return new Response("Not Found", { status: 404 });
      const headers = { etag: file.etag, "content-length": String(file.bytes.length) };
      if (isKnown(request.headers.get("if-none-match"), file.etag))
        return new Response(null, { status: 304, headers: { etag: file.etag } });
      return new Response(request.method === "HEAD" ? null : file.bytes, { headers });
    },
  };
}

/** The file from which the content of a path is read or derived. */
interface Source {
  /** Modification time of the file (Unix ms). */
  readonly changed: number;
  read(): Promise<Buffer<ArrayBuffer>>;
}

async function sourceOf(path: string): Promise<Source | undefined> {
  const { mtimeMs, isFile } = await about(path);
  if (isFile) return { changed: mtimeMs, read: () => readFile(path) };
  const original = path.replace(/\.gz$/, "");
  const brotli = await about(`${original}.br`);
  if (!brotli.isFile) return undefined;
  const plain = async () => decompressed(await readFile(`${original}.br`));
  const read = original === path ? plain : async () => gzipped(await plain());
  return { changed: brotli.mtimeMs, read };
}

async function about(
  path: string,
): Promise<{ readonly mtimeMs: number; readonly isFile: boolean }> {
  try {
    const stats = await stat(path);
    return { mtimeMs: stats.mtimeMs, isFile: stats.isFile() };
  } catch {
    return { mtimeMs: 0, isFile: false };
  }
}

const isKnown = (validators: string | null, etag: string): boolean =>
  (validators ?? "")
    .split(",")
    .map((one) => one.trim())
    .some((one) => one === "*" || one.replace("W/", "") === etag);
