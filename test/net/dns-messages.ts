import { bytesOf } from "./streams.ts";

/** A record of a response; `data` is bytes, or a name for CNAME. */
export interface Answer {
  readonly owner: string;
  readonly type: number;
  readonly data: Uint8Array | string;
  readonly kind?: number;
}
/** The header fields of a response. */
export interface Header {
  readonly id?: number;
  readonly flags?: number;
  readonly questions?: readonly (readonly [name: string, type: number, kind?: number])[];
  /** The number of records that the header claims. */
  readonly count?: number;
}

const two = (number: number) => [number >> 8, number & 0xff];
/** Encodes a name without compression. */
export const wire = (name: string): readonly number[] => [
  ...name
    .split(".")
    .filter(Boolean)
    .flatMap((label) => [label.length, ...bytesOf(label)]),
  0,
];

/** Encodes the data of a TXT record with these strings. */
export const strings = (...texts: readonly string[]): Uint8Array =>
  Uint8Array.from(texts.flatMap((text) => [text.length, ...bytesOf(text)]));

/** Encodes a record. */
export function record({ owner, type, data, kind = 1 }: Answer): readonly number[] {
  const bytes = typeof data === "string" ? wire(data) : [...data];
  return [...wire(owner), ...two(type), ...two(kind), 0, 0, 0, 60, ...two(bytes.length), ...bytes];
}

/** Encodes a response to a question that {@link questionIn} has parsed. */
export function answerTo(
  asked: { readonly id: number; readonly name: string; readonly type: number },
  records: readonly Answer[],
  header: Header = {},
): Uint8Array {
  const questions = header.questions ?? [[asked.name, asked.type]];
  return Uint8Array.from([
    ...two(header.id ?? asked.id),
    ...two(header.flags ?? 0x8180),
    ...two(questions.length),
    ...two(header.count ?? records.length),
    ...two(0),
    ...two(0),
    ...questions.flatMap(([name, type, kind = 1]) => [...wire(name), ...two(type), ...two(kind)]),
    ...records.flatMap(record),
  ]);
}

/** Parses a question. */
export function questionIn(message: Uint8Array): {
  readonly id: number;
  readonly name: string;
  readonly type: number;
} {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(String.fromCharCode(...message.subarray(at + 1, at + 1 + length)));
    at += length + 1;
  }
  const u16 = (from: number) => ((message[from] ?? 0) << 8) | (message[from + 1] ?? 0);
  return { id: u16(0), name: labels.join("."), type: u16(at + 1) };
}
