/** What an object is a view of, as its `self` says: it has the same type. */
const selfOf = <K extends WeakKey>(key: K): K =>
  typeof key === "object" && "self" in key ? (key.self as K) : key;

/**
 * `make`, called once for each object: what it made lives as long as the object does. What is
 * `undefined`, throws, or is a promise that rejects, is made again by the next call, and so is a
 * promise while it is pending. `how` is read when something is made, so that it must not make a
 * difference. What is kept by a view of an object is kept by that object.
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
 * On Workers a promise of a request that was given up never settles, and nobody may wait for it.
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
