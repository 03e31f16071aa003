import { encodePath } from "../api-path.ts";
import type { Argument, Command, Flag } from "../command.ts";
import { connect, connectionFlags, jsonFlag, type Connection } from "../connection.ts";
import { UsageError } from "../flags.ts";
import { parseIfJson } from "../../client/http-client.ts";
import { RefusedError } from "../../../src/client/index.ts";
import { parseAssignments, readInput } from "../input.ts";
import { callEndpoint, documentOf, printReply, type Members } from "../raw-call.ts";

/** The arguments of commands that send fields. */
export const fieldArguments: readonly Argument[] = [
  { name: "path", meaning: "path under /v1, such as pki/roles/server" },
  {
    name: "name=value",
    meaning:
      "fields; name=@file reads the value from a file, name=- from standard input; repeat a name to send a list",
    isOptional: true,
    isMany: true,
  },
];
/** The flags of commands that send fields. */
export const fieldFlags: readonly Flag[] = [
  ...connectionFlags,
  {
    flag: "--data",
    meaning: "file with a JSON object of fields, or - for standard input",
    default: "none",
  },
  jsonFlag,
];
/** Warning in the help of commands that send fields. */
export const fieldNote =
  "Other users of this machine can read command lines: pass secrets as name=@file.";

/** Declares `post`, which writes to any endpoint. */
export const post: Command = {
  name: "post",
  summary: "write to any endpoint",
  arguments: fieldArguments,
  flags: fieldFlags,
  about: [
    "Sends a POST request to an endpoint and prints the response data, or with --json the whole response.",
    "A POST to an existing role resets the fields that it omits; patch keeps them.",
  ],
  more: [fieldNote],
  examples: [
    "sealwright post pki/roles/client allow_any_name=true server_flag=false ttl=24h",
    `echo 'path "pki/issue/client" { capabilities = ["update"] }' > client.hcl`,
    "sealwright post sys/policies/acl/client policy=@client.hcl",
  ],
  async run({ flags, words: [path = "", ...rest] }, context) {
    const encoded = encodePath(path);
    const fields = await readFields(flags, rest);
    const connection = await connect(flags, context);
    const before = isRole(encoded) ? await readIfAllowed(connection, encoded) : undefined;
    const reply = await callEndpoint(connection, "POST", encoded, fields);
    const reset = changedFields(before, documentOf(reply)).filter((name) => !(name in fields));
    if (reset.length > 0)
      console.error(
        `Warning: post has reset these fields of ${path}, which were omitted: ${reset.join(", ")}. To keep omitted fields, use sealwright patch.`,
      );
    printReply(reply, flags.has("--json"));
    return 0;
  },
};

/** Returns the fields in the file of `--data` and in the arguments. */
export async function readFields(
  flags: ReadonlyMap<string, string>,
  words: readonly string[],
): Promise<Members> {
  const file = flags.get("--data");
  const fields = file === undefined ? {} : parseIfJson(await readInput(file));
  if (typeof fields === "object" && fields !== null && !Array.isArray(fields))
    return { ...fields, ...(await parseAssignments(words)) };
  throw new UsageError(`--data: ${file} contains no JSON object.`);
}

/** Reports whether a path is that of a role of a PKI mount, which a POST replaces. */
const isRole = (path: string): boolean => /^(?!auth\/|sys\/).+\/roles\/[^/]+$/.test(path);

/** Reads an endpoint. Returns undefined if it does not exist or the token does not allow it. */
async function readIfAllowed(connection: Connection, path: string): Promise<Members | undefined> {
  try {
    return documentOf(await callEndpoint(connection, "GET", path));
  } catch (error) {
    if (error instanceof RefusedError) return undefined;
    throw error;
  }
}

/** Returns the names of the fields that differ between the data of two responses. */
function changedFields(before: Members | undefined, after: Members | undefined): readonly string[] {
  const [old, now] = [dataIn(before), dataIn(after)];
  return Object.keys(old).filter(
    (name) => name in now && JSON.stringify(old[name]) !== JSON.stringify(now[name]),
  );
}
const dataIn = (reply: Members | undefined): Members => ({ ...(reply?.["data"] as Members) });
