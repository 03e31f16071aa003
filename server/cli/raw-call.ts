import { client, type RawBytes, type Table } from "../../src/client/index.ts";
import type { Connection } from "./connection.ts";
import { parseIfJson } from "../client/http-client.ts";
import { printJson, printWarnings, printable } from "./output.ts";

/** The members of a JSON object. */
export type Members = Readonly<Record<string, unknown>>;
type Method = "GET" | "LIST" | "POST" | "PATCH" | "DELETE";
interface AnyEndpoint {
  call(fields?: Members): Promise<RawBytes | undefined>;
}

/**
 * Calls any endpoint with fields, which are sent in the query or the body. Resolves with the
 * response, or undefined if it is empty. Rejects with `RefusedError` if the server rejects the
 * request.
 */
export function callEndpoint(
  { send }: Connection,
  method: Method,
  path: string,
  fields: Members = {},
): Promise<RawBytes | undefined> {
  const table: Table<AnyEndpoint> = { call: `raw typed ${method} /${path}` };
  return client(table, "/v1", send).call(fields);
}

/**
 * Parses the JSON object in a response. Returns undefined if the response is empty, text or binary.
 */
export function documentOf(reply: RawBytes | undefined): Members | undefined {
  const document = reply && parseIfJson(new TextDecoder().decode(reply.bytes));
  const isObject = typeof document === "object" && document !== null && !Array.isArray(document);
  return isObject ? (document as Members) : undefined;
}

/** Prints a response: with `isJson` unchanged, otherwise its data with one member per line. */
export function printReply(reply: RawBytes | undefined, isJson: boolean): void {
  const document = documentOf(reply);
  if (!document) return printBytes(reply);
  printWarnings(document);
  if (isJson) return printJson(document);
  const data = document["data"] ?? document["auth"] ?? document["wrap_info"];
  if (typeof data === "object" && data !== null) console.log(formatMembers(data as Members));
  else console.log("data" in document ? "Done." : formatMembers(document));
}

/** Prints a response that is not JSON: text as text, and binary data such as DER unchanged. */
function printBytes(reply: RawBytes | undefined): void {
  if (!reply || reply.bytes.length === 0) console.log("Done.");
  else if (/pem|text|json/.test(reply.type))
    console.log(new TextDecoder().decode(reply.bytes).trimEnd());
  else process.stdout.write(reply.bytes);
}

/**
 * Formats the members of an object, one per line. Multi-line strings are placed below their names.
 */
function formatMembers(members: Members): string {
  const entries = Object.entries(members);
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries
    .map(([name, value]) => {
      const text = formatValue(value);
      return text.includes("\n")
        ? `${name}\n${text.trimEnd()}`
        : `${name.padEnd(width)}  ${text}`.trimEnd();
    })
    .join("\n");
}

function formatValue(value: unknown): string {
  if (value === null) return "";
  if (typeof value === "string") return printable(value);
  if (Array.isArray(value) && value.every((one) => typeof one === "string" && !one.includes("\n")))
    return printable(value.join(", "));
  if (Array.isArray(value) && value.every((one) => typeof one === "string"))
    return printable(value.map((one) => one.trimEnd()).join("\n"));
  return printable(JSON.stringify(value));
}
