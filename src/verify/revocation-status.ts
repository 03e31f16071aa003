import type { RevocationReason } from "./parsed-crl.ts";

/** The revocation status of a certificate, and its source. */
export type RevocationStatus =
  | { readonly status: "good" }
  /** `why` is the reason why the available evidence is not used. */
  | { readonly status: "unknown"; readonly why?: string }
  | {
      readonly status: "revoked";
      /** Unix seconds. */
      readonly revokedAt: number;
      readonly reason: RevocationReason;
      readonly source: "CRL" | "OCSP response";
    };
