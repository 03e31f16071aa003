import { keysConfig } from "../rows/settings.ts";
import { referenceForm } from "../../base/forms.ts";
import { CaError } from "../../base/errors.ts";
import { keys } from "../rows/records.ts";
import { withNormalForm, text } from "../../wire/field.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { findKey, missingKey } from "./mount-keys.ts";

const keysConfigReply = {
  default: text.required("ID of the default key, or empty if there is none."),
} as const;
export const readKeysConfig = endpoint({
  id: "readKeysConfig",
  at: ["GET /config/keys"],
  access: "token",
  style: envelope,
  doc: "Reads the default key of the mount.",
  body: {},
  reply: keysConfigReply,
  run: async (mount) => (await mount.config()).get(keysConfig),
});

export const writeKeysConfig = endpoint({
  id: "writeKeysConfig",
  at: ["POST /config/keys"],
  access: "token",
  style: envelope,
  doc: "Sets the default key of the mount.",
  body: {
    default: withNormalForm(text, referenceForm).requiredOr(
      "",
      "ID or name of the new default key.",
    ),
  },
  reply: keysConfigReply,
  refuses: ["malformed"],
  run: (mount, input) =>
    mount.configure(
      (config) => {
        const ref = input.default.trim();
        if (ref === "" || ref.toLowerCase() === "default")
          throw new CaError(
            "malformed",
            "Invalid key specification; must be non-empty and can't be 'default'.",
          );
        const row = findKey(config, ref);
        if (!row)
          throw new CaError(
            "malformed",
            `Error resolving key reference: ${missingKey(config, ref)}`,
          );
        return {
          reply: { default: row.id },
          batch: { put: [[keys.config("keys"), { default: row.id }]] },
        };
      },
      { exact: true },
    ),
});
