import type { CertRow } from "../../engine/records.ts";
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

/** Fields that issue and sign share. */
export const leafFields = {
  ...nameFields,
  ...lifetimeFields,
  ...certificateFormatFields,
  ...keyFormatField,
  ...metadataFields,
  user_ids: list.default([], "User ids of the subject."),
  remove_roots_from_chain: flag.default(false, "Leave self-signed certificates out of `ca_chain`."),
} as const;
/** Fields of issue, which makes the key. */
export const issueFields = { ...leafFields, ...keyAliasField } as const;
/** What issue is asked. */
export type IssueInput = Input<
  typeof issueFields,
  "POST /issue/:role" | "POST /issuer/:issuer_ref/issue/:role"
>;

/** The metadata of a request: undefined where there is none, "" for a record without a value. */
export type Metadata = string | undefined;

/** A leaf as it was judged: what is left is to sign it. */
export interface ApprovedLeaf<T = CertificateFields> {
  readonly issuer: SigningIssuer;
  /** Name of the role; "" where none was named. */
  readonly role: string;
  /** The endpoint's path with its role, which leases begin with. */
  readonly path: string;
  readonly rules: Pick<Role, "generate_lease" | "no_store">;
  readonly format: CertificateFormat;
  readonly metadata: Metadata;
  readonly profile: LeafProfile;
  readonly own: T;
  /** One that an external policy has chosen, and that was found unused; else one is drawn. */
  readonly serial?: Uint8Array;
  /** Whom it is issued to in ACME. */
  readonly acme?: CertRow["acme"];
}
