import { CaError, type Refusal } from "../../base/errors.ts";

/** One member of `errors` (V 2.2); `status` and `title` come first on the wire. */
export interface Fault {
  readonly title: string;
  readonly detail?: string;
  readonly source?: { readonly pointer: string } | { readonly parameter: string };
}

/** A refusal of the variables API: one or several faults. */
export class VarsError extends CaError {
  readonly faults: readonly Fault[];
  constructor(code: Refusal, faults: readonly Fault[]) {
    super(code, faults.map(({ title, detail }) => detail ?? title).join("\n"));
    this.faults = faults;
  }
}

/** Missing, unknown and expired tokens look alike. */
export const unauthorized = (): VarsError =>
  new VarsError("unauthorized", [{ title: "unauthorized" }]);
/** What does not exist and what the caller may not see look alike. */
export const notFound = (): VarsError => new VarsError("not_found", [{ title: "not found" }]);
/** The request contradicts the resource that its path names: 409. */
export const conflictError = (detail: string, pointer?: string): VarsError =>
  new VarsError("conflict", [
    { title: "conflict", detail, ...(pointer === undefined ? {} : { source: { pointer } }) },
  ]);
/** The body is no JSON:API document by its media type: 415. */
export const wrongMedia = (): VarsError =>
  new VarsError("unsupported_media", [
    { title: "invalid content type", detail: "content-type must be application/vnd.api+json" },
  ]);
/** The body is no JSON object: 400. */
export const badJson = (detail: string): VarsError =>
  new VarsError("malformed", [{ title: "JSON body is invalid", detail }]);
/** A query parameter is missing or unfit: 400. */
export const badFilter = (detail: string, parameter: string): VarsError =>
  new VarsError("malformed", [{ title: "invalid filter", detail, source: { parameter } }]);
/** Above the rate limit: 429. */
export const tooMany = (): VarsError =>
  new VarsError("too_many_requests", [
    { title: "Too many requests", detail: "You have exceeded the API's rate limit." },
  ]);
/** Several faults of one document. */
export const invalidError = (faults: readonly Fault[]): VarsError =>
  new VarsError("invalid_document", faults);

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
