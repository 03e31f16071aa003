import { fromBase64, toBase64, type Bytes } from "./bytes.ts";
import { CaError } from "./errors.ts";

/** A block of PEM text. */
export interface PemBlock {
  /** Label of the block, which follows BEGIN, such as `CERTIFICATE`. */
  readonly label: string;
  readonly der: Bytes;
}

/** Encodes a PEM block with lines of 64 characters and without a final newline (RFC 7468). */
export function encodePem(label: string, der: Uint8Array): string {
  const base64 = toBase64(der);
  let text = `-----BEGIN ${label}-----\n`;
  for (let at = 0; at < base64.length; at += 64) text += `${base64.slice(at, at + 64)}\n`;
  return `${text}-----END ${label}-----`;
}

const begin = "-----BEGIN ";

/** Returns the position of the next BEGIN at the start of a line, or -1. */
function findBegin(text: string, from: number): number {
  let at = text.indexOf(begin, from);
  while (at > 0 && text[at - 1] !== "\n") at = text.indexOf(begin, at + 1);
  return at;
}

/**
 * Removes RFC 1421 headers (`Name: value` and continuation lines) from the beginning of a block.
 */
function withoutHeaders(lines: readonly string[]): readonly string[] {
  let first = 0;
  while (first < lines.length && (lines[first] ?? "").trim() === "") first++;
  if (!(lines[first] ?? "").includes(":")) return lines;
  while (
    first < lines.length &&
    (lines[first]?.includes(":") || /^[ \t]+\S/.test(lines[first] ?? ""))
  )
    first++;
  return lines.slice(first);
}

/**
 * Parses all blocks of PEM text. Accepts text between blocks, any line endings, headers in blocks,
 * a byte order mark, and a missing final newline. Returns an empty list if there are no blocks.
 * Throws `CaError` `malformed` if a block is encrypted or cannot be decoded.
 */
export function decodePem(text: string): readonly PemBlock[] {
  const lined = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const blocks: PemBlock[] = [];
  for (let at = findBegin(lined, 0); at >= 0;) {
    const fail = (why: string): CaError =>
      new CaError("malformed", `PEM block ${blocks.length + 1}: ${why}`);
    const labelAt = at + begin.length;
    const labelEnd = lined.indexOf("-----", labelAt);
    const lineEnd = lined.indexOf("\n", labelAt);
    if (labelEnd < 0 || lineEnd < labelEnd) throw fail("the BEGIN line is incomplete");
    const label = lined.slice(labelAt, labelEnd);
    const end = `-----END ${label}-----`;
    const bodyEnd = lined.indexOf(end, labelEnd + 5);
    if (bodyEnd < 0) throw fail(`no END line for ${label}`);
    const lines = lined.slice(labelEnd + 5, bodyEnd).split("\n");
    if (lines.some((line) => /^Proc-Type:.*ENCRYPTED/.test(line)))
      throw fail(`${label} is encrypted`);
    const der = fromBase64(
      withoutHeaders(lines)
        .join("")
        .replace(/[ \t\f\v]+/g, ""),
    );
    if (!der || der.length === 0) throw fail(`${label} is not base64`);
    blocks.push({ label, der });
    at = findBegin(lined, bodyEnd + end.length);
  }
  return blocks;
}
