import type { CertificateView } from "./x509/decode.ts";
import { address } from "./route.ts";

/** Returns the address of the issue form with a role and the names of a certificate. */
export function renewal(role: string, { commonName, names }: CertificateView): string {
  const all = new Set([commonName, ...names.map(({ value }) => value)].filter(Boolean));
  return address("issue", role, { name: [...all].join(",") });
}
