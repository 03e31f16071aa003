/** The member of a view that has the object whose cached results the view shares. */
export const cacheKey = Symbol("cache key");

/**
 * Caches the result of `make` for each object, for as long as the object lives. A view shares the
 * result of the object behind it (`cacheKey`). Undefined, errors, rejections and pending promises
 * are not cached. `how` is only passed on a cache miss, so it must not affect the result.
 */
export function memoize<
  K extends WeakKey & { readonly [cacheKey]?: K },
  A extends readonly unknown[],
  V,
>(make: (key: K, ...how: A) => V): (key: K, ...how: A) => V {
  const values = new WeakMap<K, V>();
  return (subject, ...how) => {
    const key: K = subject[cacheKey] ?? subject;
    let value = values.get(key);
    if (value !== undefined) return value;
    value = make(key, ...how);
    if (value instanceof Promise) dropWhenRejected(values, key, value);
    else values.set(key, value);
    return value;
  };
}

/**
 * Caches a promise once it has resolved. Pending promises must not be shared, because on Workers
 * the promise of a cancelled request never settles.
 */
function dropWhenRejected<K extends WeakKey, V>(
  values: WeakMap<K, V>,
  key: K,
  value: V & Promise<unknown>,
): void {
  value.then(
    () => values.get(key) ?? values.set(key, value),
    () => undefined,
  );
}

/**
 * Returns a function that imports a module on its first call and caches it, because in Node even
 * `import()` of a loaded module takes about 30 microseconds. Each call before the module is loaded
 * imports it again, because on Workers the promise of a cancelled request never settles.
 */
export function importOnce<T extends object>(load: () => Promise<T>): () => T | Promise<T> {
  let module: T | undefined;
  return () => module ?? load().then((loaded) => (module = loaded));
}
