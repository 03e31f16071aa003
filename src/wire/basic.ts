import { fromBase64, fromUtf8 } from "../base/bytes.ts";
import { hasControlCharacter } from "../base/names.ts";

/** User name and password of HTTP Basic (RFC 7617). */
export interface Basic {
  readonly name: string;
  readonly password: string;
}
/** Longest header that is looked at. */
const longest = 8192;
/** Sent, and not to be read: they are nobody's. */
const nobody: Basic = { name: "", password: "" };

/**
 * User name and password in the header `Authorization`; empty ones where it is Basic and cannot be
 * read, undefined where it is something else.
 */
export function basicIn(header: string | null): Basic | undefined {
  const [, sent] = /^basic(?: +(.*))?$/i.exec(header ?? "") ?? [];
  if (header === null || !/^basic(?: |$)/i.test(header)) return undefined;
  const bytes = header.length > longest ? undefined : fromBase64((sent ?? "").trim());
  if (!bytes) return nobody;
  let text;
  try {
    text = fromUtf8(bytes);
  } catch {
    return nobody;
  }
  const colon = text.indexOf(":");
  if (colon < 0 || hasControlCharacter(text)) return nobody;
  return { name: text.slice(0, colon), password: text.slice(colon + 1) };
}
