import type { CertRow } from "../rows/records.ts";
import { flag, list } from "../../wire/field.ts";
import type { Input } from "../../wire/endpoint.ts";
import type { SigningIssuer } from "../issuer/issuer.ts";
import {
  certificateFormatFields,
  keyAliasField,
  keyFormatField,
  lifetimeFields,
  metadataFields,
  nameFields,
} from "../request/fields.ts";
import type { CertificateFormat } from "../request/format.ts";
import type { CertificateFields } from "../request/template.ts";
import type { LeafProfile } from "./profile.ts";
import type { Role } from "./role.ts";

/** Request fields that the issue and sign endpoints share. */
export const leafFields = {
  ...nameFields,
  ...lifetimeFields,
  ...certificateFormatFields,
  ...keyFormatField,
  ...metadataFields,
  user_ids: list.default([], "User IDs in the subject."),
  remove_roots_from_chain: flag.default(false, "Omit self-signed certificates from `ca_chain`."),
} as const;
/** Request fields of the issue endpoints, which generate the key. */
export const issueFields = { ...leafFields, ...keyAliasField } as const;
/** The input of the issue endpoints. */
export type IssueInput = Input<
  typeof issueFields,
  "POST /issue/:role" | "POST /issuer/:issuer_ref/issue/:role"
>;

/**
 * The metadata to store. Undefined if no record is to be stored, "" for a record without a value.
 */
export type Metadata = string | undefined;

/** A leaf certificate that passed all checks and only needs to be signed. */
export interface ApprovedLeaf<T = CertificateFields> {
  readonly issuer: SigningIssuer;
  /** Name of the role; "" if no role is used. */
  readonly role: string;
  /** The path of the endpoint including the role, which is the prefix of lease IDs. */
  readonly path: string;
  readonly rules: Pick<Role, "generate_lease" | "no_store">;
  readonly format: CertificateFormat;
  readonly metadata: Metadata;
  readonly profile: LeafProfile;
  readonly own: T;
  /**
   * A serial number that an external policy chose and that was verified to be unused. If absent, a
   * serial number is generated.
   */
  readonly serial?: Uint8Array;
  /**
   * Serial number of the certificate that this one renews, if the batch has preconditions on that
   * certificate's rows. In a partitioned mount, both certificates are in one partition.
   */
  readonly renews?: Uint8Array;
  /** The ACME account and order for which the certificate is issued, if any. */
  readonly acme?: CertRow["acme"];
}
