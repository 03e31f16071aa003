import type { Scheme } from "../../engine/ports.ts";
import { schemeFits, schemeFromName } from "../../x509/algorithm.ts";
import { schemeFor } from "../request/scheme.ts";
import type { SigningIssuer } from "./issuer.ts";

/** How an issuer signs its lists: as set for it, else as its key does by itself. */
export function revocationScheme({
  row,
  publicKey,
}: Pick<SigningIssuer, "row" | "publicKey">): Scheme {
  const named = schemeFromName(row.revocation_signature_algorithm);
  return named && schemeFits(named, publicKey) ? named : schemeFor(publicKey, 0, false);
}
