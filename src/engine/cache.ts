/** Maximum age of values that are used without asking the store (D 4, Freshness), ms. */
export const freshFor = 1000;

/** A kind of cached values. It belongs to one place in the code and has one type. */
interface Kind<T> {
  /** Maximum number of values; a full cache is cleared. */
  readonly maxEntries: number;
  /** Prefixes of the rows from which the values are computed; a change below one drops them. */
  readonly below: readonly string[];
  /** Never set; carries the type parameter. */
  readonly of?: T;
}
/** Returns a new kind of cached values. */
export const kindOf = <T>(maxEntries = 5000, below: readonly string[] = []): Kind<T> => ({
  maxEntries,
  below,
});

interface Held {
  readonly at: number;
  readonly value: unknown;
}
interface Values {
  readonly held: Map<string, Held>;
  swept: number;
}

/** A value that is to be loaded. */
interface Missing<T> {
  readonly kind: Kind<T>;
  readonly values: Values;
  readonly now: number;
  readonly id: string;
}

/** Values read from a store: `recent` for a second, `lasting` until they are dropped. */
export class Cache {
  readonly #now: () => number;
  #kinds = new Map<Kind<unknown>, Values>();

  /** `now`: returns Unix milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Returns a value that may be up to a second old. `undefined` is never cached, so that a new
   * value is visible at once.
   */
  recent<T>(kind: Kind<T>, id: string, load: () => Promise<T>): Promise<T> | T {
    const now = this.#now();
    const values = this.#valuesOf(kind);
    // a kind has one type, and only this method stores its values
    const held = values.held.get(id) as { readonly at: number; readonly value: T } | undefined;
    return held && isFresh(held.at, now) ? held.value : this.#load({ kind, values, now, id }, load);
  }
  async #load<T>({ kind, values, now, id }: Missing<T>, load: () => Promise<T>): Promise<T> {
    // caches the value, never the promise: on Workers a promise of another request may never settle
    const value = await load();
    if (value === undefined) return value;
    sweep(values, now);
    if (values.held.size >= kind.maxEntries) values.held.clear();
    // if the cache was cleared meanwhile, these values are unreachable
    values.held.set(id, { at: now, value });
    return value;
  }

  /** Returns the first result of `make`, until the cache is cleared. */
  lasting<T>(kind: Kind<T>, make: () => T): T {
    const values = this.#valuesOf(kind);
    const held = values.held.get("") as { readonly value: T } | undefined;
    if (held) return held.value;
    const value = make();
    values.held.set("", { at: this.#now(), value });
    return value;
  }

  /**
   * Drops the values that are made of rows of these keys, so that own writes are seen at once.
   */
  changed(keys: readonly string[]): void {
    for (const kind of this.#kinds.keys())
      if (kind.below.some((prefix) => keys.some((key) => key.startsWith(prefix))))
        this.#kinds.delete(kind);
  }

  /**
   * Drops the values computed from rows that another process changed. Kinds without prefixes are
   * not affected, because only their writer drops them.
   */
  changedElsewhere(keys: readonly string[]): void {
    this.changed(keys);
    for (const kind of this.#kinds.keys()) if (kind.below.length === 0) this.#kinds.delete(kind);
  }

  /** Drops everything, including values that are being loaded. */
  forget(): void {
    this.#kinds = new Map();
  }

  /** Ids of the cached values. */
  get ids(): readonly string[] {
    return [...this.#kinds.values()].flatMap(({ held }) => [...held.keys()]);
  }

  #valuesOf(kind: Kind<unknown>): Values {
    let values = this.#kinds.get(kind);
    if (!values) {
      values = { held: new Map(), swept: -Infinity };
      this.#kinds.set(kind, values);
    }
    return values;
  }
}

/** After a clock was set back, the age of a value is unknown. */
const isFresh = (at: number, now: number): boolean => now - at < freshFor && now >= at;
/**
 * Drops expired values, at most once a second, so that secrets and long lists do not stay in
 * memory.
 */
function sweep(values: Values, now: number): void {
  if (isFresh(values.swept, now)) return;
  values.swept = now;
  for (const [id, { at }] of values.held) if (!isFresh(at, now)) values.held.delete(id);
}
