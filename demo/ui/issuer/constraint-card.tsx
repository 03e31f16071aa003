import type { JSX } from "preact";
import type { Extension } from "../../../src/x509/extension.ts";
import { describeExtensions } from "../../lib/x509/extension-text.ts";
import { Card, Facts } from "../page.tsx";

/** The name constraints of a CA in words. */
export function ConstraintCard({ of }: { of: Extension }): JSX.Element {
  const lines = describeExtensions([of]).flatMap((one) => one.lines);
  const subtrees = (word: string): readonly string[] =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  const [permitted, excluded] = [subtrees("Permitted"), subtrees("Excluded")];
  return (
    <Card title="Name constraints">
      <Facts
        rows={[
          permitted.length > 0 && ["Permitted", permitted.join(", ")],
          excluded.length > 0 && ["Excluded", excluded.join(", ")],
        ]}
      />
    </Card>
  );
}
// Keeps the certificate parser in the same chunk as this module. Otherwise the bundler would create
// small shared chunks that every view loads.
export { readCertificate } from "../../lib/x509/decode.ts";
