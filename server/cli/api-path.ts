import { UsageError } from "./flags.ts";

/** Encodes the path of an endpoint or mount, with or without `/v1/` and slashes around it. */
export function encodePath(text: string): string {
  const segments = text
    .replace(/^\/+|\/+$/g, "")
    .replace(/^v1\//, "")
    .split("/");
  if (segments.some((segment) => segment === "" || segment === "." || segment === ".."))
    throw new UsageError(`${JSON.stringify(text)} is not a path such as pki/roles/web.`);
  return segments.map(encodeURIComponent).join("/");
}
