/** Matches base64-encoded PEM, as in the `data` of a Kubernetes Secret. */
const encodedPem = /(?<![A-Za-z0-9+/])LS0tLS1CRUdJTi[A-Za-z0-9+/\s]*={0,2}/g;

/**
 * Puts each PEM block in `text` at the beginning of a line, as PEM parsers require. Supports blocks
 * that are indented (YAML), contain `\n` in place of line breaks (JSON, environment variables), or
 * are encoded as base64 (Kubernetes Secrets). Returns any other text unchanged.
 */
export function normalizePem(text: string): string {
  const open = text.includes("-----BEGIN ") ? text : text.replace(encodedPem, decodeText);
  if (!open.includes("-----BEGIN ")) return text;
  const lined = open
    .replace(/(?:\\r)?\\n/g, "\n")
    .replaceAll("\\/", "/")
    .replace(/\r\n?/g, "\n");
  if (!/[^\n]-----BEGIN /.test(lined)) return lined;
  return lined.replace(/^[ \t]+(?=\S)/gm, "").replace(/(?<=[^\n])-----BEGIN /g, "\n-----BEGIN ");
}

function decodeText(base64: string): string {
  try {
    return `\n${atob(base64.replace(/\s/g, ""))}\n`;
  } catch {
    return base64;
  }
}
