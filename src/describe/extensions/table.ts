import { applicationReaders } from "./applications.ts";
import { certificateReaders } from "./certificate.ts";
import { crlReaders } from "./crl.ts";
import { microsoftReaders } from "./microsoft.ts";
import { netscapeReaders } from "./netscape.ts";
import { policyReaders } from "./policies.ts";
import { qualifiedReaders } from "./qualified.ts";
import type { ExtensionReader } from "./reader.ts";
import { resourceReaders } from "./resources.ts";
import { transparencyReaders } from "./transparency.ts";

/** The readers of all extensions that can be described, by object identifier. */
export const extensionReaders: ReadonlyMap<string, ExtensionReader> = new Map(
  [
    certificateReaders,
    policyReaders,
    crlReaders,
    transparencyReaders,
    microsoftReaders,
    netscapeReaders,
    qualifiedReaders,
    resourceReaders,
    applicationReaders,
  ].flatMap((readers) => Object.entries(readers)),
);
