// Made by `npm run generate`; what is changed here is lost.
import type { Refusal } from "../base/errors.ts";

/** Error codes that follow from the HTTP status alone. */
export const codes: Readonly<Record<number, Refusal>> = {
  401: "unauthorized",
  403: "forbidden",
  405: "unsupported_operation",
  409: "conflict",
  413: "too_large",
  415: "unsupported_media",
  422: "invalid_document",
  429: "too_many_requests",
  431: "header_too_large",
};
