import { belowRevoked, life, type Life } from "../lib/lifetime.ts";
import type { CertificateView } from "../lib/x509/decode.ts";
import type { IssuerRecord } from "./issuers.ts";

/** An issuer of the mount with its parsed certificate and its position in the tree. */
export interface Authority {
  readonly record: IssuerRecord;
  readonly view: CertificateView;
  /** The common name, followed by the API name if several issuers share the common name. */
  readonly name: string;
  readonly isDefault: boolean;
  /** Depth in the tree: 0 for a root, and for a CA whose issuer is not in this mount. */
  readonly depth: number;
  readonly parent: string | undefined;
  /** Whether a CA above this one in its chain is revoked. */
  readonly isBelowRevoked: boolean;
}

/** Returns the state of a CA's certificate. */
export const stateOf = ({ view, record, isBelowRevoked }: Authority, now: Date): Life =>
  belowRevoked(life(view, record.revoked, now), isBelowRevoked);

/**
 * Reports whether a CA can sign now: the mount has its key, its usage includes signing, and it is
 * neither revoked nor expired.
 */
export const canSign = ({ record, view }: Authority): boolean =>
  record.key_id !== "" &&
  !record.revoked &&
  record.usage.includes("issuing-certificates") &&
  view.ends > new Date();
