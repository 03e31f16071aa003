import { clusterConfig } from "../rows/settings.ts";
import { uriForm } from "../../base/forms.ts";
import { CaError } from "../../base/errors.ts";
import { truncateForMessage } from "../../base/names.ts";
import { uriHost } from "../../base/uri.ts";
import { keys } from "../rows/records.ts";
import { withNormalForm, text } from "../../wire/field.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";

const clusterReply = {
  path: text.required("URL of this mount, including /v1."),
  aia_path: text.required("URL of this mount for use in certificates; may be plain HTTP."),
} as const;

export const readCluster = endpoint({
  id: "readCluster",
  at: ["GET /config/cluster"],
  access: "token",
  style: envelope,
  doc: "Reads the external URLs of the mount.",
  body: {},
  reply: clusterReply,
  run: async (mount) => (await mount.config()).get(clusterConfig),
});

export const writeCluster = endpoint({
  id: "writeCluster",
  at: ["POST /config/cluster"],
  access: "token",
  style: envelope,
  doc: "Updates the external URLs of the mount. Omitted fields keep their values.",
  body: {
    path: withNormalForm(text, uriForm).optional("URL of this mount, including /v1."),
    aia_path: withNormalForm(text, uriForm).optional(
      "URL of this mount for use in certificates; may be plain HTTP.",
    ),
  },
  reply: clusterReply,
  refuses: ["invalid_field", "malformed"],
  run: (mount, input) =>
    mount.configure((config) => {
      for (const [name, label] of [
        ["path", "path given to cluster"],
        ["aia_path", "aia_path given to cluster"],
      ] as const) {
        const url = input[name];
        if (url !== undefined && !uriHost(url))
          throw new CaError("malformed", `invalid, non-URL ${label}: ${truncateForMessage(url)}`);
      }
      const next = {
        path: input.path ?? config.get(clusterConfig).path,
        aia_path: input.aia_path ?? config.get(clusterConfig).aia_path,
      };
      const key = keys.config("cluster");
      return { reply: next, batch: { expect: [[key, config.rev(key)]], put: [[key, next]] } };
    }),
});
