import { encodePath } from "../api-path.ts";
import type { Command } from "../command.ts";
import { connect, connectionFlags, jsonFlag } from "../connection.ts";
import { callEndpoint, printReply } from "../raw-call.ts";

/** Declares `delete`, which sends DELETE to any endpoint. */
export const remove: Command = {
  name: "delete",
  summary: "send DELETE to any endpoint",
  arguments: [{ name: "path", meaning: "path under /v1, such as pki/roles/client" }],
  flags: [...connectionFlags, jsonFlag],
  about: ["Sends a DELETE request to an endpoint."],
  examples: ["sealwright delete pki/roles/client"],
  async run({ flags, words: [path = ""] }, context) {
    const encoded = encodePath(path);
    const connection = await connect(flags, context);
    printReply(await callEndpoint(connection, "DELETE", encoded), flags.has("--json"));
    return 0;
  },
};
