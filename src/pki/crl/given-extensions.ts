import { fromBase64 } from "../../base/bytes.ts";
import { boolean, octets, oid, sequence } from "../../base/der.ts";
import { CaError } from "../../base/errors.ts";
import { readFlag } from "../../wire/read-value.ts";
import type { Extension } from "../../x509/extension.ts";
import { extensionOid } from "../../x509/oid.ts";

const reserved: ReadonlySet<string> = new Set([
  extensionOid.authorityKeyIdentifier,
  extensionOid.crlNumber,
  extensionOid.deltaCrlIndicator,
]);
/** An object of a request. */
export type Given = Readonly<Record<string, unknown>>;
/** Whether a value is one. */
export const isGiven = (value: unknown): value is Given =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** The extensions of a request, each checked; `where` names what carries them. */
export function givenExtensions(list: readonly Given[], where: string): readonly Extension[] {
  const seen = new Set<string>();
  return list.map(({ id, critical = false, value }) => {
    const bytes = typeof value === "string" ? fromBase64(value) : undefined;
    if (typeof id !== "string" || !/^[0-2](\.(0|[1-9]\d*))+$/.test(id))
      throw new CaError(
        "malformed",
        `an extension of the ${where} needs an id, which is a dotted object identifier`,
      );
    if (reserved.has(id))
      throw new CaError(
        "malformed",
        `extension of the ${where}: object identifier (${id}) is reserved`,
      );
    if (seen.has(id))
      throw new CaError(
        "malformed",
        `extension of the ${where}: duplicate object identifier (${id})`,
      );
    if (!bytes)
      throw new CaError("malformed", `extension ${id} of the ${where} needs a base64 value`);
    seen.add(id);
    return {
      oid: id,
      critical: readCritical(critical, `extension ${id} of the ${where}`),
      value: bytes,
    };
  });
}

/** A flag in any spelling that flags of a body have (A 1.5). */
function readCritical(critical: unknown, extension: string): boolean {
  try {
    return readFlag(critical);
  } catch {
    throw new CaError("malformed", `${extension}: critical must be true or false`);
  }
}

/** An entry without extensions, with these behind its time. */
export function withExtensions(entry: Uint8Array, extensions: readonly Extension[]): Uint8Array {
  const encoded = extensions.map((extension) =>
    sequence(
      oid(extension.oid),
      ...(extension.critical ? [boolean(true)] : []),
      octets(extension.value),
    ),
  );
  const body = entry.subarray((entry[1] ?? 0) < 0x80 ? 2 : 2 + ((entry[1] ?? 0) & 0x7f));
  return sequence(body, sequence(...encoded));
}
