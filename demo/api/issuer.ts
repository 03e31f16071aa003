import { belowRevoked, life, type Life } from "../lib/lifetime.ts";
import type { CertificateView } from "../lib/x509/decode.ts";
import type { IssuerRecord } from "./pki.ts";

/** An issuer of the mount with its certificate decoded and its place in the tree. */
export interface Authority {
  readonly record: IssuerRecord;
  readonly view: CertificateView;
  /** Its common name, followed by the name in the API where several issuers share it. */
  readonly name: string;
  readonly isDefault: boolean;
  /** 0 for a root, or a CA whose issuer is not in this mount. */
  readonly depth: number;
  readonly parent: string | undefined;
  /** Whether a CA above it is revoked. */
  readonly isBelowRevoked: boolean;
}

/** Returns the state of a CA's certificate. */
export const stateOf = ({ view, record, isBelowRevoked }: Authority, now: Date): Life =>
  belowRevoked(life(view, record.revoked, now), isBelowRevoked);

/**
 * Reports whether a CA can sign now: its key is here, with that usage, and it is neither revoked
 * nor expired.
 */
export const canSign = ({ record, view }: Authority): boolean =>
  record.key_id !== "" &&
  !record.revoked &&
  record.usage.includes("issuing-certificates") &&
  view.ends > new Date();
