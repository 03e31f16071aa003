import { CaError } from "../base/errors.ts";
import { generateKey } from "../keys/generate.ts";
import type { KeyType } from "../records.ts";
import { flag, list } from "../wire/field.ts";
import { endpoint } from "../wire/endpoint.ts";
import { envelope } from "../wire/style.ts";
import { decideFor } from "./attempt.ts";
import { certificateReply, formatField, keyFormatField, lifetimeFields, nameFields, privateKeyReply, readFormat, wantsPkcs8 } from "./fields.ts";
import { chainRows, signingIssuer } from "./issuer.ts";
import { leaseFor, noteSerial, signWith, storeCertificate } from "./leaf.ts";
import { certificateOutput, privateKeyOutput } from "./output.ts";
import { judgeRequest } from "./role.ts";
import { roleOf } from "./roles.ts";
import { validityFor, withinIssuer } from "./validity.ts";

/** Fields that issue and sign share. */
export const leafFields = {
  ...nameFields,
  ...lifetimeFields,
  ...formatField,
  ...keyFormatField,
  user_ids: list.default([], "User ids of the subject."),
  remove_roots_from_chain: flag.default(false, "Leave self-signed certificates out of `ca_chain`."),
} as const;

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
    "bad_key",
    "name_not_allowed",
    "validity",
    "constraint",
  ],
  async run(ca, input, caller) {
    let pair: { readonly pkcs8: Uint8Array; readonly spki: Uint8Array } | undefined;
    let made = "";
    return decideFor(ca, caller, async (config, caller) => {
      const role = await roleOf(config, input.role);
      if (role.key_type === "any") throw new CaError("role_violation", 'role key type "any" not allowed for issuing certificates, only signing');
      const issuer = await signingIssuer(ca, config, input.issuer_ref ?? role.issuer_ref);
      const format = readFormat(input.format);
      const asPkcs8 = wantsPkcs8(input.private_key_format);
      const judged = judgeRequest(role, input, undefined, caller);
      const asked = validityFor(ca.ports.now(), input, role, config.mount, caller);
      const validity = withinIssuer(asked, issuer.certificate.notAfter, issuer.row.leaf_not_after_behavior);
      const wanted = `${role.key_type} ${role.key_bits}`;
      // a second attempt under a new configuration keeps the key, unless the role now wants another kind
      if (!pair || made !== wanted) [pair, made] = [await generateKey(role.key_type as KeyType, role.key_bits), wanted];
      const template = { kind: "leaf" as const, ...judged, ...validity, spki: pair.spki };
      const signed = await signWith(ca, config, issuer, template, { bits: role.signature_bits, pss: role.use_pss });
      leaseFor(ca, caller, `${config.mount.path}/issue/${input.role}`, role, validity.notAfter);
      noteSerial(caller, signed.serial);
      const output = { ...signed, notAfter: validity.notAfter, issuer: issuer.row, chain: chainRows(config, issuer.row), format, dialect: caller.dialect };
      const shown = certificateOutput({ ...output, pkcs8: pair.pkcs8, removeRoots: input.remove_roots_from_chain });
      const reply = { ...shown, ...privateKeyOutput(pair.pkcs8, format, asPkcs8) };
      return role.no_store ? { reply } : { reply, batch: storeCertificate(signed, issuer.row, template, input.role) };
    });
  },
});
