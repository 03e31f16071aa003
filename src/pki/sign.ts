import { text } from "../wire/field.ts";
import { endpoint } from "../wire/endpoint.ts";
import { envelope } from "../wire/style.ts";
import { decideFor } from "./attempt.ts";
import { certificateReply, readFormat } from "./fields.ts";
import { leafFields } from "./issue.ts";
import { chainRows, signingIssuer } from "./issuer.ts";
import { leaseFor, noteSerial, signWith, storeCertificate } from "./leaf.ts";
import { certificateOutput } from "./output.ts";
import { checkRequestKey, checkRequestSignature, readRequest } from "./request.ts";
import { judgeRequest } from "./role.ts";
import { roleOf } from "./roles.ts";
import { validityFor, withinIssuer } from "./validity.ts";

/** The field of a certificate signing request. */
export const csrField = { csr: text.default("", "Certificate signing request, PEM.") } as const;

export const sign = endpoint({
  id: "sign",
  at: ["POST /sign/:role", "POST /issuer/:issuer_ref/sign/:role"],
  access: "token",
  style: envelope,
  doc: "Issues a certificate for the key of a certificate signing request, as a role allows.",
  body: { ...csrField, ...leafFields },
  ignores: ["issuer_ref"],
  reply: certificateReply,
  refuses: [
    "invalid_field",
    "unknown_role",
    "malformed",
    "role_violation",
    "unknown_issuer",
    "unusable_issuer",
    "bad_csr",
    "bad_key",
    "name_not_allowed",
    "validity",
    "constraint",
  ],
  run: (ca, input, caller) =>
    decideFor(ca, caller, async (config, caller) => {
      const role = await roleOf(config, input.role);
      const issuer = await signingIssuer(ca, config, input.issuer_ref ?? role.issuer_ref);
      const format = readFormat(input.format);
      const request = readRequest(input.csr);
      checkRequestKey(request, role.key_type, role.key_bits);
      const judged = judgeRequest(role, input, request, caller);
      const asked = validityFor(ca.ports.now(), input, role, config.mount, caller);
      const validity = withinIssuer(asked, issuer.certificate.notAfter, issuer.row.leaf_not_after_behavior);
      await checkRequestSignature(request);
      if (request.hasBasicConstraints && !role.basic_constraints_valid_for_non_ca)
        caller.warn("specified CSR contained a Basic Constraints extension that was ignored during issuance");
      const template = { kind: "leaf" as const, ...judged, ...validity, spki: request.csr.spki };
      const signed = await signWith(ca, config, issuer, template, { bits: role.signature_bits, pss: role.use_pss });
      leaseFor(ca, caller, `${config.mount.path}/sign/${input.role}`, role, validity.notAfter);
      noteSerial(caller, signed.serial);
      const output = { ...signed, notAfter: validity.notAfter, issuer: issuer.row, chain: chainRows(config, issuer.row), format, dialect: caller.dialect };
      const reply = certificateOutput({ ...output, removeRoots: input.remove_roots_from_chain });
      return role.no_store ? { reply } : { reply, batch: storeCertificate(signed, issuer.row, template, input.role) };
    }),
});
