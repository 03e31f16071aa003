import type { JSX } from "preact";
import { Fragment } from "preact";
import type { Extension } from "../../src/x509/extension.ts";
import { describeExtensions } from "../lib/x509/extension-text.ts";
import { Badge } from "./icon.tsx";
import { Facts } from "./page.tsx";

/** The table of a certificate's extensions in words, with their criticality. */
export function ExtensionTable({ of }: { of: readonly Extension[] }): JSX.Element {
  if (of.length === 0) return <p class="pad muted">No extensions.</p>;
  return (
    <Facts
      rows={describeExtensions(of).map(
        ({ name, critical, lines }) =>
          [
            name,
            <>
              {lines.map((line, i) => (
                <Fragment key={i}>
                  {i > 0 && <br />}
                  {line}
                </Fragment>
              ))}{" "}
              {critical && <Badge>critical</Badge>}
            </>,
          ] as const,
      )}
    />
  );
}
// Keeps the certificate parser in the same chunk as this module. Otherwise the bundler would create
// small shared chunks that every view loads.
export { readCertificate } from "../lib/x509/decode.ts";
