/**
 * `make`, called once for each object: what it made lives as long as the object does. What is
 * `undefined`, throws, or is a promise that rejects, is made again by the next call. `how` is read
 * when something is made, so that it must not make a difference.
 */
export function memo<K extends WeakKey, A extends readonly unknown[], V>(
  make: (key: K, ...how: A) => V,
): (key: K, ...how: A) => V {
  const made = new WeakMap<K, V>();
  return (key, ...how) => {
    let value = made.get(key);
    if (value !== undefined) return value;
    value = make(key, ...how);
    made.set(key, value);
    if (value instanceof Promise) value.catch(() => made.delete(key));
    return value;
  };
}
