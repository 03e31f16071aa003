/** Converts a certificate's name to a file name: letters, digits, dots and hyphens. */
export const fileName = (name: string): string =>
  name
    .replace(/^\*/, "wildcard")
    .replace(/[^A-Za-z0-9.-]+/g, "-")
    .replace(/^[.-]+|-+$/g, "") || "certificate";
