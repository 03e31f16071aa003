import { concat, utf8 } from "../base/bytes.ts";
import { NetError } from "./failure.ts";

/** Numbers of the record types. */
export const recordTypes = { A: 1, CNAME: 5, TXT: 16, AAAA: 28 } as const;
/** The record types that can be queried. */
export type QueryType = "A" | "AAAA" | "TXT";

/** A record of class IN: its owner in lower case, and its data with names uncompressed. */
export interface DnsRecord {
  readonly owner: string;
  readonly type: number;
  readonly data: Uint8Array;
  /** The target of a CNAME, in lower case. */
  readonly target?: string;
}
/** A successful response, possibly without records. */
interface DnsAnswer {
  /** Whether the last name in the CNAME chain does not exist (NXDOMAIN). */
  readonly noName: boolean;
  readonly records: readonly DnsRecord[];
}

/** Returns the error for a failed query. */
export const dnsFailed = (what: string, options?: ErrorOptions): NetError =>
  new NetError("dns", what, options);
const unreadable = () => dnsFailed("the nameserver's response cannot be parsed");

/**
 * Encodes a name as labels with length prefixes. Returns undefined if the name is not valid in DNS.
 */
function wireName(name: string): Uint8Array | undefined {
  const labels = name.replace(/\.$/, "").split(".");
  if (!labels.every((label) => /^[\x21-\x2d\x2f-\x5b\x5d-\x7e]{1,63}$/.test(label)))
    return undefined;
  const wire = concat([
    ...labels.flatMap((label) => [Uint8Array.of(label.length), utf8(label)]),
    Uint8Array.of(0),
  ]);
  return wire.length <= 255 ? wire : undefined;
}

const two = (number: number) => Uint8Array.of(number >> 8, number & 0xff);

/**
 * Encodes a question of class IN with recursion desired (RFC 1035 section 4). Throws `NetError` for
 * a name that is not valid in DNS.
 */
export function dnsQuestion(id: number, name: string, type: QueryType): Uint8Array {
  const wire = wireName(name);
  if (!wire) throw dnsFailed("the queried name is not a valid DNS name");
  const header = [two(id), Uint8Array.of(1, 0), two(1), two(0), two(0), two(0)];
  return concat([...header, wire, two(recordTypes[type]), two(1)]);
}

const codes = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"];

/**
 * Parses the response to a question. Reads only the answer section. Throws `NetError` if the
 * response is for a different question, is truncated or malformed, or contains an error code.
 */
export function dnsAnswer(question: Uint8Array, message: Uint8Array): DnsAnswer {
  const reader = new MessageReader(message);
  const [id, flags, questions, answers] = [reader.u16(), reader.u16(), reader.u16(), reader.u16()];
  reader.skip(4);
  const query = new MessageReader(question);
  if (id !== query.u16() || (flags & 0xf800) !== 0x8000 || questions > 1)
    throw dnsFailed("the nameserver answered a different question");
  const code = flags & 0xf;
  if (code !== 0 && code !== 3)
    throw dnsFailed(`the nameserver returned an error (${codes[code] ?? `code ${code}`})`);
  query.skip(10);
  if (questions === 0 || !sameQuestion(query, reader))
    throw dnsFailed("the nameserver answered a different question");
  if (flags & 0x0200) throw dnsFailed("the nameserver's response is truncated");
  const records = Array.from({ length: answers }, () => recordOf(reader));
  return { noName: code === 3, records: records.flatMap((record) => record ?? []) };
}

const sameQuestion = (one: MessageReader, other: MessageReader): boolean =>
  one.name() === other.name() && one.u16() === other.u16() && one.u16() === other.u16();

/** Reads the next record. Returns undefined if its class is not IN. */
function recordOf(reader: MessageReader): DnsRecord | undefined {
  const [owner, type, kind] = [reader.name(), reader.u16(), reader.u16()];
  reader.skip(4);
  const length = reader.u16();
  const end = reader.at + length;
  const target = type === recordTypes.CNAME && kind === 1 ? reader.name() : undefined;
  if (target !== undefined && reader.at !== end) throw unreadable();
  const data = target === undefined ? reader.bytes(length) : new Uint8Array();
  if (kind !== 1) return undefined;
  return { owner, type, data, ...(target === undefined ? {} : { target }) };
}

/** A reader of a DNS message. Methods throw `NetError` if the message is truncated. */
class MessageReader {
  readonly #bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  skip(length: number): void {
    this.at += length;
    if (this.at > this.#bytes.length) throw unreadable();
  }

  bytes(length: number): Uint8Array {
    this.skip(length);
    return this.#bytes.subarray(this.at - length, this.at);
  }

  u16(): number {
    const [high = 0, low = 0] = this.bytes(2);
    return (high << 8) | low;
  }

  /**
   * Reads a name and returns it in lower case, with its labels joined by dots. A dot within a label
   * becomes `\.`. Each compression pointer must point further back than the previous one, which
   * bounds the work.
   */
  name(): string {
    const labels: string[] = [];
    let [at, before, after, total] = [this.at, this.at, -1, 1];
    for (;;) {
      const length = this.#bytes[at] ?? unread();
      if (length >= 0xc0) {
        if (after < 0) after = at + 2;
        at = ((length & 0x3f) << 8) | (this.#bytes[at + 1] ?? unread());
        if (at >= before) throw unreadable();
        before = at;
        continue;
      }
      total += length + 1;
      if (length > 63 || total > 256 || at + length >= this.#bytes.length) throw unreadable();
      if (length === 0) break;
      labels.push(labelText(this.#bytes.subarray(at + 1, at + 1 + length)));
      at += length + 1;
    }
    this.at = after < 0 ? at + 1 : after;
    return labels.join(".");
  }
}

const unread = (): never => {
  throw unreadable();
};

/**
 * Decodes a label. Converts ASCII letters to lower case (RFC 4343) and leaves other bytes
 * unchanged.
 */
const labelText = (label: Uint8Array): string =>
  String.fromCharCode(...label)
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    .replace(/[.\\]/g, "\\$&");
