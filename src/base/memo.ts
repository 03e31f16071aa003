/** Returns the object that a view belongs to, by its `self`; it has the same type. */
const selfOf = <K extends WeakKey>(key: K): K =>
  typeof key === "object" && "self" in key ? (key.self as K) : key;

/**
 * Caches the result of `make` per object, for the object's lifetime; views share the cache of their
 * object. A result that is `undefined`, throws or rejects is not cached, nor is a pending promise.
 * `how` is used only on a cache miss, so it must not affect the result.
 */
export function memoize<K extends WeakKey, A extends readonly unknown[], V>(
  make: (key: K, ...how: A) => V,
): (key: K, ...how: A) => V {
  const made = new WeakMap<K, V>();
  return (seen, ...how) => {
    const key = selfOf(seen);
    let value = made.get(key);
    if (value !== undefined) return value;
    value = make(key, ...how);
    if (value instanceof Promise) keepSettled(made, key, value);
    else made.set(key, value);
    return value;
  };
}

/**
 * On Workers the promise of a cancelled request never settles, so pending promises must not be
 * shared.
 */
function keepSettled<K extends WeakKey, V>(
  made: WeakMap<K, V>,
  key: K,
  value: V & Promise<unknown>,
): void {
  value.then(
    () => made.get(key) ?? made.set(key, value),
    () => undefined,
  );
}
