/**
 * The files of the page, kept so that it opens without a network. Both constants are filled in by
 * the build.
 */
declare const FILES: readonly string[];
declare const VERSION: string;

const prefix = "sealwright-page ";
const ours = (folder: string): string => `${prefix}${folder} ${VERSION}`;

/**
 * Fetches every file of this version and keeps it. Fails as a whole, so that a version is never
 * half there.
 */
export async function keepPage(folder: string): Promise<void> {
  const cache = await caches.open(ours(folder));
  await Promise.all(
    FILES.map(async (file) => {
      const response = await fetch(new Request(folder + file, { cache: "reload" }));
      if (!response.ok) throw new Error(`${file}: ${response.status}`);
      // Some hosts redirect index.html to the folder; a browser refuses a redirected answer to a
      // navigation, so a plain one is kept.
      await cache.put(
        folder + file,
        new Response(await response.blob(), { status: 200, headers: response.headers }),
      );
    }),
  );
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
  "": "index.html",
  index: "index.html",
  connect: "connect.html",
};

/** The file that a path below the folder asks for, if it is one of the page's own. */
export const fileOf = (path: string): string | undefined =>
  [named[path] ?? path].find((file) => FILES.includes(file));

/** Answers with a kept file, from the network when it is missing. */
export async function pageFile(folder: string, file: string, request: Request): Promise<Response> {
  const cache = await caches.open(ours(folder));
  return (await cache.match(folder + file)) ?? fetch(request);
}
