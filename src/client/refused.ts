import { fromUtf8 } from "../base/bytes.ts";
import type { Refusal } from "../base/errors.ts";
import type { Answer } from "./call.ts";
import { codes } from "./codes.ts";

/**
 * A refusal that an authority gave. The message says what is missing where the authority gave no
 * text, such as for a role that does not exist.
 */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  /** The HTTP status. */
  readonly status: number;
  /** The texts of the API; empty for what does not exist. */
  readonly errors: readonly string[];
  /**
   * Code of the table `refusals`. An authority elsewhere sends only a status: undefined where
   * several codes have it.
   */
  readonly code: Refusal | undefined;
  constructor(
    status: number,
    errors: readonly string[],
    { code, message }: { readonly code?: Refusal | undefined; readonly message?: string } = {},
  ) {
    super(errors.join("\n") || message || `the authority answered ${status}`);
    this.status = status;
    this.errors = errors;
    this.code = code;
  }
}

/** What a reply of a call refuses. */
export function refusalOf(
  { status, body, refusal }: Answer,
  method: string,
  path: string,
): RefusedError {
  const errors = errorsOf(body);
  // the page of a proxy says nothing of what exists
  if (status !== 404 || errors.length > 0 || body === null || !isObject(parseBody(body)))
    return new RefusedError(status, errors, { code: refusal ?? codes[status] });
  const what = decodeURIComponent(path).replace(/^\/v1\//, "");
  return new RefusedError(status, errors, {
    code: "not_found",
    message: method === "LIST" ? `${what} has no entries` : `${what} does not exist`,
  });
}
/** Says whether a value is a JSON object. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The document of a body; undefined when it is no JSON, such as the page of a proxy in between. */
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
