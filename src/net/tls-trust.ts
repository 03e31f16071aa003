import { equalBytes } from "../base/bytes.ts";
import { untrusted } from "./tls-error.ts";
import type { Host } from "./tls-name.ts";
import { requirePath } from "./tls-path.ts";

/**
 * Whom to believe. `any`: whoever holds the key of whatever certificate it shows. `roots`: whoever
 * has a chain to one of these, valid now, for the name or address that was asked for. `pinned`:
 * whoever holds the key of one of exactly these, whatever else it says, its validity and names too:
 * who pins a certificate says that this one is right. Both: one of the pinned, and it has a chain
 * to a root. All of them DER.
 */
export type TlsTrust =
  | "any"
  | { readonly roots: readonly Uint8Array[] }
  | { readonly pinned: readonly Uint8Array[] }
  | { readonly roots: readonly Uint8Array[]; readonly pinned: readonly Uint8Array[] };

/** Refuses a server whose certificates, its own first, are not trusted. */
export async function requireTrust(
  chain: readonly Uint8Array[],
  { trust, ...asked }: Host & { readonly trust: TlsTrust; readonly now: number },
): Promise<void> {
  if (trust === "any") return;
  if ("roots" in trust) await requirePath(chain, trust.roots, asked);
  const [leaf] = chain;
  if (!("pinned" in trust) || (leaf && trust.pinned.some((one) => equalBytes(one, leaf)))) return;
  throw untrusted(
    "bad_certificate",
    "the certificate of the server is not the one that was pinned",
  );
}
