/** Filled in by the build, as are the other two: hashes of eight letters, one after the other. */
declare const PARTS: string;
declare const FILES: readonly string[];
declare const VERSION: string;

/** The files of the page, kept so that it opens without a network. */
const files = [...FILES, ...(PARTS.match(/.{8}/g) ?? []).map((hash) => `part-${hash}.js`)];

const prefix = "sealwright-page ";
const ours = (folder: string): string => `${prefix}${folder} ${VERSION}`;

/**
 * Fetches every file of this version and keeps it. Fails as a whole, so that a version is never
 * half there.
 */
export async function keepPage(folder: string): Promise<void> {
  const cache = await caches.open(ours(folder));
  await Promise.all(files.map(async (file) => cache.put(folder + file, await whole(folder, file))));
}

/**
 * A file of this version: where the browser has fetched it for the page it is not fetched again,
 * however old it is, because its name or what it says tells that it is the right one.
 */
async function whole(folder: string, file: string): Promise<Response> {
  const names = file === "" ? ["", "index.html"] : [file];
  let status = 0;
  for (const name of names)
    for (const cache of ["force-cache", "reload"] as const) {
      const response = await fetch(new Request(folder + name, { cache }));
      status = response.status;
      const blob = await response.blob();
      if (response.ok && (await isOurs(file, response, blob)))
        return new Response(blob, { headers: headersOf(response) });
    }
  throw new Error(`${file}: ${status}`);
}

/**
 * Reports whether an answer is that file of this version: a page bears it, the name of others does.
 */
async function isOurs(file: string, { headers }: Response, blob: Blob): Promise<boolean> {
  if (file === "" || file.endsWith(".html")) return (await blob.text()).includes(VERSION);
  // A network that asks to be signed in to answers everything with its own page.
  return !/\bhtml\b/.test(headers.get("Content-Type") ?? "");
}

/**
 * The headers of a file as it is kept: no longer packed, and not redirected to, which a browser
 * refuses as an answer to a navigation.
 */
function headersOf({ headers }: Response): Headers {
  const left = new Headers(headers);
  for (const name of ["Content-Encoding", "Content-Length", "Vary"]) left.delete(name);
  return left;
}

/** Forgets the files of older versions in this folder. */
export async function dropOldPages(folder: string): Promise<void> {
  const names = await caches.keys();
  await Promise.all(
    names
      .filter((name) => name.startsWith(`${prefix}${folder} `) && name !== ours(folder))
      .map((name) => caches.delete(name)),
  );
}

const named: Readonly<Record<string, string>> = {
  "index.html": "",
  index: "",
  connect: "connect.html",
};

/** The file that a path below the folder asks for, if it is one of the page's own. */
export const fileOf = (path: string): string | undefined =>
  [named[path] ?? path].find((file) => files.includes(file));

/** Answers with a kept file, from the network when it is missing. */
export async function pageFile(folder: string, file: string, request: Request): Promise<Response> {
  const cache = await caches.open(ours(folder));
  return (await cache.match(folder + file)) ?? fetch(request);
}
