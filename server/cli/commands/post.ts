import { encodePath } from "../api-path.ts";
import type { Command } from "../command.ts";
import { connect, connectionFlags, jsonFlag } from "../connection.ts";
import { UsageError } from "../flags.ts";
import { parseIfJson } from "../../client/http-client.ts";
import { parseAssignments, readInput } from "../input.ts";
import { callEndpoint, printReply } from "../raw-call.ts";

/** Declares `post`, which writes to any endpoint. */
export const post: Command = {
  name: "post",
  summary: "write to any endpoint",
  arguments: [
    { name: "path", meaning: "path under /v1, such as pki/roles/server" },
    {
      name: "name=value",
      meaning:
        "fields; name=@file reads the value from a file, name=- from standard input; repeat a name to send a list",
      isOptional: true,
      isMany: true,
    },
  ],
  flags: [
    ...connectionFlags,
    {
      flag: "--data",
      meaning: "file with a JSON object of fields, or - for standard input",
      default: "none",
    },
    jsonFlag,
  ],
  about: [
    "Sends a POST request to an endpoint and prints the response data, or with --json the whole response.",
  ],
  more: ["Other users of this machine can read command lines: pass secrets as name=@file."],
  examples: [
    "sealwright post pki/roles/client allow_any_name=true server_flag=false ttl=24h",
    `echo 'path "pki/issue/client" { capabilities = ["update"] }' > client.hcl`,
    "sealwright post sys/policies/acl/client policy=@client.hcl",
  ],
  async run({ flags, words: [path = "", ...rest] }, context) {
    const encoded = encodePath(path);
    const file = flags.get("--data");
    const fields = {
      ...(file === undefined ? {} : await readFields(file)),
      ...(await parseAssignments(rest)),
    };
    const connection = await connect(flags, context);
    printReply(await callEndpoint(connection, "POST", encoded, fields), flags.has("--json"));
    return 0;
  },
};

async function readFields(file: string): Promise<Readonly<Record<string, unknown>>> {
  const fields = parseIfJson(await readInput(file));
  if (typeof fields === "object" && fields !== null && !Array.isArray(fields)) return { ...fields };
  throw new UsageError(`--data: ${file} contains no JSON object.`);
}
