import { serialWidth, withoutSign, type RevokedPage } from "./revoked-pages.ts";

/** A revocation in the table. */
interface RevokedEntry {
  /** Time of revocation, Unix seconds. */
  readonly at: number;
  readonly reason: number;
  readonly set: string;
}
/**
 * Number of slot numbers per page. It is sufficient because an entry takes more than 16 bytes, and
 * a page at most 64 KiB.
 */
const perPage = 4096;
const empty = -1;

/** A hash table, with open addressing, of page entries by serial number. */
export class RevokedTable {
  #slots = new Int32Array(1024).fill(empty);
  readonly #pages: (RevokedPage | undefined)[] = [];
  #count = 0;

  /** Adds a page and returns its number. */
  add(page: RevokedPage): number {
    const number = this.#pages.push(page) - 1;
    this.#insert(number, 0);
    return number;
  }
  /** Replaces a page with a longer version that begins with the same entries. */
  addPage(number: number, page: RevokedPage): void {
    const first = this.#pages[number]?.at.length ?? 0;
    this.#pages[number] = page;
    this.#insert(number, first);
  }
  /** Number of entries. */
  get size(): number {
    return this.#count;
  }

  /**
   * Returns all revocations with the given serial number, because CAs of several CRL sets may have
   * used it.
   */
  find(serial: Uint8Array): readonly RevokedEntry[] {
    const target = new Uint8Array(serialWidth);
    const digits = withoutSign(serial);
    if (digits.length > serialWidth) return [];
    target.set(digits, serialWidth - digits.length);
    const entries: RevokedEntry[] = [];
    const mask = this.#slots.length - 1;
    for (let i = hashOf(target, 0) & mask; ; i = (i + 1) & mask) {
      const slot = this.#slots[i] ?? empty;
      if (slot === empty) return entries;
      const page = this.#pages[Math.floor(slot / perPage)];
      const entry = slot % perPage;
      if (!page || !isAt(page.serials, entry * serialWidth, target)) continue;
      const { set, at, reasons } = page;
      entries.push({ set, at: at[entry] ?? 0, reason: reasons[entry] ?? 0 });
    }
  }

  #insert(number: number, first: number): void {
    const page = this.#pages[number];
    if (!page) return;
    for (let entry = first; entry < page.at.length; entry++) {
      if (++this.#count * 2 > this.#slots.length) this.#enlarge();
      this.#put(page, number * perPage + entry);
    }
  }
  #put(page: RevokedPage, slot: number): void {
    const mask = this.#slots.length - 1;
    let i = hashOf(page.serials, (slot % perPage) * serialWidth) & mask;
    while (this.#slots[i] !== empty) i = (i + 1) & mask;
    this.#slots[i] = slot;
  }
  #enlarge(): void {
    const before = this.#slots;
    this.#slots = new Int32Array(before.length * 2).fill(empty);
    for (const slot of before) {
      const page = slot === empty ? undefined : this.#pages[Math.floor(slot / perPage)];
      if (page) this.#put(page, slot);
    }
  }
}

/**
 * Returns the FNV-1a hash of a serial number. A weak hash suffices, because callers who revoke
 * certificates do not choose serial numbers.
 */
function hashOf(bytes: Uint8Array, at: number): number {
  let hash = 0x811c9dc5;
  for (let i = at; i < at + serialWidth; i++) hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x01000193);
  return hash >>> 0;
}
function isAt(bytes: Uint8Array, at: number, target: Uint8Array): boolean {
  for (let i = 0; i < serialWidth; i++) if (bytes[at + i] !== target[i]) return false;
  return true;
}
