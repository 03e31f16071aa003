import { equalBytes } from "../base/bytes.ts";
import { untrusted } from "./tls-error.ts";
import type { Host } from "./tls-name.ts";
import { requirePath } from "./tls-path.ts";

/**
 * The accepted server certificates. `any`: every certificate, with proof of its key. `roots`: those
 * with a valid chain to one of these for the requested name or address. `pinned`: exactly these,
 * regardless of names and validity. With both, a pinned certificate that also has a chain to a
 * root. All are DER.
 */
export type TlsTrust =
  | "any"
  | { readonly roots: readonly Uint8Array[] }
  | { readonly pinned: readonly Uint8Array[] }
  | { readonly roots: readonly Uint8Array[]; readonly pinned: readonly Uint8Array[] };

/** Rejects a server whose certificates (leaf first) are not trusted. */
export async function requireTrust(
  chain: readonly Uint8Array[],
  { trust, ...host }: Host & { readonly trust: TlsTrust; readonly now: number },
): Promise<void> {
  if (trust === "any") return;
  if ("roots" in trust) await requirePath(chain, trust.roots, host);
  const [leaf] = chain;
  if (!("pinned" in trust) || (leaf && trust.pinned.some((one) => equalBytes(one, leaf)))) return;
  throw untrusted("bad_certificate", "the server's certificate is not a pinned one");
}
