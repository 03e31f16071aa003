import type { AcmeOfPolicy, IssuanceMode } from "../engine/external-records.ts";
import type { Mount } from "../engine/mount.ts";
import type { IssuerRow } from "../engine/records.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import type { Caller } from "../wire/endpoint.ts";
import type { Certificate } from "../x509/certificate.ts";

/** Who asks an external policy, and under which configuration. */
export interface PolicyContext {
  readonly ca: Mount;
  readonly config: Snapshot;
  /** Absent for ACME, whose accounts are no callers. */
  readonly caller?: Caller;
}
/** What an external policy is asked. */
export interface PolicyRequest {
  readonly mode: IssuanceMode;
  /** Name of the policy, from the path. */
  readonly policy?: string;
  /** The issuer that was asked for; absent where there is none, the default one neither. */
  readonly issuer?: IssuerRow;
  /** PEM. */
  readonly csr: string;
  /** What the caller sent beside the CSR, as it came. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Whether the key was made here. */
  readonly generated: boolean;
  readonly acme?: AcmeOfPolicy;
  /** Default and maximum lifetime in force, seconds; absent for those of the mount. */
  readonly lifetimes?: { readonly default: number; readonly max: number };
}
/** What an external policy decided. */
export interface PolicyAnswer {
  /** The template: what is issued, under a signature that says nothing. */
  readonly certificate: Certificate;
  readonly issuer_ref: string;
  readonly store: boolean;
  readonly lease: boolean;
  readonly warnings: readonly string[];
}
