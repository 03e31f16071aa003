import type { AcmeOfPolicy, IssuanceMode } from "./rows/records.ts";
import type { Mount } from "../engine/mount.ts";
import type { IssuerRow } from "../pki/rows/records.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import type { Caller } from "../wire/endpoint.ts";
import type { Certificate } from "../x509/certificate.ts";

/** The mount, configuration and caller of a policy request. */
export interface PolicyContext {
  readonly mount: Mount;
  readonly config: Snapshot;
  /** Absent for ACME, whose accounts are not callers. */
  readonly caller?: Caller;
}
/** A request to an external policy service, before it is encoded. */
export interface PolicyRequest {
  readonly mode: IssuanceMode;
  /** Name of the policy, from the URL path. */
  readonly policy?: string;
  /**
   * The requested issuer, by default the default issuer. Absent if the mount has no default issuer.
   */
  readonly issuer?: IssuerRow;
  /** CSR, PEM. */
  readonly csr: string;
  /** The other fields of the request, unchanged. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Whether the CA generated the key. */
  readonly generated: boolean;
  readonly acme?: AcmeOfPolicy;
  /** Default and maximum lifetime in seconds. If absent, those of the mount apply. */
  readonly lifetimes?: { readonly default: number; readonly max: number };
}
/** The decision of an external policy service to issue a certificate. */
export interface PolicyAnswer {
  /** The template of the certificate, whose signature is ignored. */
  readonly certificate: Certificate;
  readonly issuer_ref: string;
  readonly store: boolean;
  readonly lease: boolean;
  readonly warnings: readonly string[];
}
