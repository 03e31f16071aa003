import { endpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { keyRefField, managedKeyFields } from "./new-ca.ts";
import { generateRootCa } from "./new-root.ts";
import { rootFields, rootReply } from "./root-fields.ts";
import { issuanceAudits } from "../request/fields.ts";

const declared = {
  access: "token",
  style: envelope,
  captures: ["exported"],
  body: rootFields,
  reply: rootReply,
  refuses: [
    "invalid_field",
    "malformed",
    "already_exists",
    "bad_key",
    "name_not_allowed",
    "validity",
    "constraint",
  ],
} as const;

export const generateRoot = endpoint({
  ...declared,
  id: "generateRoot",
  at: [
    "POST /root/generate/internal",
    "POST /issuers/generate/root/internal",
    "POST /root/generate/:exported",
    "POST /issuers/generate/root/:exported",
  ],
  doc: "Generates a key and a self-signed CA certificate, and adds it as a new issuer. The key never leaves the mount.",
  audits: issuanceAudits,
  run: (mount, input, caller) => generateRootCa({ mount, input, caller }, { source: "internal" }),
});

export const generateExportedRoot = endpoint({
  ...declared,
  id: "generateExportedRoot",
  at: ["POST /root/generate/exported", "POST /issuers/generate/root/exported"],
  doc: "Generates a key and a self-signed CA certificate, and adds it as a new issuer. Returns the private key in this response only.",
  audits: issuanceAudits,
  run: (mount, input, caller) => generateRootCa({ mount, input, caller }, { source: "exported" }),
});

export const generateRootFromKey = endpoint({
  ...declared,
  id: "generateRootFromKey",
  at: ["POST /root/generate/existing", "POST /issuers/generate/root/existing"],
  doc: "Generates a self-signed CA certificate for an existing key of the mount, and adds it as a new issuer.",
  body: { ...rootFields, ...keyRefField },
  audits: issuanceAudits,
  run: (mount, input, caller) => generateRootCa({ mount, input, caller }, { source: "existing" }),
});

export const generateRootFromManagedKey = endpoint({
  ...declared,
  id: "generateRootFromManagedKey",
  at: ["POST /root/generate/kms", "POST /issuers/generate/root/kms"],
  doc: "Generates a self-signed CA certificate for a managed key, and adds it as a new issuer.",
  body: { ...rootFields, ...managedKeyFields },
  audits: issuanceAudits,
  run: (mount, input, caller) => generateRootCa({ mount, input, caller }, { source: "kms" }),
});

/**
 * Declarations that the rotation endpoints share. A rotation names the new root `next` if that name
 * is free, and never changes the default issuer (A 3.4).
 */
const rotating = {
  ...declared,
  doc: "Generates a new root alongside the current one. Use `/root/replace` to make it the default issuer later.",
} as const;
export const rotateRoot = endpoint({
  ...rotating,
  id: "rotateRoot",
  at: ["POST /root/rotate/internal", "POST /root/rotate/:exported"],
  audits: issuanceAudits,
  run: (mount, input, caller) =>
    generateRootCa({ mount, input, caller }, { source: "internal", rotates: true }),
});
export const rotateExportedRoot = endpoint({
  ...rotating,
  id: "rotateExportedRoot",
  at: ["POST /root/rotate/exported"],
  audits: issuanceAudits,
  run: (mount, input, caller) =>
    generateRootCa({ mount, input, caller }, { source: "exported", rotates: true }),
});
export const rotateRootFromKey = endpoint({
  ...rotating,
  id: "rotateRootFromKey",
  at: ["POST /root/rotate/existing"],
  body: { ...rootFields, ...keyRefField },
  audits: issuanceAudits,
  run: (mount, input, caller) =>
    generateRootCa({ mount, input, caller }, { source: "existing", rotates: true }),
});
export const rotateRootFromManagedKey = endpoint({
  ...rotating,
  id: "rotateRootFromManagedKey",
  at: ["POST /root/rotate/kms"],
  body: { ...rootFields, ...managedKeyFields },
  audits: issuanceAudits,
  run: (mount, input, caller) =>
    generateRootCa({ mount, input, caller }, { source: "kms", rotates: true }),
});
