/**
 * Patterns of values that differ between runs, and the numbered placeholders that replace them in
 * examples.
 */
const kinds: readonly (readonly [RegExp, (n: number, text: string) => string])[] = [
  [
    /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g,
    (n) => `7f3b9c2e-5d41-4a86-9b0c-${n.toString(16).padStart(12, "0")}`,
  ],
  [
    /\b[0-9a-f]{2}(?::[0-9a-f]{2}){9,}\b/g,
    (n) => `39:dd:2e:90:b7:23:1f:8d:d3:${n.toString(16).padStart(2, "0")}`,
  ],
  [/\b(?:[0-9a-f]{2}-){9,}[0-9a-f]{2}\b/g, (n) => `39-dd-2e-90-b7-23-1f-8d-d3-${n}`],
  [/\bs\.[A-Za-z0-9]{24,}/g, (n) => `s.Gdt8T8FD88Xv9m2iBFTenTgy5hJv${n}`],
  [/\bwrap\.[\w-]{20,}/g, (n) => `wrap.b6cHQJ5ukUvQ3d4u8jPm${n}`],
  [/(?<="certificate_id":")[\w.-]+/g, () => "aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE"],
  [
    /(?<="request":")[\w+/=]+/g,
    () =>
      "MFEwTzBNMEswSTAJBgUrDgMCGgUABBTPyoHZbSvdgHqfzR5lSRtrV7bkbgQUqkjQUX6EElbMSrMmcWjWDjBh1TsCEAo/hB4TpK1EDJ6hvT2J3lc=",
  ],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, () => "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9…"],
  [
    /(?<=\b(?:ws|org|team|tws|var|user|at)-)[1-9A-HJ-NP-Za-km-z]{16}\b/g,
    (n) => `Kx7Qm2Rt9Vb4Nd${String(n + 10)}`,
  ],
  [
    /-----BEGIN ([A-Z0-9 ]+)-----\\n.*?\\n-----END \1-----(?:\\n)?/g,
    (_, text) => text.replace(/(?<=-----\\n).*(?=\\n-----END)/, "MII…"),
  ],
];

/**
 * Returns a function that replaces values that differ between runs with placeholders in JSON. Equal
 * values get the same placeholder.
 */
export function standIns(): (text: string) => string {
  const seen = new Map<string, string>();
  const counts = new Map<RegExp, number>();
  return (text) =>
    kinds.reduce(
      (so, [pattern, make]) =>
        so.replace(pattern, (text: string) => {
          const cached = seen.get(text);
          if (cached !== undefined) return cached;
          const count = (counts.get(pattern) ?? 0) + 1;
          counts.set(pattern, count);
          seen.set(text, make(count, text));
          return make(count, text);
        }),
      text,
    );
}
