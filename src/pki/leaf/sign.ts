import { text } from "../../wire/field.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { endpoint, type Caller, type Input } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { decideFor } from "../request/attempt.ts";
import { certificateReply } from "../request/fields.ts";
import { judgeFormat, leafAuthority, leafFields, leafTemplate, type LeafPlan } from "./issue.ts";
import { chainRows } from "../issuer/issuer.ts";
import { demandOf, obtainSoon, strict, type Judge } from "../request/judge.ts";
import { assertChain, leaseFor, noteSerial, signWith, storeCertificate } from "./leaf.ts";
import { judgeMetadata, metadataRows } from "./metadata.ts";
import { certificateOutput } from "../issuer/output.ts";
import {
  checkRequestKey,
  checkRequestSignature,
  readRequest,
  type SigningRequest,
} from "../request/request.ts";
import type { Role } from "./roles.ts";

/** The field of a certificate signing request. */
export const csrField = { csr: text.needed("", "Certificate signing request, PEM.") } as const;

/** Fields of sign. */
export const signFields = { ...csrField, ...leafFields } as const;
type SignInput = Input<
  typeof signFields,
  "POST /sign/:role" | "POST /issuer/:issuer_ref/sign/:role"
>;

/** Everything that sign checks, in the order of A 8.3. */
export async function planSign(
  ca: Mount,
  config: Snapshot,
  input: SignInput,
  caller: Caller,
  judge: Judge,
): Promise<LeafPlan> {
  const authority = await leafAuthority(ca, config, input, caller, judge);
  const { role, issuer } = authority;
  const format = judgeFormat(input.format, judge);
  const request = readRequest(input.csr);
  demandOf(judge, "key_type, key_bits", request.publicKey.type, () =>
    checkRequestKey(request, role.key_type, role.key_bits),
  );
  const judged = leafTemplate(ca, config, authority, input, request, caller, judge);
  await obtainSoon(judge, "csr", "its signature", checkRequestSignature(request), () => undefined);
  warnOfBasicConstraints(request, role, caller);
  assertChain(ca, config, issuer.row, judged, judge);
  return {
    role,
    issuer,
    format,
    metadata: judgeMetadata(input, role.no_store_metadata, judge),
    template: { ...judged, spki: request.csr.spki },
  };
}

export const sign = endpoint({
  id: "sign",
  at: ["POST /sign/:role", "POST /issuer/:issuer_ref/sign/:role"],
  access: "token",
  style: envelope,
  doc: "Issues a certificate for the key of a certificate signing request, as a role allows.",
  body: signFields,
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
      const { role, issuer, format, metadata, template } = await planSign(
        ca,
        config,
        input,
        caller,
        strict,
      );
      const signed = await signWith(ca, config, issuer, template, {
        bits: role.signature_bits,
        pss: role.use_pss,
      });
      leaseFor(
        ca,
        config,
        caller,
        `${config.mount.path}/sign/${input.role}`,
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
      const reply = await certificateOutput({
        ...output,
        removeRoots: input.remove_roots_from_chain,
      });
      const kept = metadataRows(signed.serial, issuer.row, input.role, template.notAfter, metadata);
      const batch = storeCertificate(signed, issuer.row, template, input.role, role.no_store, kept);
      return { reply, ...(batch ? { batch } : {}) };
    }),
});

/** Tells that the CSR's basic constraints are not those of the certificate. */
function warnOfBasicConstraints(request: SigningRequest, role: Role, caller: Caller): void {
  if (request.hasBasicConstraints && !role.basic_constraints_valid_for_non_ca)
    caller.warn(
      "specified CSR contained a Basic Constraints extension that was ignored during issuance",
    );
}
