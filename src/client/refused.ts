import { fromUtf8 } from "../base/bytes.ts";
import { type ErrorCode, errorCodeHeader, type Refusal, SealwrightError } from "../base/errors.ts";
import type { Answer } from "./call.ts";
import { codes } from "./codes.ts";

/**
 * The error for a request that a server refused. If the server sent no text, for example for a role
 * that does not exist, the message states what does not exist.
 */
export class RefusedError extends SealwrightError {
  override readonly name = "RefusedError";
  /** The HTTP status. */
  readonly status: number;
  /** The error messages of the API. There are none if a resource does not exist. */
  readonly errors: readonly string[];
  /** Code from the table `refusals`, which is the same in this process and over HTTP. */
  readonly code: ErrorCode;
  constructor(
    status: number,
    errors: readonly string[],
    { code = "unknown", message }: { readonly code?: ErrorCode; readonly message?: string } = {},
  ) {
    super(errors.map(inOneLine).join("\n") || message || `the server returned status ${status}`);
    this.status = status;
    this.errors = errors;
    this.code = code;
  }
}

/** Converts "1 error occurred:\n\t* permission denied\n\n" to "permission denied". */
const inOneLine = (text: string): string =>
  text
    .replace(/^\d+ errors? occurred:\n/, "")
    .split("\n")
    .map((line) => line.replace(/^\t\* /, "").trim())
    .filter(Boolean)
    .join("; ");

/** Returns the error for a response. */
export function refusalOf({ status, headers, body }: Answer, path: string): RefusedError {
  const errors = errorsOf(body);
  // older servers and proxies send no code, and later servers may send a code that is not in this
  // table
  const code = (headers[errorCodeHeader] as Refusal | undefined) ?? codes[status];
  // a page of a proxy does not show whether the resource exists
  if (status !== 404 || errors.length > 0 || body === null || !isObject(parseBody(body)))
    return new RefusedError(status, errors, code === undefined ? {} : { code });
  const what = decodeURIComponent(path).replace(/^\/v1\//, "");
  return new RefusedError(status, errors, {
    code: code ?? "not_found",
    message: `${what} does not exist`,
  });
}
/** Reports whether a value is a JSON object. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Parses the JSON document in a body. Returns undefined if the body is not JSON, for example a page
 * of a proxy.
 */
export function parseBody(body: Uint8Array | string): unknown {
  try {
    return JSON.parse(typeof body === "string" ? body : fromUtf8(body));
  } catch {
    return undefined;
  }
}
function errorsOf(body: Answer["body"]): readonly string[] {
  const document = body === null ? undefined : parseBody(body);
  if (!isObject(document)) return [];
  const { errors, detail } = document;
  if (!Array.isArray(errors)) return typeof detail === "string" ? [detail] : [];
  return errors.map((error: unknown) =>
    typeof error === "string"
      ? error
      : isObject(error) && typeof error["detail"] === "string"
        ? error["detail"]
        : JSON.stringify(error),
  );
}
