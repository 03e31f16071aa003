/** The first byte of an encoded value, which states the format of the rest. */
const raw = 0; // the value itself is a byte array
const json = 1; // JSON in UTF-8
// length of the JSON (4 bytes, big-endian), JSON of [value, ...places], then the byte arrays
const mixed = 2;
const list = 3; // encoded values, each after its length (4 bytes, big-endian)

/**
 * The path of a byte array in a value, in which null replaces the array, and the array's length.
 */
type Place = readonly [path: readonly (string | number)[], length: number];

const writer = new TextEncoder();
const reader = new TextDecoder();

/**
 * Encodes JSON data that may contain `Uint8Array` into a buffer of exactly the encoded length.
 * Throws TypeError for other values.
 */
export function encode(value: unknown): Uint8Array<ArrayBuffer> {
  if (value instanceof Uint8Array) {
    const whole = new Uint8Array(1 + value.length);
    whole[0] = raw;
    whole.set(value, 1);
    return whole;
  }
  const arrays: Uint8Array[] = [];
  const places: Place[] = [];
  const rest = extract(value, [], places, arrays);
  const text = JSON.stringify(arrays.length > 0 ? [rest, ...places] : rest);
  if (text === undefined) throw new TypeError("the value cannot be stored");
  return join(text, arrays);
}

/** Returns the encoding of an array, given the encodings of its values. */
export function joinEncoded(values: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(values.reduce((sum, { length }) => sum + 4 + length, 1));
  whole[0] = list;
  let at = 1;
  for (const value of values) {
    writeLength(whole, at, value.length);
    whole.set(value, at + 4);
    at += 4 + value.length;
  }
  return whole;
}
function writeLength(bytes: Uint8Array, at: number, length: number): void {
  for (let i = 0; i < 4; i++) bytes[at + i] = length >>> (24 - 8 * i);
}
const readLength = (bytes: Uint8Array, at: number): number =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(at);

/**
 * Returns the encoding of a byte array, which must not change afterwards. Does not copy the array
 * if its buffer contains only the format byte and the array (see {@link afterFormat}).
 */
export function encodeUnchanging(bytes: Uint8Array): Uint8Array {
  const { buffer, byteOffset, length } = bytes;
  if (byteOffset !== 1 || buffer.byteLength !== length + 1) return encode(bytes);
  const whole = new Uint8Array(buffer);
  return whole[0] === raw ? whole : encode(bytes);
}
/** The first byte of a buffer whose other bytes are encoded without a copy. */
export const formatOfBytes = raw;
/** Returns the bytes of a buffer after the first byte, which is {@link formatOfBytes}. */
export const afterFormat = (whole: Uint8Array): Uint8Array => whole.subarray(1);

function join(text: string, arrays: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const head = arrays.length === 0 ? 1 : 5;
  const bytes = arrays.reduce((sum, array) => sum + array.length, 0);
  let { length } = text;
  let whole = new Uint8Array(head + length + bytes);
  // most strings are ASCII, and can be encoded in place without a separate array
  if (writer.encodeInto(text, whole.subarray(head, head + length)).read < text.length) {
    const utf8 = writer.encode(text);
    ({ length } = utf8);
    whole = new Uint8Array(head + length + bytes);
    whole.set(utf8, head);
  }
  whole[0] = arrays.length === 0 ? json : mixed;
  if (head > 1) writeLength(whole, 1, length);
  let at = head + length;
  for (const array of arrays) {
    whole.set(array, at);
    at += array.length;
  }
  return whole;
}

/** Replaces each byte array in a value with null. Returns a value without byte arrays unchanged. */
function extract(
  value: unknown,
  path: readonly (string | number)[],
  places: Place[],
  arrays: Uint8Array[],
): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) {
    places.push([path, value.length]);
    arrays.push(value);
    return null;
  }
  if (Array.isArray(value)) {
    const before = arrays.length;
    const items = value.map((item, at) => extract(item, [...path, at], places, arrays));
    return arrays.length > before ? items : value;
  }
  let copy: object | undefined;
  for (const [name, item] of Object.entries(value)) {
    if (typeof item !== "object" || item === null) continue;
    const rest = extract(item, [...path, name], places, arrays);
    if (rest === item) continue;
    copy ??= { ...value };
    // an assignment to `__proto__` would set the prototype
    Object.defineProperty(copy, name, { value: rest, enumerable: true });
  }
  return copy ?? value;
}

/**
 * Decodes a value. The value shares no memory with `bytes`. Throws TypeError if the bytes are
 * malformed.
 */
export function decode(bytes: Uint8Array): unknown {
  switch (bytes[0]) {
    case raw:
      return new Uint8Array(bytes.subarray(1));
    case json:
      return JSON.parse(reader.decode(bytes.subarray(1)));
    case mixed:
      return decodeMixed(bytes);
    case list:
      return decodeList(bytes, decode);
    default:
      throw new TypeError("the bytes are not an encoded value");
  }
}

/**
 * Decodes a value. A byte array that is the value, or is in a list, is a view of `bytes`, so
 * `bytes` must not change afterwards.
 */
export const decodeView = (bytes: Uint8Array): unknown =>
  bytes[0] === raw
    ? bytes.subarray(1)
    : bytes[0] === list
      ? decodeList(bytes, decodeView)
      : decode(bytes);

function decodeList(
  bytes: Uint8Array,
  decodeOne: (bytes: Uint8Array) => unknown,
): readonly unknown[] {
  const values: unknown[] = [];
  for (let at = 1; at < bytes.length;) {
    const end = at + 4 + readLength(bytes, at);
    values.push(decodeOne(bytes.subarray(at + 4, end)));
    at = end;
  }
  return values;
}

function decodeMixed(bytes: Uint8Array): unknown {
  let at = 5 + readLength(bytes, 1);
  const [value, ...places]: [unknown, ...Place[]] = JSON.parse(
    reader.decode(bytes.subarray(5, at)),
  );
  for (const [path, length] of places) {
    insertBytes(value, path, new Uint8Array(bytes.subarray(at, at + length)));
    at += length;
  }
  return value;
}

function insertBytes(value: unknown, path: readonly (string | number)[], bytes: Uint8Array): void {
  let holder = value as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) holder = holder[step] as Record<string | number, unknown>;
  holder[path[path.length - 1] ?? 0] = bytes;
}

/**
 * Returns a deep copy of a value. Uses `structuredClone` only for values other than JSON data and
 * `Uint8Array`.
 */
export function deepCopy<T>(value: T): T {
  // the copy has the same type as the original
  return copied(value) as T;
}
function copied(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  // structuredClone would copy the whole buffer of a short view
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (Array.isArray(value)) return value.map(deepCopy);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return structuredClone(value);
  // a spread copies all members at once, which suffices for most of them
  const copy: Record<string, unknown> = { ...value };
  for (const name of Object.keys(copy)) {
    const item = copy[name];
    if (typeof item === "object" && item !== null) copy[name] = copied(item);
  }
  return copy;
}
