import { CaError, type Refusal } from "../base/errors.ts";

/** One member of `errors` (V 2.2); `status` and `title` come first on the wire. */
export interface Fault {
  readonly title: string;
  readonly detail?: string;
  readonly source?: { readonly pointer: string } | { readonly parameter: string };
}

/** A refusal of the variables API: one status, one or several faults. */
export class VarsError extends CaError {
  readonly status: number;
  readonly faults: readonly Fault[];
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    code: Refusal,
    status: number,
    faults: readonly Fault[],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(code, faults.map(({ title, detail }) => detail ?? title).join("\n"));
    this.status = status;
    this.faults = faults;
    this.headers = headers;
  }
}

/**
 * Missing, unknown and expired tokens look alike. The header is what RFC 9110 section 11.6.1
 * demands.
 */
export const unauthorized = (): VarsError =>
  new VarsError("forbidden", 401, [{ title: "unauthorized" }], { "www-authenticate": "Bearer" });
/** What does not exist and what the caller may not see look alike. */
export const notFound = (): VarsError => new VarsError("not_found", 404, [{ title: "not found" }]);
/** The request contradicts the resource that its path names: 409. */
export const conflict = (detail: string, pointer?: string): VarsError =>
  new VarsError("already_exists", 409, [
    { title: "conflict", detail, ...(pointer === undefined ? {} : { source: { pointer } }) },
  ]);
/** The body is no JSON:API document by its media type: 415. */
export const wrongMedia = (): VarsError =>
  new VarsError("unsupported_media", 415, [
    { title: "invalid content type", detail: "content-type must be application/vnd.api+json" },
  ]);
/** The body is no JSON object: 400. */
export const badJson = (detail: string): VarsError =>
  new VarsError("malformed", 400, [{ title: "JSON body is invalid", detail }]);
/** A query parameter is missing or unfit: 400. */
export const badFilter = (detail: string, parameter: string): VarsError =>
  new VarsError("malformed", 400, [{ title: "invalid filter", detail, source: { parameter } }]);
/** Above the rate limit: 429. */
export const tooMany = (headers: Readonly<Record<string, string>>): VarsError =>
  new VarsError(
    "busy",
    429,
    [{ title: "Too many requests", detail: "You have exceeded the API's rate limit." }],
    headers,
  );
/** Several faults of one document. */
export const invalid = (faults: readonly Fault[]): VarsError =>
  new VarsError("invalid_field", 422, faults);

/** The document does not have the shape that is asked. */
export const requestFault = (pointer: string, detail: string): Fault => ({
  title: "invalid request",
  detail,
  source: { pointer },
});
/** An attribute's value is refused; `detail` is a sentence that begins with the attribute. */
export const attributeFault = (attribute: string, detail: string): Fault => ({
  title: "invalid attribute",
  detail,
  source: { pointer: `/data/attributes/${attribute}` },
});
