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

/** Fields shared by issue and sign. */
export const leafFields = {
  ...nameFields,
  ...lifetimeFields,
  ...certificateFormatFields,
  ...keyFormatField,
  ...metadataFields,
  user_ids: list.default([], "User IDs of the subject."),
  remove_roots_from_chain: flag.default(false, "Omit self-signed certificates from `ca_chain`."),
} as const;
/** Fields of the issue endpoints, which generate the key. */
export const issueFields = { ...leafFields, ...keyAliasField } as const;
/** The input of the issue endpoints. */
export type IssueInput = Input<
  typeof issueFields,
  "POST /issue/:role" | "POST /issuer/:issuer_ref/issue/:role"
>;

/** The metadata of a request: undefined if absent, "" for a record without a value. */
export type Metadata = string | undefined;

/** A leaf that passed all checks and only needs to be signed. */
export interface ApprovedLeaf<T = CertificateFields> {
  readonly issuer: SigningIssuer;
  /** Name of the role; "" for none. */
  readonly role: string;
  /** The endpoint's path with its role: the prefix of lease ids. */
  readonly path: string;
  readonly rules: Pick<Role, "generate_lease" | "no_store">;
  readonly format: CertificateFormat;
  readonly metadata: Metadata;
  readonly profile: LeafProfile;
  readonly own: T;
  /**
   * A serial number chosen by an external policy and verified to be unused; otherwise one is
   * generated.
   */
  readonly serial?: Uint8Array;
  /** The ACME account and order. */
  readonly acme?: CertRow["acme"];
}
