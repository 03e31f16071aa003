/** The first DER violation in an encoding. */
export interface DerFault {
  /** Offset of the element in bytes. */
  readonly at: number;
  /** The violation, with the section of X.690 that it violates. */
  readonly rule: string;
}

interface Header {
  readonly tag: number;
  readonly content: number;
  readonly end: number;
}

const maxDepth = 32;
/**
 * Reports whether DER requires the primitive encoding for a universal type, as it does for strings
 * and times.
 */
const isPrimitiveType = (type: number): boolean =>
  (type >= 1 && type <= 6) || type === 10 || type === 12 || (type >= 18 && type <= 30);

/** Parses the tag and the length of the element at the given offset, or returns the violation. */
function readHeader(bytes: Uint8Array, at: number, end: number): Header | string {
  const [tag = 0, first] = bytes.subarray(at, end);
  if ((tag & 0x1f) === 0x1f)
    return "the tag has more than one byte, which never occurs in a certificate";
  if (first === undefined) return "the length octets are missing";
  if (first === 0x80) return "the length is indefinite (X.690 10.1)";
  const digits = first < 0x80 ? 0 : first & 0x7f;
  const content = at + 2 + digits;
  if (digits > 4 || content > end) return "the length is too long";
  let length = digits === 0 ? first : 0;
  for (const byte of bytes.subarray(at + 2, content)) length = length * 256 + byte;
  if (digits > 0 && length < (digits === 1 ? 0x80 : 256 ** (digits - 1)))
    return "the length is not in its shortest form (X.690 10.1)";
  if (content + length > end)
    return `the length is ${length}, but only ${end - content} bytes follow`;
  return { tag, content, end: content + length };
}

/** Returns the violation in the content of a primitive element, or an empty string. */
function brokenRule(tag: number, content: Uint8Array): string {
  const [first = 0, second = 0] = content;
  const text = String.fromCharCode(...content.subarray(0, 32));
  if (tag === 0x01 && (content.length !== 1 || (first !== 0 && first !== 0xff)))
    return "a BOOLEAN is neither 00 nor FF (X.690 11.1)";
  if (tag === 0x02 || tag === 0x0a) {
    if (content.length === 0) return "an INTEGER is empty (X.690 8.3.1)";
    const isPadded =
      content.length > 1 && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80));
    return isPadded ? "an INTEGER is not in its shortest form (X.690 8.3.2)" : "";
  }
  if (tag === 0x03) {
    const last = content.length > 1 ? (content[content.length - 1] ?? 0) : 0;
    if (content.length === 0 || first > 7 || (content.length === 1 && first > 0))
      return "a BIT STRING has an invalid number of unused bits (X.690 8.6.2)";
    return (last & ((1 << first) - 1)) === 0
      ? ""
      : "a BIT STRING has unused bits that are not zero (X.690 11.2.1)";
  }
  if (tag === 0x05 && content.length > 0) return "a NULL is not empty (X.690 8.8)";
  if (tag === 0x17 && !/^\d{12}Z$/.test(text)) return "a UTCTime is not YYMMDDHHMMSSZ (X.690 11.8)";
  if (tag === 0x18 && !/^\d{14}(?:\.\d*[1-9])?Z$/.test(text))
    return "a GeneralizedTime is not YYYYMMDDHHMMSSZ (X.690 11.7)";
  return "";
}

function faultIn(
  bytes: Uint8Array,
  from: number,
  end: number,
  depth: number,
): DerFault | undefined {
  for (let at = from; at < end;) {
    const header = readHeader(bytes, at, end);
    if (typeof header === "string") return { at, rule: header };
    const { tag } = header;
    const isConstructed = (tag & 0x20) !== 0;
    const type = tag & 0x1f;
    if (tag < 0x40 && isConstructed && isPrimitiveType(type))
      return { at, rule: "a string or number is split into parts (X.690 10.2)" };
    if (tag < 0x40 && !isConstructed && (type === 16 || type === 17))
      return { at, rule: "a SEQUENCE or SET is not constructed (X.690 8.9)" };
    const inner =
      isConstructed && depth < maxDepth
        ? faultIn(bytes, header.content, header.end, depth + 1)
        : undefined;
    if (inner) return inner;
    const rule = isConstructed ? "" : brokenRule(tag, bytes.subarray(header.content, header.end));
    if (rule !== "") return { at, rule };
    at = header.end;
  }
  return undefined;
}

/**
 * Finds the first violation of DER, if any, that can be detected without a schema. Trailing bytes
 * after the first element are a violation too.
 */
export function findDerFault(bytes: Uint8Array): DerFault | undefined {
  const outer = readHeader(bytes, 0, bytes.length);
  if (typeof outer === "string") return { at: 0, rule: outer };
  const inner = faultIn(bytes, 0, outer.end, 0);
  if (inner || outer.end === bytes.length) return inner;
  return { at: outer.end, rule: `${bytes.length - outer.end} bytes follow the structure` };
}
