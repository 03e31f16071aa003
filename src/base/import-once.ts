/**
 * Returns a function that imports a module on its first call and caches it: in Node `import()` of a
 * loaded module takes about 30 microseconds. Calls before the module is loaded each import it,
 * because on Workers the promise of a cancelled request never settles.
 */
export function importOnce<T extends object>(load: () => Promise<T>): () => T | Promise<T> {
  let module: T | undefined;
  return () => module ?? load().then((loaded) => (module = loaded));
}
