import type { CertificateView } from "../lib/x509/decode.ts";
import type { IssuerRecord } from "./pki.ts";

/** An issuer of the mount with its certificate decoded and its place in the tree. */
export interface Authority {
  readonly record: IssuerRecord;
  readonly view: CertificateView;
  /** Its common name; the name that the API knows it by is in `record`. */
  readonly name: string;
  readonly isDefault: boolean;
  /** 0 for a root or an authority whose issuer is not in this mount. */
  readonly depth: number;
  readonly parent: string | undefined;
}

/**
 * Reports whether an authority signs now: with a key here, for that use, and neither revoked nor at
 * its end.
 */
export const signs = ({ record, view }: Authority): boolean =>
  record.key_id !== "" &&
  !record.revoked &&
  record.usage.includes("issuing-certificates") &&
  view.ends > new Date();

/**
 * Reports whether an authority is a root that was revoked and is not the default: it asks for
 * nothing more.
 */
export const retired = ({ record, view, isDefault }: Authority): boolean =>
  record.revoked && view.selfIssued && !isDefault;
