import { writeAccount } from "../../src/acme/account/administration.ts";
import { authReply } from "../../src/auth/token/reply.ts";
import { tokenFields, tokenReply } from "../../src/auth/method/token-fields.ts";
import { keyReply } from "../../src/pki/ca/mount-keys.ts";
import { intermediateFields } from "../../src/pki/ca/intermediate-fields.ts";
import { managedKeyFields } from "../../src/pki/ca/new-ca.ts";
import { rootFields, rootReply } from "../../src/pki/ca/root-fields.ts";
import { issueFields, leafFields } from "../../src/pki/leaf/leaf.ts";
import { roleFields } from "../../src/pki/leaf/role.ts";
import { signFields } from "../../src/pki/leaf/sign.ts";
import { verbatimFields } from "../../src/pki/leaf/verbatim-fields.ts";
import { searchFields } from "../../src/pki/lookup/search-fields.ts";
import {
  certificateFormatFields,
  certificateReply,
  constraintFields,
  keyAliasField,
  keyFields,
  keyFormatField,
  lifetimeFields,
  metadataFields,
  nameFields,
  notBeforeField,
  privateKeyReply,
  signatureFields,
  subjectFields,
} from "../../src/pki/request/fields.ts";
import { pageFields } from "../../src/pki/request/paging.ts";
import { mountFields as mountReply } from "../../src/mounts/mount-info.ts";
import { mountSettings, settings } from "../../src/mounts/mount-config.ts";
import { tidyFields, tidyReply } from "../../src/pki/tidy/fields.ts";
import { pageFields as documentPageFields, pagedReply } from "../../src/vars/jsonapi/paging.ts";
import type { Shape } from "../../src/wire/field.ts";
import type { Way } from "./json-type.ts";

/**
 * A group of fields that several endpoints share. The client declares a type for the group, and the
 * reference lists its fields once.
 */
export interface FieldGroup {
  /** Name of the type, in PascalCase. */
  readonly name: string;
  /** Description of the group, in one sentence. */
  readonly doc: string;
  readonly shape: Shape;
  readonly way: Way;
}

const sent = (name: string, shape: Shape, doc: string): FieldGroup => ({
  name,
  doc,
  shape,
  way: "sent",
});
const replied = (name: string, shape: Shape, doc: string): FieldGroup => ({
  name,
  doc,
  shape,
  way: "replied",
});

const { data: _, ...documentPageReply } = pagedReply({});

/** All groups. A group comes after the groups that it contains. */
export const fieldGroups: readonly FieldGroup[] = [
  sent("NameFields", nameFields, "Common name and subject alternative names of a certificate."),
  sent("LifetimeFields", lifetimeFields, "Validity of a certificate."),
  sent("NotBeforeField", notBeforeField, "Backdating of the validity."),
  sent("CertificateFormatFields", certificateFormatFields, "Encoding of a certificate in a reply."),
  sent("KeyAliasField", keyAliasField, "Alias of the key in a Java keystore."),
  sent("KeyFormatField", keyFormatField, "Encoding of a private key in a reply."),
  sent("MetadataFields", metadataFields, "Metadata stored with a certificate."),
  sent("SubjectFields", subjectFields, "Subject attributes besides the common name."),
  sent("KeyFields", keyFields, "Name, type and size of a new key."),
  sent("SignatureFields", signatureFields, "RSA signature algorithm."),
  sent("ConstraintFields", constraintFields, "Name constraints of a CA certificate."),
  sent("ManagedKeyFields", managedKeyFields, "A key in an external key service."),
  sent("LeafFields", leafFields, "Fields of requests for leaf certificates."),
  sent("IssueFields", issueFields, "Fields of requests for a leaf certificate and its key."),
  sent("SignFields", signFields, "Fields of requests that sign a CSR by a role."),
  sent("VerbatimFields", verbatimFields, "Fields of requests that sign a CSR as it is."),
  sent("RootFields", rootFields, "Fields of requests for a root certificate."),
  sent("IntermediateFields", intermediateFields, "Fields of requests that sign a CA certificate."),
  sent("RoleFields", roleFields, "Fields of a role."),
  sent("SearchFields", searchFields, "Conditions of a certificate search."),
  sent("PageFields", pageFields, "Paging of a listing."),
  sent("DocumentPageFields", documentPageFields, "Paging in a listing from the variables API."),
  sent("MountSettingsFields", mountSettings, "Settings of a mount or login method."),
  sent("TidySettingsFields", tidyFields, "Settings of a tidy run."),
  sent("TokenFields", tokenFields, "Settings of the tokens that a login method issues."),
  replied("TidySettingsReply", tidyReply, "Settings of a tidy run."),
  replied("TokenReply", tokenReply, "Settings of the tokens that a login method issues."),
  replied("CertificateReply", certificateReply, "A new certificate and its chain."),
  replied("PrivateKeyReply", privateKeyReply, "A new private key."),
  replied("RootReply", rootReply, "A new root certificate, its issuer and its key."),
  replied("KeyReply", keyReply, "A key of the mount."),
  replied("RoleReply", roleFields, "The stored role."),
  replied("MountSettingsReply", settings, "Settings of a mount or login method."),
  replied("AcmeAccountReply", writeAccount.reply, "An ACME account."),
  replied("AuthReply", authReply, "A token that a login or a renewal returned."),
  replied("DocumentPageReply", documentPageReply, "Paging in a reply from the variables API."),
  replied("MountReply", mountReply, "A mount or login method."),
];
