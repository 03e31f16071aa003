import { encodePath } from "../api-path.ts";
import type { Command } from "../command.ts";
import { connect, connectionFlags, jsonFlag } from "../connection.ts";
import { parseAssignments } from "../input.ts";
import { callEndpoint, printReply } from "../raw-call.ts";

/** Declares `get`, which reads any endpoint. */
export const get: Command = {
  name: "get",
  summary: "read any endpoint",
  arguments: [
    { name: "path", meaning: "path under /v1, such as pki/roles/server" },
    {
      name: "name=value",
      meaning: "query parameters",
      isOptional: true,
      isMany: true,
    },
  ],
  flags: [...connectionFlags, jsonFlag],
  about: [
    "Sends a GET request to an endpoint and prints the response data, or with --json the whole response.",
  ],
  examples: ["sealwright get pki/roles/server", "sealwright get pki/cert/ca --json"],
  async run({ flags, words: [path = "", ...rest] }, context) {
    const encoded = encodePath(path);
    const query = await parseAssignments(rest);
    const connection = await connect(flags, context);
    const reply = await callEndpoint(connection, "GET", encoded, query);
    // standard output is often redirected to a file
    if (!reply || reply.bytes.length === 0) console.error("The response is empty.");
    else printReply(reply, flags.has("--json"));
    return 0;
  },
};
