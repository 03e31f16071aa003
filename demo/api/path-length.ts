import { readBasicConstraints } from "../../src/x509/basic-constraints.ts";
import { findExtension } from "../../src/x509/certificate.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { orElse } from "../lib/x509/decode.ts";
import { canSign, type Authority } from "./issuer.ts";

/**
 * Returns the path length constraint of a CA certificate: the number of CAs that may follow it in a
 * chain. Returns undefined if there is no constraint.
 */
export function pathLength({ view }: Pick<Authority, "view">): number | undefined {
  const extension = findExtension(view, extensionOid.basicConstraints);
  return extension && orElse(undefined, () => readBasicConstraints(extension.value).pathLength);
}

/** Reports whether a CA may sign other CAs. */
export const maySignAuthorities = (one: Authority): boolean =>
  canSign(one) && pathLength(one) !== 0;
