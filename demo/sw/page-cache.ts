/**
 * The concatenated hashes of the chunks, eight characters each. The build defines this and the
 * other constants.
 */
declare const PARTS: string;
declare const FILES: readonly string[];
declare const VERSION: string;

/** The files of the page, which are cached so that the page opens offline. */
const files = [...FILES, ...(PARTS.match(/.{8}/g) ?? []).map((hash) => `part-${hash}.js`)];

const prefix = "sealwright-page ";
const cacheName = (folder: string): string => `${prefix}${folder} ${VERSION}`;

/**
 * Fetches and caches every file of this version. Throws if one fails, so that a worker whose cache
 * is incomplete is not installed.
 */
export async function cachePage(folder: string): Promise<void> {
  const cache = await caches.open(cacheName(folder));
  await Promise.all(
    files.map(async (file) => cache.put(folder + file, await fetchFile(folder, file))),
  );
}

/**
 * Fetches a file of this version. Accepts copies of any age from the browser's HTTP cache, because
 * the file's name or content identifies the version.
 */
async function fetchFile(folder: string, file: string): Promise<Response> {
  const names = file === "" ? ["", "index.html"] : [file];
  let status = 0;
  for (const name of names)
    for (const cache of ["force-cache", "reload"] as const) {
      const response = await fetch(new Request(folder + name, { cache }));
      status = response.status;
      const blob = await response.blob();
      if (response.ok && (await isOwnCache(file, response, blob)))
        return new Response(blob, { headers: headersOf(response) });
    }
  throw new Error(`${file}: ${status}`);
}

/**
 * Reports whether a response contains this version of a file. Pages contain the version; the names
 * of other files contain a hash of the content.
 */
async function isOwnCache(file: string, { headers }: Response, blob: Blob): Promise<boolean> {
  if (file === "" || file.endsWith(".html")) return (await blob.text()).includes(VERSION);
  // A captive portal responds to every request with its own page.
  return !/\bhtml\b/.test(headers.get("Content-Type") ?? "");
}

/**
 * Returns the headers for a cached file, without those about compression. The caller must create a
 * new response with them, because browsers reject a redirected response to a navigation.
 */
function headersOf({ headers }: Response): Headers {
  const left = new Headers(headers);
  for (const name of ["Content-Encoding", "Content-Length", "Vary"]) left.delete(name);
  return left;
}

/** Deletes the cached files of older versions. */
export async function dropOldPages(folder: string): Promise<void> {
  const names = await caches.keys();
  await Promise.all(
    names
      .filter((name) => name.startsWith(`${prefix}${folder} `) && name !== cacheName(folder))
      .map((name) => caches.delete(name)),
  );
}

const named: Readonly<Record<string, string>> = {
  "index.html": "",
  index: "",
  connect: "connect.html",
};

/** Returns the file to which a path under the folder refers, if any. */
export const fileOf = (path: string): string | undefined =>
  [named[path] ?? path].find((file) => files.includes(file));

/**
 * Returns the response with a cached file, or with the file from the network if it is not cached.
 */
export async function pageFile(folder: string, file: string, request: Request): Promise<Response> {
  const cache = await caches.open(cacheName(folder));
  return (await cache.match(folder + file)) ?? fetch(request);
}
