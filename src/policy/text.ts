import { refusePolicy } from "./refuse.ts";

/** A value in the text of a policy, with its position. */
export interface Node {
  /** Line number, counted from 1. */
  readonly line: number;
  readonly value: Value;
}
/** A scalar, the nodes of a list, or the members of a map or block. */
export type Value =
  | string
  | number
  | boolean
  | null
  | { readonly list: readonly Node[] }
  | { readonly members: readonly Member[] };
/** An attribute, or a block with its labels, such as `path "secret/*" { … }`. */
export interface Member extends Node {
  readonly name: string;
  readonly labels: readonly string[];
}

/** Maximum length of a policy's text in characters. */
const maxTextLength = 262_144;
const deepest = 16;
/** Quotes a part of the text for an error message. */
const quote = (text: string): string => JSON.stringify(text.slice(0, 64));

interface Reader {
  readonly text: string;
  /** Whether the text is JSON, with quoted names and colons, and without comments. */
  readonly json: boolean;
  at: number;
  line: number;
}

/**
 * Parses the text of a policy: JSON if it begins with a brace, and otherwise a subset of HCL
 * (attributes, labelled blocks, strings, numbers, true, false, null, lists, maps, comments). Throws
 * `malformed` with a message such as `failed to parse policy: line 3: …`. Duplicate names are
 * errors, except for labelled blocks.
 */
export function readMembers(text: string): readonly Member[] {
  if (text.length > maxTextLength)
    return refusePolicy(1, `the text must have at most ${maxTextLength} characters`);
  const reader: Reader = { text, json: /^\s*\{/.test(text), at: 0, line: 1 };
  skip(reader);
  const open = reader.json && consume(reader, "{");
  const members = readBody(reader, open ? "}" : "", 1);
  skip(reader);
  if (reader.at < text.length) unexpected(reader);
  return members;
}

const unexpected = (reader: Reader): never =>
  refusePolicy(
    reader.line,
    reader.at < reader.text.length
      ? `unexpected ${quote(String.fromCodePoint(reader.text.codePointAt(reader.at) ?? 0))}`
      : "the text ends unexpectedly",
  );

const spaces = /[\s\uFEFF]*/y;
const lineComment = /(?:#|\/\/)[^\n]*/y;
/** Skips white space and, in HCL, comments. */
function skip(reader: Reader): void {
  for (;;) {
    pass(reader, matchAt(reader, spaces) ?? "");
    if (reader.json) return;
    const comment = matchAt(reader, lineComment) ?? blockComment(reader);
    if (comment === undefined) return;
    pass(reader, comment);
  }
}
function blockComment({ text, at, line }: Reader): string | undefined {
  if (!text.startsWith("/*", at)) return undefined;
  const end = text.indexOf("*/", at + 2);
  return end < 0 ? refusePolicy(line, "the comment is not closed") : text.slice(at, end + 2);
}
function matchAt({ text, at }: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
function pass(reader: Reader, passed: string): void {
  reader.at += passed.length;
  for (let at = passed.indexOf("\n"); at >= 0; at = passed.indexOf("\n", at + 1)) reader.line++;
}
function consume(reader: Reader, mark: string): boolean {
  skip(reader);
  const isPresent = reader.text.startsWith(mark, reader.at);
  if (isPresent) reader.at += mark.length;
  return isPresent;
}

/**
 * Skips `close` if it follows, and reports whether it does. If `close` is empty, reports whether
 * the text has ended.
 */
function isAtEnd(reader: Reader, close: string): boolean {
  return close === "" ? (skip(reader), reader.at === reader.text.length) : consume(reader, close);
}
/**
 * Skips the separator between two members or items. Returns whether another member or item must
 * follow.
 */
function separated(reader: Reader, close: string, needed = reader.json): boolean {
  const comma = consume(reader, ",");
  if (needed && !comma && !reader.text.startsWith(close, reader.at)) unexpected(reader);
  return reader.json && comma;
}

function readBody(reader: Reader, close: string, depth: number): readonly Member[] {
  if (depth > deepest) refusePolicy(reader.line, `nested more than ${deepest} levels deep`);
  const members: Member[] = [];
  const names = new Set<string>();
  let demanded = false;
  for (;;) {
    if (!demanded && isAtEnd(reader, close)) return members;
    const member = readMember(reader, depth);
    if (names.has(member.name) && member.labels.length === 0)
      refusePolicy(member.line, `duplicate attribute ${quote(member.name)}`);
    names.add(member.name);
    members.push(member);
    demanded = separated(reader, close);
  }
}
const bareName = /[A-Za-z_][\w.-]*/y;
function readMember(reader: Reader, depth: number): Member {
  skip(reader);
  const { line } = reader;
  const name = readQuoted(reader) ?? (reader.json ? undefined : readBare(reader));
  if (name === undefined) return unexpected(reader);
  const labels: string[] = [];
  if (reader.json) {
    if (!consume(reader, ":")) unexpected(reader);
    return { name, labels, ...readNode(reader, depth) };
  }
  for (;;) {
    skip(reader);
    const label = readQuoted(reader);
    if (label === undefined) break;
    labels.push(label);
  }
  if (labels.length === 0 && consume(reader, "=")) {
    const node = readNode(reader, depth);
    return { name, labels, ...node, line };
  }
  if (!consume(reader, "{")) unexpected(reader);
  return { name, labels, line, value: { members: readBody(reader, "}", depth + 1) } };
}
function readBare(reader: Reader): string | undefined {
  const name = matchAt(reader, bareName);
  reader.at += name?.length ?? 0;
  return name;
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;
const literals: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };
function readNode(reader: Reader, depth: number): Node {
  skip(reader);
  const { line } = reader;
  if (consume(reader, "{")) return { line, value: { members: readBody(reader, "}", depth + 1) } };
  if (consume(reader, "[")) return { line, value: { list: readList(reader, depth + 1) } };
  const text = readQuoted(reader);
  if (text !== undefined) return { line, value: text };
  const digits = matchAt(reader, number);
  if (digits !== undefined) {
    reader.at += digits.length;
    return { line, value: Number(digits) };
  }
  const word = matchAt(reader, bareName) ?? "";
  if (!Object.hasOwn(literals, word)) {
    if (reader.text.startsWith("<<", reader.at)) refusePolicy(line, "heredocs are not supported");
    return word === "" ? unexpected(reader) : refusePolicy(line, `unexpected ${quote(word)}`);
  }
  reader.at += word.length;
  return { line, value: literals[word] ?? null };
}
function readList(reader: Reader, depth: number): readonly Node[] {
  if (depth > deepest) refusePolicy(reader.line, `nested more than ${deepest} levels deep`);
  const items: Node[] = [];
  for (let demanded = false; ; demanded = separated(reader, "]", true)) {
    if (!demanded && consume(reader, "]")) return items;
    items.push(readNode(reader, depth));
  }
}

// oxlint-disable-next-line no-control-regex -- the pattern excludes control characters
const quoted = /"(?:[^"\\\u0000-\u0008\u000a-\u001f\u007f]|\\.)*"/y;
const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  '"': '"',
  "\\": "\\",
  "/": "/",
};
/** Reads a quoted string and decodes its escapes. Returns undefined if none follows. */
function readQuoted(reader: Reader): string | undefined {
  if (reader.text[reader.at] !== '"') return undefined;
  const { line } = reader;
  const literal = matchAt(reader, quoted);
  if (literal === undefined)
    return refusePolicy(line, "the string is not closed, or contains a control character");
  reader.at += literal.length;
  const text = literal
    .slice(1, -1)
    .replace(/\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))/gu, (_, four, eight, other) =>
      unescaped(line, four ?? eight, other),
    );
  return /\p{Surrogate}/u.test(text)
    ? refusePolicy(line, "the string contains an unpaired surrogate")
    : text;
}
function unescaped(line: number, hex: string | undefined, other: string): string {
  if (hex === undefined) {
    const plain = Object.hasOwn(escapes, other) ? escapes[other] : undefined;
    return plain ?? refusePolicy(line, `unknown escape \\${other}`);
  }
  const point = Number.parseInt(hex, 16);
  if (hex.length === 4) return String.fromCharCode(point);
  return point <= 0x10ffff
    ? String.fromCodePoint(point)
    : refusePolicy(line, `U+${hex} is not a code point`);
}
