import { urlsConfig } from "../rows/settings.ts";
import { keyUsageForm } from "../../x509/forms.ts";
import { listForm } from "../../base/forms.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { flag, withNormalForm, list, text } from "../../wire/field.ts";
import { endpoint, type Caller, type Input } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import type { KeyRequest, KeySource } from "./ca-key.ts";
import { keyRows } from "./mount-keys.ts";
import {
  formatField,
  keyFields,
  keyFormatField,
  lifetimeFields,
  nameFields,
  notBeforeField,
  privateKeyReply,
  signatureFields,
  subjectFields,
  issuanceAudits,
} from "../request/fields.ts";
import {
  encodeNewCa,
  keyOnce,
  keyRefField,
  managedKeyFields,
  readOutputOptions,
  type NewCaCase,
} from "./new-ca.ts";
import { checkCommonNames } from "../request/template.ts";
import { failFast } from "../request/rule-checker.ts";
import { signingLog } from "../../log/rows/signed.ts";
import { signRequest } from "./signing-request.ts";
import { readFormat } from "../request/format.ts";
import { hasAddresses, noUrls } from "../issuer/urls.ts";
import { validityFor, withoutWarnings } from "../issuer/validity.ts";

const requestFields = {
  ...nameFields,
  ...lifetimeFields,
  ...notBeforeField,
  ...formatField,
  ...keyFormatField,
  ...subjectFields,
  ...keyFields,
  ...signatureFields,
  add_basic_constraints: flag.default(false, "Add basic constraints with CA:TRUE to the CSR."),
  key_usage: withNormalForm(list, listForm(keyUsageForm)).default(
    [],
    "Key usages to request; if empty, the CSR requests none.",
  ),
} as const;
type RequestInput = Input<typeof requestFields, "POST /intermediate/generate/internal">;

const declared = {
  access: "token",
  style: envelope,
  captures: ["exported"],
  body: requestFields,
  reply: {
    csr: text.required("The CSR."),
    key_id: text.required("ID of the key."),
    ...privateKeyReply,
  },
  refuses: [
    "invalid_field",
    "malformed",
    "already_exists",
    "bad_key",
    "name_not_allowed",
    "validity",
  ],
} as const;

export const generateIntermediate = endpoint({
  ...declared,
  id: "generateIntermediate",
  at: [
    "POST /intermediate/generate/internal",
    "POST /issuers/generate/intermediate/internal",
    "POST /intermediate/generate/:exported",
    "POST /issuers/generate/intermediate/:exported",
  ],
  doc: "Generates a key and a CSR for an intermediate CA. The key never leaves the mount.",
  audits: issuanceAudits,
  run: (mount, input, caller) => request({ mount, input, caller }, "internal"),
});

export const generateExportedIntermediate = endpoint({
  ...declared,
  id: "generateExportedIntermediate",
  at: ["POST /intermediate/generate/exported", "POST /issuers/generate/intermediate/exported"],
  doc: "Generates a key and a CSR for an intermediate CA, and returns the private key in this response only.",
  audits: issuanceAudits,
  run: (mount, input, caller) => request({ mount, input, caller }, "exported"),
});

export const generateIntermediateFromKey = endpoint({
  ...declared,
  id: "generateIntermediateFromKey",
  at: [
    "POST /intermediate/generate/existing",
    "POST /issuers/generate/intermediate/existing",
    "POST /intermediate/cross-sign",
  ],
  doc: "Generates a CSR for an existing key of the mount, for example for cross-signing.",
  body: { ...requestFields, ...keyRefField },
  audits: issuanceAudits,
  refuses: ["invalid_field", "malformed", "bad_key", "name_not_allowed", "validity"],
  run: (mount, input, caller) => request({ mount, input, caller }, "existing"),
});

export const generateIntermediateFromManagedKey = endpoint({
  ...declared,
  id: "generateIntermediateFromManagedKey",
  at: ["POST /intermediate/generate/kms", "POST /issuers/generate/intermediate/kms"],
  doc: "Generates a CSR for a managed key.",
  body: { ...requestFields, ...managedKeyFields },
  audits: issuanceAudits,
  run: (mount, input, caller) => request({ mount, input, caller }, "kms"),
});

type CsrInput = RequestInput &
  Pick<KeyRequest, "key_ref" | "managed_key_name" | "managed_key_id"> & {
    readonly exported?: string;
  };

async function request(it: NewCaCase<CsrInput>, source: KeySource) {
  const { mount, input, caller } = it;
  const form = await readOutputOptions(it, source, () => readFormat(input.format));
  const keyFor = keyOnce(it, source);
  const decide = async (config: Snapshot, caller: Caller) => {
    checkLifetime(mount, config, input, caller);
    checkCommonNames({ caller, checker: failFast }, input.common_name);
    const key = await keyFor(config);
    if (!hasAddresses(config.get(urlsConfig))) caller.reply.warn(noUrls);
    const signed = await signRequest(input, key, signingLog(mount, config));
    return signed.inChange(async (der) => {
      const { bundle, secrets } = await encodeNewCa(form, key, "CERTIFICATE REQUEST", der);
      const reply = { csr: bundle, key_id: key.row.id as string, ...secrets };
      if (source === "exported") await caller.reply.wrapReply?.(reply);
      return source === "existing"
        ? { reply }
        : { reply, batch: { put: keyRows(config, [key.row]) } };
    });
  };
  // without a new key, the configuration does not change
  return source === "existing"
    ? mount.decideFor(caller, decide)
    : mount.configureFor(caller, decide, { exact: true });
}

/**
 * Rejects an impossible lifetime in a request for a CSR. A lifetime above the maximum is not
 * rejected, because a CSR contains no lifetime (A 3.5).
 */
function checkLifetime(mount: Mount, config: Snapshot, input: RequestInput, caller: Caller): void {
  const rules = {
    ttl: 0,
    max_ttl: 0,
    not_after: "",
    not_before_duration: input.not_before_duration,
  };
  validityFor(input, rules, {
    now: mount.ports.now(),
    mount: config.mount,
    caller: withoutWarnings(caller),
    overMax: "cap",
  });
}
