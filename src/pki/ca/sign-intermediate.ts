import { text } from "../../wire/field.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { certificateReply, issuanceAudits } from "../request/fields.ts";
import { configureCrls } from "../crl/crl-schedule.ts";
import { intermediateFields } from "./intermediate-fields.ts";
import { signedAndSet, signedIntermediate } from "./new-intermediate.ts";

export const signIntermediate = endpoint({
  id: "signIntermediate",
  at: ["POST /root/sign-intermediate", "POST /issuer/:issuer_ref/sign-intermediate"],
  access: "token",
  style: envelope,
  doc: "Issues a CA certificate for the key in a CSR. Callers can thereby create certificates for any name.",
  body: intermediateFields,
  reply: {
    ...certificateReply,
    issuer_id: text.optional("ID of the new issuer, with `set_signed`."),
  },
  audits: issuanceAudits,
  refuses: [
    "invalid_field",
    "malformed",
    "unknown_issuer",
    "unusable_issuer",
    "bad_csr",
    "already_exists",
    "bad_key",
    "constraint",
    "name_not_allowed",
    "validity",
  ],
  run: (mount, input, caller) =>
    input.set_signed
      ? configureCrls(mount, caller, (config, caller) =>
          signedAndSet({ mount, config, input, caller }),
        )
      : mount.decideFor(caller, (config, caller) =>
          signedIntermediate({ mount, config, input, caller }),
        ),
});
