/**
 * Caches the result of `make` per object, for the object's lifetime. Views share the result of the
 * object behind them. A result that is `undefined`, throws or rejects is not cached, nor is a
 * pending promise. `how` is used only on a cache miss, so it must not affect the result.
 */
export function memoize<
  // `self` of a view is the object behind it
  K extends WeakKey & { readonly self?: K },
  A extends readonly unknown[],
  V,
>(make: (key: K, ...how: A) => V): (key: K, ...how: A) => V {
  const values = new WeakMap<K, V>();
  return (subject, ...how) => {
    const key: K = subject.self ?? subject;
    let value = values.get(key);
    if (value !== undefined) return value;
    value = make(key, ...how);
    if (value instanceof Promise) dropWhenRejected(values, key, value);
    else values.set(key, value);
    return value;
  };
}

/**
 * On Workers the promise of a cancelled request never settles, so pending promises must not be
 * shared.
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
 * Returns a function that imports a module on its first call and caches it: in Node `import()` of a
 * loaded module takes about 30 microseconds. Calls before the module is loaded each import it,
 * because on Workers the promise of a cancelled request never settles.
 */
export function importOnce<T extends object>(load: () => Promise<T>): () => T | Promise<T> {
  let module: T | undefined;
  return () => module ?? load().then((loaded) => (module = loaded));
}
