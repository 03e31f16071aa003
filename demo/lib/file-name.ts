/**
 * Converts a certificate's name to a file name: letters, digits, dots and hyphens. Appends the
 * start of the serial number of a renewed certificate, so that the old file is not overwritten.
 */
export const fileName = (name: string, serial = ""): string =>
  (name
    .replace(/^\*/, "wildcard")
    .replace(/[^A-Za-z0-9.-]+/g, "-")
    .replace(/^[.-]+|-+$/g, "") || "certificate") + (serial && `-${serial.slice(0, 8)}`);
