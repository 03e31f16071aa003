import { flag, list } from "../../wire/field.ts";
import type { Input } from "../../wire/endpoint.ts";
import { signingIssuer, type SigningIssuer } from "../issuer/issuer.ts";
import type { Case } from "../request/case.ts";
import {
  formatField,
  keyFormatField,
  lifetimeFields,
  metadataFields,
  nameFields,
  readFormat,
  type Format,
} from "../request/fields.ts";
import { askRule, readValue, settled } from "../request/judge.ts";
import type { Particulars } from "../request/template.ts";
import { forEntity } from "./identity.ts";
import type { Metadata } from "./metadata.ts";
import type { LeafProfile } from "./profile.ts";
import { roleOf, type Role } from "./role.ts";

/** Fields that issue and sign share. */
export const leafFields = {
  ...nameFields,
  ...lifetimeFields,
  ...formatField,
  ...keyFormatField,
  ...metadataFields,
  user_ids: list.default([], "User ids of the subject."),
  remove_roots_from_chain: flag.default(false, "Leave self-signed certificates out of `ca_chain`."),
} as const;
/** What issue and sign are asked, beside the CSR. */
export type LeafInput = Input<
  typeof leafFields,
  "POST /issue/:role" | "POST /issuer/:issuer_ref/issue/:role"
>;

/** A leaf as it was judged: what is left is to sign it. */
export interface JudgedLeaf<T = Particulars> {
  readonly issuer: SigningIssuer;
  /** Name of the role; "" where none was named. */
  readonly role: string;
  /** The endpoint's path with its role, which leases begin with. */
  readonly path: string;
  readonly rules: Pick<Role, "generate_lease" | "no_store">;
  readonly format: Format;
  readonly metadata: Metadata;
  readonly profile: LeafProfile;
  readonly own: T;
}

/** The role that a request names, with its templates filled in for who asks. */
export const roleFor = async ({
  config,
  input,
  caller,
}: Pick<Case<{ readonly role: string }>, "config" | "input" | "caller">): Promise<Role> =>
  forEntity(await roleOf(config, input.role), caller.entity);

/** The issuer that a reference names, asked as a rule. */
export async function issuerFor(
  { ca, config, judge }: Pick<Case<unknown>, "ca" | "config" | "judge">,
  reference: string,
): Promise<SigningIssuer> {
  const found = await settled(signingIssuer(ca, config, reference));
  return askRule(judge, { rule: "issuer_ref", input: reference }, found);
}

/** The encoding of the result. */
export const formatFor = ({
  input,
  judge,
}: Pick<Case<{ readonly format: string }>, "input" | "judge">): Format =>
  readValue(
    judge,
    { rule: "format", input: input.format },
    () => readFormat(input.format),
    () => "pem",
  );
