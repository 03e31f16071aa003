import type { CertificateView } from "./x509/decode.ts";
import { requestedKinds } from "./x509/alternative-names.ts";
import { address } from "./route.ts";

/**
 * Returns the URL of the issue form, filled in with the role and the names of a certificate to
 * renew.
 */
export function renewal(role: string, { commonName, names, serial }: CertificateView): string {
  const requested = names.filter(({ kind }) => requestedKinds.includes(kind));
  const all = new Set([commonName, ...requested.map(({ value }) => value)].filter(Boolean));
  return address("issue", role, { name: [...all].join(","), renews: serial });
}
