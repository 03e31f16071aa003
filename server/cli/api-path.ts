import { UsageError } from "./flags.ts";

/**
 * Percent-encodes the path of an endpoint or a mount. Accepts a leading `/v1/` and slashes at
 * either end. Throws {@link UsageError} for other invalid paths.
 */
export function encodePath(text: string): string {
  const segments = text
    .replace(/^\/+|\/+$/g, "")
    .replace(/^v1\//, "")
    .split("/");
  if (segments.some((segment) => segment === "" || segment === "." || segment === ".."))
    throw new UsageError(`${JSON.stringify(text)} is not a path such as pki/roles/web.`);
  return segments.map(encodeURIComponent).join("/");
}
