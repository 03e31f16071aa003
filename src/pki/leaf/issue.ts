import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import { generateKey } from "../../keys/generate.ts";
import type { KeyType } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { flag, list } from "../../wire/field.ts";
import { endpoint, type Caller, type Input } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { decideFor } from "../request/attempt.ts";
import {
  certificateReply,
  formatField,
  keyFormatField,
  lifetimeFields,
  metadataFields,
  nameFields,
  privateKeyReply,
  readFormat,
  wantsPkcs8,
  type Format,
} from "../request/fields.ts";
import { chainRows, signingIssuer, type SigningIssuer } from "../issuer/issuer.ts";
import { forEntity } from "./identity.ts";
import { obtain, obtainSoon, passes, quietly, strict, type Judge } from "../request/judge.ts";
import { assertChain, leaseFor, noteSerial, signWith, storeCertificate } from "./leaf.ts";
import { judgeMetadata, metadataRows, type Metadata } from "./metadata.ts";
import { certificateOutput, privateKeyOutput } from "../issuer/output.ts";
import type { SigningRequest } from "../request/request.ts";
import { judgeRequest } from "./role.ts";
import { roleOf, type Role } from "./roles.ts";
import type { Template } from "../request/template.ts";
import { judgeValidity } from "../issuer/validity.ts";

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
type LeafInput = Input<
  typeof leafFields,
  "POST /issue/:role" | "POST /issuer/:issuer_ref/issue/:role"
>;

/**
 * The role and issuer of a request for a leaf. `check` judges the role before the issuer is looked
 * for.
 */
export async function leafAuthority(
  ca: Mount,
  config: Snapshot,
  input: Pick<LeafInput, "role" | "issuer_ref">,
  caller: Caller,
  judge: Judge,
  check: (role: Role) => void = () => undefined,
): Promise<{ readonly role: Role; readonly issuer: SigningIssuer }> {
  const role = forEntity(await roleOf(config, input.role), caller.entity);
  check(role);
  const reference = input.issuer_ref ?? role.issuer_ref;
  return {
    role,
    issuer: await obtainSoon(judge, "issuer_ref", reference, signingIssuer(ca, config, reference)),
  };
}

/** The encoding of the result. */
export const judgeFormat = (format: string, judge: Judge): Format =>
  quietly(
    judge,
    "format",
    format,
    () => readFormat(format),
    () => "pem",
  );

/** What a request for a leaf comes to before it is signed. */
export interface LeafPlan<T = Template> {
  readonly role: Role;
  readonly issuer: SigningIssuer;
  readonly format: Format;
  readonly metadata: Metadata;
  readonly template: T;
}
/** The template of a leaf as role, request and issuer allow it; without its key. */
export function leafTemplate(
  ca: Mount,
  config: Snapshot,
  { role, issuer }: { readonly role: Role; readonly issuer: SigningIssuer },
  input: LeafInput,
  request: SigningRequest | undefined,
  caller: Caller,
  judge: Judge,
): Omit<Template, "spki"> {
  return judgeRequest(role, input, request, caller, judge, () =>
    judgeValidity(ca.ports.now(), input, role, config.mount, issuer, caller, judge),
  );
}
/** Everything that issue checks before it generates a key, in the order of A 8.3. */
export async function planIssue(
  ca: Mount,
  config: Snapshot,
  input: LeafInput,
  caller: Caller,
  judge: Judge,
): Promise<LeafPlan<Omit<Template, "spki">>> {
  const authority = await leafAuthority(ca, config, input, caller, judge, (role) =>
    obtain(judge, "key_type", role.key_type, () => refuseAnyKey(role)),
  );
  const format = judgeFormat(input.format, judge);
  passes(judge, "private_key_format", input.private_key_format, () =>
    wantsPkcs8(input.private_key_format),
  );
  const template = leafTemplate(ca, config, authority, input, undefined, caller, judge);
  assertChain(ca, config, authority.issuer.row, template, judge);
  return {
    ...authority,
    format,
    metadata: judgeMetadata(input, authority.role.no_store_metadata, judge),
    template,
  };
}
/** Refuses a role that names no kind of key (A 8.3 rule 3). */
function refuseAnyKey(role: Role): void {
  if (role.key_type === "any")
    throw new CaError(
      "role_violation",
      'role key type "any" not allowed for issuing certificates, only signing',
    );
}

export const issue = endpoint({
  id: "issue",
  at: ["POST /issue/:role", "POST /issuer/:issuer_ref/issue/:role"],
  access: "token",
  style: envelope,
  doc: "Generates a key and issues a certificate for it, as a role allows. The key is returned once and not kept.",
  body: leafFields,
  ignores: ["issuer_ref"],
  reply: { ...certificateReply, ...privateKeyReply },
  refuses: [
    "invalid_field",
    "unknown_role",
    "malformed",
    "role_violation",
    "unknown_issuer",
    "unusable_issuer",
    "name_not_allowed",
    "validity",
    "constraint",
  ],
  async run(ca, input, caller) {
    let pair: { readonly pkcs8: Uint8Array; readonly spki: Uint8Array } | undefined;
    let made = "";
    return decideFor(ca, caller, async (config, caller) => {
      const {
        role,
        issuer,
        format,
        metadata,
        template: judged,
      } = await planIssue(ca, config, input, caller, strict);
      const wanted = `${role.key_type} ${role.key_bits}`;
      // a second attempt under a new configuration keeps the key, unless the role now wants another
      // kind
      if (!pair || made !== wanted)
        [pair, made] = [
          await generateKey(role.key_type as KeyType, role.key_bits, ca.ports),
          wanted,
        ];
      const template = { ...judged, spki: pair.spki };
      const signed = await signWith(ca, config, issuer, template, {
        bits: role.signature_bits,
        pss: role.use_pss,
      });
      leaseFor(
        ca,
        config,
        caller,
        `${config.mount.path}/issue/${input.role}`,
        role,
        template.notAfter,
      );
      noteSerial(caller, signed.serial);
      const output = {
        ...signed,
        notAfter: template.notAfter,
        issuer: issuer.row,
        chain: chainRows(config, issuer.row),
        format,
        dialect: caller.dialect,
      };
      const shown = await certificateOutput({
        ...output,
        pkcs8: pair.pkcs8,
        removeRoots: input.remove_roots_from_chain,
      });
      const kept = metadataRows(signed.serial, issuer.row, input.role, template.notAfter, metadata);
      const batch = storeCertificate(signed, issuer.row, template, input.role, role.no_store, kept);
      const reply = {
        ...shown,
        ...privateKeyOutput(pair.pkcs8, format, wantsPkcs8(input.private_key_format)),
      };
      await caller.keep?.(reply);
      return { reply, ...(batch ? { batch } : {}) };
    });
  },
});
