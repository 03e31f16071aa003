import { describe, expect, it } from "vitest";
import { CaError } from "../../src/base/errors.ts";
import { decodePem, encodePem } from "../../src/base/pem.ts";

const der = Uint8Array.from({ length: 100 }, (_, i) => (i * 7) & 0xff);
const block = encodePem("CERTIFICATE", der);

describe("encodePem", () => {
  it("writes lines of 64 characters without a newline at the end", () => {
    const lines = block.split("\n");
    expect(lines[0]).toBe("-----BEGIN CERTIFICATE-----");
    expect(lines.slice(1, -1).map((line) => line.length)).toEqual([64, 64, 8]);
    expect(lines.at(-1)).toBe("-----END CERTIFICATE-----");
  });
});

describe("decodePem", () => {
  it("parses its own output", () =>
    expect(decodePem(block)).toEqual([{ label: "CERTIFICATE", der }]));

  it.each([
    ["CRLF", block.replaceAll("\n", "\r\n")],
    ["CR alone", block.replaceAll("\n", "\r")],
    ["a newline at the end", `${block}\n`],
    ["text before and after", `subject=CN = a\nissuer: b\n${block}\nthe end`],
    [
      "spaces around lines",
      block
        .split("\n")
        .map((line, i) => (i === 0 ? line : `${line}  `))
        .join("\n"),
    ],
    [
      "explanatory headers",
      block.replace("-----\n", "-----\nComment: made by hand\n  continued here\nX-Other: 1\n\n"),
    ],
    ["headers without an empty line", block.replace("-----\n", "-----\nComment: made by hand\n")],
    [
      "one long line",
      `-----BEGIN CERTIFICATE-----\n${block.split("\n").slice(1, -1).join("")}\n-----END CERTIFICATE-----`,
    ],
    ["empty lines inside", block.replaceAll("\n", "\n\n")],
  ])("accepts %s", (_, text) => expect(decodePem(text)).toEqual([{ label: "CERTIFICATE", der }]));

  it("reads several blocks, such as EC PARAMETERS in front of a key", () => {
    const text = `${encodePem("EC PARAMETERS", Uint8Array.of(6, 1, 1))}\n${encodePem("EC PRIVATE KEY", der)}${"\n"}${block}`;
    expect(decodePem(text).map(({ label }) => label)).toEqual([
      "EC PARAMETERS",
      "EC PRIVATE KEY",
      "CERTIFICATE",
    ]);
  });

  it("returns nothing for a text without blocks", () => {
    expect(decodePem("")).toEqual([]);
    expect(decodePem("see -----BEGIN CERTIFICATE----- in the manual")).toEqual([]);
  });

  it.each([
    ["no END", block.slice(0, -10)],
    ["another END", block.replace("END CERTIFICATE", "END KEY")],
    [
      "a second BEGIN before its END",
      block.replace("-----\n", "-----\n-----BEGIN CERTIFICATE-----\n"),
    ],
    ["a NUL", block.replace("\n", "\n\u0000")],
    ["foreign characters", block.replace("\n", "\n%%%%")],
    ["missing padding", block.replace(/=+/, "")],
    ["no content", "-----BEGIN X-----\n-----END X-----"],
    ["an unfinished BEGIN line", "-----BEGIN X\nAAAA\n-----END X-----"],
    [
      "encryption",
      block.replace("-----\n", "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n"),
    ],
  ])("rejects a block with %s, and names the block", (_, text) => {
    expect(() => decodePem(text)).toThrow(CaError);
    expect(() => decodePem(`${block}\n${text}`)).toThrow(/^PEM block 2: /);
  });

  it("takes linear time, even for many unfinished blocks", () => {
    const text = "-----BEGIN A-----\n".repeat(50_000);
    expect(() => decodePem(text)).toThrow(CaError);
    expect(decodePem(`${block}\n`.repeat(2000))).toHaveLength(2000);
  });
});
