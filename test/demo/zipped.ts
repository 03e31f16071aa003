import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import { expect } from "vitest";

/** Reads the files of a ZIP archive by its central directory, and verifies their checksums. */
export function filesOf(path: string): ReadonlyMap<string, string> {
  const bytes = readFileSync(path);
  const end = bytes.length - 22;
  expect(bytes.readUInt32LE(end)).toBe(0x06054b50);
  const files = new Map<string, string>();
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    expect(bytes.readUInt32LE(at)).toBe(0x02014b50);
    const [sum, size, length] = [
      bytes.readUInt32LE(at + 16),
      bytes.readUInt32LE(at + 24),
      bytes.readUInt16LE(at + 28),
    ];
    const local = bytes.readUInt32LE(at + 42);
    expect(bytes.readUInt32LE(local)).toBe(0x04034b50);
    const content = bytes.subarray(local + 30 + length, local + 30 + length + size);
    expect(crc32(content)).toBe(sum);
    files.set(bytes.toString("utf8", at + 46, at + 46 + length), content.toString("utf8"));
    at += 46 + length;
  }
  expect(at).toBe(end);
  return files;
}
