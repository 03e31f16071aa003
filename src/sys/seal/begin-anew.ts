import { CaError } from "../../base/errors.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";

/** Strips leading and trailing slashes from a path. */
const trim = (path: string): string => path.replace(/^\/+|\/+$/g, "");

export const beginAnew = systemEndpoint({
  id: "beginAnew",
  at: ["POST /begin-anew"],
  access: "sudo",
  style: envelope,
  doc: "Restarts an API with an empty store after its data was lost. Other servers with this API do not have this endpoint.",
  body: { path: text.required("Path of the API as in `sys/health`, such as `/api/v2/`.") },
  reply: {},
  refuses: ["not_found", "conflict"],
  run: async (deployment, { path }) => {
    const owner = deployment.secretOwners.find((each) => trim(each.path) === trim(path));
    if (!owner) throw new CaError("not_found", "no API of this deployment has this path");
    await owner.beginAnew(deployment);
    return undefined;
  },
});
