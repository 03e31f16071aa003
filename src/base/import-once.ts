/**
 * Returns what imports a module by its first call. Later calls get the module that is there: in
 * Node `import()` takes some 30 microseconds also for one that was loaded before. Calls before the
 * module is there each import it, because on Workers a promise of a request that was given up never
 * settles.
 */
export function importOnce<T extends object>(load: () => Promise<T>): () => T | Promise<T> {
  let module: T | undefined;
  return () => module ?? load().then((loaded) => (module = loaded));
}
