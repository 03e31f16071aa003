/** How long what was read may be used without asking the store (D 4, Freshness), milliseconds. */
export const freshFor = 1000;

/** Values of one kind, which belongs to one place in the code and has one type. */
interface Kind<T> {
  /** Most values that are kept; a full cache begins anew. */
  readonly maxEntries: number;
  /** What the keys of the rows begin with that values are made of; they end with a change there. */
  readonly below: readonly string[];
  /** No value has this: it stands for the type. */
  readonly of?: T;
}
/** A kind of values to keep, 5000 at most unless said. */
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

/** Values read from a store: `recent` for a second, `lasting` until they are dropped. */
export class Cache {
  readonly #now: () => number;
  #kinds = new Map<Kind<unknown>, Values>();

  /** `now`: Unix milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * A value that may be up to a second old. What is `undefined` is asked again each time, so that
   * whatever is made is there at once.
   */
  async recent<T>(kind: Kind<T>, id: string, load: () => Promise<T>): Promise<T> {
    const now = this.#now();
    const values = this.#valuesOf(kind);
    // a kind has one type, and only this method keeps values
    const held = values.held.get(id) as { readonly at: number; readonly value: T } | undefined;
    if (held && isFresh(held.at, now)) return held.value;
    // the value is kept, never the promise: on Workers one that another request waits for may never
    // settle
    const value = await load();
    if (value === undefined) return value;
    sweep(values, now);
    if (values.held.size >= kind.maxEntries) values.held.clear();
    // where all was forgotten meanwhile, these values are no longer anybody's
    values.held.set(id, { at: now, value });
    return value;
  }

  /** What `make` gave at first, until everything is forgotten. */
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
   * The same for rows that another process has changed. What may be made of any rows is dropped by
   * whoever changes them, who is not here.
   */
  changedElsewhere(keys: readonly string[]): void {
    this.changed(keys);
    for (const kind of this.#kinds.keys()) if (kind.below.length === 0) this.#kinds.delete(kind);
  }

  /** Drops everything; what is being loaded meanwhile is not kept. */
  forget(): void {
    this.#kinds = new Map();
  }

  /** The ids of the values that are kept. */
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

/** A clock that went back says nothing about how old a value is. */
const isFresh = (at: number, now: number): boolean => now - at < freshFor && now >= at;
/** Drops what is too old, at most once a second: secrets and long lists do not stay for longer. */
function sweep(values: Values, now: number): void {
  if (isFresh(values.swept, now)) return;
  values.swept = now;
  for (const [id, { at }] of values.held) if (!isFresh(at, now)) values.held.delete(id);
}
