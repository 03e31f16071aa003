import { estConfig } from "./settings.ts";
import { isOid, oid, sequence, set } from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import { truncateForMessage } from "../base/names.ts";
import type { Mount } from "../engine/mount.ts";
import type { RawReply } from "../wire/endpoint.ts";
import { base64Reply } from "./answer.ts";
import { rulesOf, type EstPath } from "./policy.ts";

/**
 * Parses an entry of `csr_attributes`: an object identifier, and its values if it is an attribute.
 */
const partsOf = (entry: string): readonly [type: string, values: readonly string[] | undefined] => {
  const [type = "", values] = entry.split("=").map((part) => part.trim());
  return [type, values?.split("+").map((one) => one.trim())];
};

/** Rejects an invalid entry of `csr_attributes`. */
export function checkCsrAttribute(entry: string): void {
  const [type, values = []] = partsOf(entry);
  if (entry.split("=").length > 2 || [type, ...values].some((one) => !isOid(one)))
    throw new CaError(
      "malformed",
      `csr_attributes: write <oid> or <oid>=<oid>, not ${truncateForMessage(entry)}`,
    );
}

/** Encodes an entry of `csr_attributes` as an AttrOrOID (RFC 7030 section 4.5.2). */
function encoded(entry: string): Uint8Array {
  const [type, values] = partsOf(entry);
  return values ? sequence(oid(type), set(...values.map(oid))) : oid(type);
}

/** Returns the attributes that CSRs should contain, or null if none are configured. */
export async function csrAttributes(mount: Mount, path: EstPath): Promise<RawReply | null> {
  const est = (await mount.config()).get(estConfig);
  rulesOf(est, path);
  if (est.csr_attributes.length === 0) return null;
  return base64Reply("application/csrattrs", sequence(...est.csr_attributes.map(encoded)));
}
