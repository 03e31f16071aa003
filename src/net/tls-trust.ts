import { equalBytes } from "../base/bytes.ts";
import { untrusted } from "./tls-error.ts";

/**
 * Whom to believe. `any`: whoever holds the key of whatever certificate it shows. `pinned`:
 * whoever holds that of one of exactly these, DER, whatever else it says, its validity too.
 */
export type TlsTrust = "any" | { readonly pinned: readonly Uint8Array[] };

/** Refuses a server whose certificates, its own first, are not trusted. */
export async function demandTrust(
  chain: readonly Uint8Array[],
  { trust }: { readonly trust: TlsTrust },
): Promise<void> {
  if (trust === "any") return;
  const [leaf] = chain;
  if (leaf && trust.pinned.some((one) => equalBytes(one, leaf))) return;
  throw untrusted(
    "bad_certificate",
    "the certificate of the server is not the one that was pinned",
  );
}
