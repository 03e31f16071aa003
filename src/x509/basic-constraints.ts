import { absentPart, boolean, integer, readDer, sequence } from "../base/der.ts";
import { memoizeExtension, type Extension } from "./extension.ts";
import { extensionOid } from "./oid.ts";

/**
 * Returns a critical BasicConstraints extension. For a CA, it may have a path length constraint;
 * for a leaf, it is empty.
 */
export const basicConstraints = (ca: boolean, pathLength?: number): Extension =>
  memoizeExtension(["constraints", ca, pathLength], () => ({
    oid: extensionOid.basicConstraints,
    critical: true,
    value: ca
      ? sequence(boolean(true), pathLength === undefined ? absentPart : integer(pathLength))
      : sequence(),
  }));

/**
 * Parses a BasicConstraints value. Accepts an explicit FALSE, which DER omits but many devices
 * encode.
 */
export function readBasicConstraints(value: Uint8Array): {
  readonly ca: boolean;
  readonly pathLength?: number;
} {
  const body = readDer(value, "basic constraints").enter("BasicConstraints");
  const ca = body.tag === 0x01 && body.boolean("cA");
  const pathLength = body.tag === undefined ? undefined : body.number("pathLenConstraint");
  body.end();
  if (!ca && pathLength !== undefined) throw body.refuse("has pathLenConstraint but not cA");
  return pathLength === undefined ? { ca } : { ca, pathLength };
}
