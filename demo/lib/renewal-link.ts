import type { CertificateView } from "./x509/decode.ts";
import { address } from "./route.ts";

/** Where a certificate with the same names is issued by a role. */
export function renewal(role: string, { commonName, names }: CertificateView): string {
  const all = new Set([commonName, ...names.map(({ value }) => value)].filter(Boolean));
  return address("issue", role, { name: [...all].join(",") });
}
