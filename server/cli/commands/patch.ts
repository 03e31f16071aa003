import { encodePath } from "../api-path.ts";
import type { Command } from "../command.ts";
import { connect } from "../connection.ts";
import { callEndpoint, printReply } from "../raw-call.ts";
import { fieldArguments, fieldFlags, fieldNote, readFields } from "./post.ts";

/** Declares `patch`, which changes some fields of a role or an issuer. */
export const patch: Command = {
  name: "patch",
  summary: "change some fields of a role or an issuer",
  arguments: fieldArguments,
  flags: fieldFlags,
  about: [
    "Sends a PATCH request to an endpoint and prints the response data, or with --json the whole response.",
    "Omitted fields keep their values. A list replaces the stored list: include its entries to keep them.",
  ],
  more: [fieldNote],
  examples: [
    "sealwright patch pki/roles/server allowed_domains=localhost,corp.example",
    "sealwright patch pki/issuer/default usage=issuing-certificates,crl-signing,ocsp-signing",
  ],
  async run({ flags, words: [path = "", ...rest] }, context) {
    const encoded = encodePath(path);
    const fields = await readFields(flags, rest);
    const connection = await connect(flags, context);
    printReply(await callEndpoint(connection, "PATCH", encoded, fields), flags.has("--json"));
    return 0;
  },
};
