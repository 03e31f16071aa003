import { CaError, type Refusal } from "../../base/errors.ts";

/** A member of `errors` (V 2.2). The style adds `status`. */
export interface Fault {
  readonly title: string;
  readonly detail?: string;
  readonly source?: { readonly pointer: string } | { readonly parameter: string };
}

/** An error of the variables API, with one or more faults. */
export class VarsError extends CaError {
  readonly faults: readonly Fault[];
  constructor(code: Refusal, faults: readonly Fault[]) {
    super(code, faults.map(({ title, detail }) => detail ?? title).join("\n"));
    this.faults = faults;
  }
}

/** Returns the error for a missing, unknown or expired token (401). It is the same in all cases. */
export const unauthorized = (): VarsError =>
  new VarsError("unauthorized", [{ title: "unauthorized" }]);
/**
 * Returns the error for a resource that does not exist or that the caller may not see (404). It is
 * the same in both cases.
 */
export const notFound = (): VarsError => new VarsError("not_found", [{ title: "not found" }]);
/** Returns the error for a request that contradicts the resource in its path (409). */
export const conflictError = (detail: string, pointer?: string): VarsError =>
  new VarsError("conflict", [
    { title: "conflict", detail, ...(pointer === undefined ? {} : { source: { pointer } }) },
  ]);
/** Returns the error for a media type other than JSON:API (415). */
export const wrongMedia = (): VarsError =>
  new VarsError("unsupported_media", [
    { title: "invalid content type", detail: "content-type must be application/vnd.api+json" },
  ]);
/** Returns the error for a body that is not a JSON object (400). */
export const badJson = (detail: string): VarsError =>
  new VarsError("malformed", [{ title: "JSON body is invalid", detail }]);
/** Returns the error for a missing or invalid query parameter (400). */
export const badFilter = (detail: string, parameter: string): VarsError =>
  new VarsError("malformed", [{ title: "invalid filter", detail, source: { parameter } }]);
/** Returns the error for a request that exceeds the rate limit (429). */
export const tooMany = (): VarsError =>
  new VarsError("too_many_requests", [
    { title: "Too many requests", detail: "You have exceeded the API's rate limit." },
  ]);
/** Returns the error for one or more faults in a document (422). */
export const invalidError = (faults: readonly Fault[]): VarsError =>
  new VarsError("invalid_document", faults);

/** Returns the fault for a document with the wrong structure. */
export const requestFault = (pointer: string, detail: string): Fault => ({
  title: "invalid request",
  detail,
  source: { pointer },
});
/**
 * Returns the fault for an invalid attribute. `detail` is a sentence that begins with the
 * attribute's name.
 */
export const attributeFault = (attribute: string, detail: string): Fault => ({
  title: "invalid attribute",
  detail,
  source: { pointer: `/data/attributes/${attribute}` },
});
