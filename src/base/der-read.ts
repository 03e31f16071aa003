import { readOid, isUtcYear, readTime, type TimeTag } from "./der-element.ts";
import { CaError } from "./errors.ts";

/**
 * A DER element: its tag, all its bytes, and its content. The byte arrays are views, not copies.
 */
export interface Element {
  readonly tag: number;
  readonly der: Uint8Array;
  readonly content: Uint8Array;
}

/** Maximum nesting depth of elements. A certificate needs 9. */
const maxDepth = 32;
/**
 * Default maximum size of the input, in bytes. Certificates and CSRs are far smaller. Callers that
 * read CRLs and bundles pass a higher limit.
 */
const defaultLimit = 1024 * 1024;

/**
 * A reader that returns the elements of one level in order and enforces DER (X.690). Each method
 * consumes the next element, or throws `CaError` `malformed` with a message that contains the
 * position.
 */
export class Reader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  readonly #depth: number;
  readonly #where: string;
  readonly #parent: Reader | undefined;
  #at: number;
  #start = 0;
  #content = 0;

  constructor(
    bytes: Uint8Array,
    where: string,
    range?: {
      readonly at: number;
      readonly end: number;
      readonly depth: number;
      readonly parent: Reader;
    },
  ) {
    this.#bytes = bytes;
    this.#where = where;
    this.#at = range?.at ?? 0;
    this.#end = range?.end ?? bytes.length;
    this.#depth = range?.depth ?? 0;
    this.#parent = range?.parent;
    if (this.#depth > maxDepth) throw this.refuse(`nested deeper than ${maxDepth} levels`);
  }

  /** Position of this reader for error messages, such as `certificate, TBSCertificate`. */
  get where(): string {
    return this.#parent ? `${this.#parent.where}, ${this.#where}` : this.#where;
  }

  /** Tag of the next element, or undefined at the end. */
  get tag(): number | undefined {
    return this.#at < this.#end ? this.#bytes[this.#at] : undefined;
  }

  /** Returns an error whose message begins with the position of this reader. */
  refuse(why: string): CaError {
    return new CaError("malformed", `${this.where}: ${why}`);
  }

  #advance(what: string, expected: number | undefined): number {
    const bytes = this.#bytes;
    const at = this.#at;
    if (at >= this.#end) throw this.refuse(`${what} is missing`);
    const tag = bytes[at] ?? 0;
    if (expected !== undefined && tag !== expected)
      throw this.refuse(
        `${what} has tag 0x${tag.toString(16)} instead of 0x${expected.toString(16)}`,
      );
    if ((tag & 0x1f) === 0x1f) throw this.refuse(`${what} has a tag number above 30`);
    // Of the universal types, DER allows only SEQUENCE (16) and SET (17) to be constructed. The tag
    // 0 marks the end of an indefinite length.
    if (
      tag < 0x40 &&
      (tag === 0 || (tag & 0x20) !== 0
        ? tag !== 0x30 && tag !== 0x31
        : tag === 0x10 || tag === 0x11)
    ) {
      throw this.refuse(`${what} has a tag that DER does not allow (0x${tag.toString(16)})`);
    }
    let length = bytes[at + 1] ?? 0;
    let content = at + 2;
    if (length >= 0x80) {
      const size = length & 0x7f;
      if (size === 0 || size > 4)
        throw this.refuse(`${what} has a length that is indefinite or too long`);
      length = 0;
      for (let i = 0; i < size; i++) length = length * 256 + (bytes[content + i] ?? 0);
      content += size;
      if (length < 0x80 || length < 2 ** (8 * (size - 1)))
        throw this.refuse(`${what} has a length that is not minimal`);
    }
    if (content + length > this.#end)
      throw this.refuse(`${what} is truncated at byte ${this.#end}`);
    this.#start = at;
    this.#content = content;
    this.#at = content + length;
    return tag;
  }

  /** Returns the next element, which must have the tag `tag` if that is given. */
  element(what: string, tag?: number): Element {
    const actual = this.#advance(what, tag);
    return {
      tag: actual,
      der: this.#bytes.subarray(this.#start, this.#at),
      content: this.#bytes.subarray(this.#content, this.#at),
    };
  }

  /** Returns all bytes of the next element. */
  raw(what: string, tag?: number): Uint8Array {
    this.#advance(what, tag);
    return this.#bytes.subarray(this.#start, this.#at);
  }

  /** Returns all bytes of the next element without consuming it. */
  peek(what: string): Uint8Array {
    const at = this.#at;
    const der = this.raw(what);
    this.#at = at;
    return der;
  }

  /** Returns the content of the next element, whose tag must be `tag`. */
  content(what: string, tag: number): Uint8Array {
    this.#advance(what, tag);
    return this.#bytes.subarray(this.#content, this.#at);
  }

  /**
   * Returns a reader for the content of the next element, which must be a SEQUENCE unless another
   * tag is given.
   */
  enter(what: string, tag = 0x30): Reader {
    this.#advance(what, tag);
    return new Reader(this.#bytes, what, {
      at: this.#content,
      end: this.#at,
      depth: this.#depth + 1,
      parent: this,
    });
  }

  /**
   * Enters the next element if it has the given tag. Otherwise returns undefined and consumes
   * nothing.
   */
  optional(what: string, tag: number): Reader | undefined {
    return this.tag === tag ? this.enter(what, tag) : undefined;
  }

  /** Requires that no bytes are left. */
  end(): void {
    if (this.#at < this.#end)
      throw this.refuse(`unexpected trailing bytes: ${this.#end - this.#at}`);
  }

  /** Returns the content of an INTEGER in two's complement, which must be minimal. */
  integer(what: string, tag = 0x02): Uint8Array {
    const bytes = this.content(what, tag);
    const [first, second = 0] = bytes;
    if (
      first === undefined ||
      (bytes.length > 1 && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80)))
    ) {
      throw this.refuse(`${what} is not a minimal INTEGER`);
    }
    return bytes;
  }

  /** Returns the content of a nonnegative INTEGER, including a leading zero byte. */
  unsigned(what: string, tag = 0x02): Uint8Array {
    const bytes = this.integer(what, tag);
    if ((bytes[0] ?? 0) >= 0x80) throw this.refuse(`${what} is negative`);
    return bytes;
  }

  /** Returns the value of an INTEGER from 0 to 2^53 - 1. */
  number(what: string, tag = 0x02): number {
    let value = 0;
    for (const byte of this.unsigned(what, tag)) value = value * 256 + byte;
    if (!Number.isSafeInteger(value)) throw this.refuse(`${what} is too large`);
    return value;
  }

  /** Returns the value of a BOOLEAN, which must be encoded as 00 or FF. */
  boolean(what: string, tag = 0x01): boolean {
    const bytes = this.content(what, tag);
    if (bytes.length !== 1 || (bytes[0] !== 0 && bytes[0] !== 0xff))
      throw this.refuse(`${what} is not a DER BOOLEAN`);
    return bytes[0] === 0xff;
  }

  /** Consumes a NULL. */
  null(what: string): void {
    if (this.content(what, 0x05).length > 0) throw this.refuse(`${what} is not an empty NULL`);
  }

  /** Returns the content of an OCTET STRING. */
  octets(what: string, tag = 0x04): Uint8Array {
    return this.content(what, tag);
  }

  /**
   * Returns the bytes of a BIT STRING, and the number of unused bits in the last byte. The unused
   * bits must be zero.
   */
  bitString(what: string, tag = 0x03): { readonly unused: number; readonly bytes: Uint8Array } {
    const content = this.content(what, tag);
    const unused = content[0] ?? 8;
    const last = content.at(-1) ?? 0;
    if (unused > 7 || (content.length === 1 && unused > 0))
      throw this.refuse(`${what} has an invalid number of unused bits`);
    if (content.length > 1 && (last & ((1 << unused) - 1)) !== 0)
      throw this.refuse(`${what} has unused bits that are not zero`);
    return { unused, bytes: content.subarray(1) };
  }

  /**
   * Returns the bytes of a BIT STRING that must not have unused bits, as in keys and signatures.
   */
  wholeBits(what: string): Uint8Array {
    const { unused, bytes } = this.bitString(what);
    if (unused !== 0) throw this.refuse(`${what} does not consist of whole bytes`);
    return bytes;
  }

  /** Returns an OBJECT IDENTIFIER in dotted-decimal notation. */
  oid(what: string, tag = 0x06): string {
    return readOid(this.content(what, tag), (why) => this.refuse(`${what} ${why}`));
  }

  /**
   * Returns the Unix seconds of a time as encoded in certificates and CRLs: UTCTime from 1950 to
   * 2049, and GeneralizedTime for all other years.
   */
  time(what: string): number {
    if (this.tag !== 0x17) {
      const seconds = this.generalizedTime(what);
      if (isUtcYear(seconds))
        throw this.refuse(`${what} is a GeneralizedTime although its year requires UTCTime`);
      return seconds;
    }
    return this.#seconds(what, 0x17);
  }

  /** Returns the Unix seconds of a GeneralizedTime of any year, which must be in whole seconds. */
  generalizedTime(what: string): number {
    return this.#seconds(what, 0x18);
  }

  #seconds(what: string, tag: TimeTag): number {
    const seconds = readTime(tag, this.content(what, tag));
    if (seconds === undefined)
      throw this.refuse(`${what} is not a time in whole seconds that ends with Z`);
    return seconds;
  }
}

/**
 * Returns a reader for the only element of `bytes`. `where` is the name of the element in error
 * messages, and `limit` is the maximum size in bytes.
 */
export function readDer(bytes: Uint8Array, where: string, limit = defaultLimit): Reader {
  if (bytes.length > limit) throw new CaError("malformed", `${where}: larger than ${limit} bytes`);
  const probe = new Reader(bytes, where);
  probe.element("the element");
  probe.end();
  return new Reader(bytes, where);
}

/** Calls `read` for each element of a SEQUENCE, which must not be empty. */
export function readEach(list: Reader, read: (list: Reader) => void): void {
  if (list.tag === undefined) throw list.refuse("is empty");
  while (list.tag !== undefined) read(list);
}

function checkElement(reader: Reader, work: Reader[]): void {
  switch (reader.tag) {
    case 0x01:
      return void reader.boolean("a BOOLEAN");
    case 0x02:
    case 0x0a:
      return void reader.integer("an INTEGER", reader.tag);
    case 0x03:
      return void reader.bitString("a BIT STRING");
    case 0x05:
      return reader.null("a NULL");
    case 0x06:
      return void reader.oid("an OBJECT IDENTIFIER");
    case 0x31:
      work.push(reader.enter("a SET", 0x31));
      return;
    default:
      if (((reader.tag ?? 0) & 0x20) !== 0) work.push(reader.enter("an element", reader.tag));
      else reader.element("an element");
  }
}

/**
 * Checks that a value, including all elements in it, is encoded in DER. Does not check the contents
 * of strings. Throws `CaError` `malformed` if the value is not DER.
 */
export function checkDer(bytes: Uint8Array, where: string, limit?: number): void {
  const work = [readDer(bytes, where, limit)];
  for (let reader = work.pop(); reader; reader = work.pop()) {
    while (reader.tag !== undefined) checkElement(reader, work);
  }
}
