import { trimmedForm } from "../../base/forms.ts";
import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import { traditionalPem } from "../../keys/read.ts";
import { withNormalForm, secret, text } from "../../wire/field.ts";
import { endpoint, type Input } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { keyFields } from "../request/fields.ts";
import { newKey, refuseKeyKind } from "./ca-key.ts";
import { keyOutput, keyReply, checkKeyName, keyRows } from "./mount-keys.ts";
import { managedKeyFields } from "./new-ca.ts";

const generated = {
  access: "token",
  style: envelope,
  body: keyFields,
  refuses: ["invalid_field", "malformed", "already_exists"],
} as const;
type KeyInput = Input<typeof keyFields, "POST /keys/generate/internal">;
/** Generates and stores a CA key. `shown` creates the response to the caller. */
async function generate<T>(
  mount: Mount,
  input: KeyInput,
  shown: (reply: ReturnType<typeof keyOutput>, pkcs8: Uint8Array) => Promise<T>,
): Promise<T> {
  let key: Awaited<ReturnType<typeof newKey>> | undefined;
  return mount.configure(
    async (config) => {
      const name = checkKeyName(config, input.key_name);
      try {
        const { key_type: type, key_bits: bits } = input;
        key ??= await newKey(mount, { name, type, bits });
      } catch (error) {
        if (error instanceof CaError && error.code === "invalid_field")
          throw new CaError(
            "invalid_field",
            `Validation for key_type, key_bits failed: ${error.message}`,
          );
        throw error;
      }
      return {
        reply: await shown(keyOutput(key.row), key.pkcs8),
        batch: { put: keyRows(config, [key.row]) },
      };
    },
    { exact: true },
  );
}

export const generateCaKey = endpoint({
  ...generated,
  id: "generateCaKey",
  audits: { always: true },
  at: ["POST /keys/generate/internal"],
  doc: "Generates a CA key that never leaves the mount.",
  reply: keyReply,
  run: (mount, input) => generate(mount, input, async (reply) => reply),
});

export const generateExportedCaKey = endpoint({
  ...generated,
  id: "generateExportedCaKey",
  audits: { always: true },
  at: ["POST /keys/generate/exported"],
  doc: "Generates a CA key, and returns the private key in this response only.",
  reply: { ...keyReply, private_key: secret.required("The private key, PEM.") },
  run: (mount, input, caller) =>
    generate(mount, input, async (key, pkcs8) => {
      const reply = { ...key, private_key: traditionalPem(pkcs8) };
      await caller.reply.wrapReply?.(reply);
      return reply;
    }),
});

export const generateManagedCaKey = endpoint({
  ...generated,
  id: "generateManagedCaKey",
  at: ["POST /keys/generate/kms"],
  doc: "Adds a managed key as a CA key of the mount. The key stays in the external service, which signs with it.",
  body: {
    key_name: withNormalForm(text, trimmedForm).optional("Name of the key."),
    ...managedKeyFields,
  },
  reply: keyReply,
  run: async (mount, input, caller) => {
    refuseKeyKind(caller);
    const { addManagedCaKey: storeManagedKey } = await import("./managed-ca-key.ts");
    return storeManagedKey(mount, input, caller);
  },
});
