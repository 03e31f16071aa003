import { equalBytes } from "../base/bytes.ts";
import { untrusted } from "./tls-error.ts";
import type { Host } from "./tls-name.ts";
import { requirePath } from "./tls-path.ts";

/**
 * The accepted server certificates; all certificates are DER. With `any`, every certificate is
 * accepted if the server proves possession of its key. With `roots`, a certificate must have a
 * valid chain to a root, and match the requested name or address. With `pinned`, it must be one of
 * the pinned certificates, regardless of names and validity. With both, it must be pinned and have
 * a chain to a root.
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
  throw untrusted(
    "bad_certificate",
    "the server's certificate is not one of the pinned certificates",
  );
}
