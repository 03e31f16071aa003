import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { readCsr, type CsrView } from "../lib/x509/decode.ts";
import { DropLines } from "./files.tsx";
import { Facts } from "./page.tsx";
import { asError } from "../lib/store.ts";

/** A field for a CSR, which can be pasted or chosen as a file, and the contents of the CSR. */
export function CsrField({
  text,
  view,
  change,
}: {
  text: string;
  view: CsrView | undefined;
  change: (value: { text: string; view?: CsrView }) => void;
}): JSX.Element {
  const [why, setWhy] = useState("");
  const readInput = async (input: string | Uint8Array, shown: string): Promise<void> => {
    setWhy("");
    change({ text: shown });
    if (typeof input === "string" && input.trim() === "") return;
    try {
      const csr = await readCsr(input);
      change({ text: shown || csr.pem, view: csr });
    } catch (reason) {
      setWhy(asError(reason).message);
    }
  };
  return (
    <>
      <DropLines
        label="Certificate signing request"
        value={text}
        rows={6}
        placeholder="-----BEGIN CERTIFICATE REQUEST-----"
        error={why || undefined}
        change={(value) => void readInput(value, value)}
        onFiles={([first]) => first && void readInput(first.bytes, "")}
        hint="Paste PEM or drop a file. Nothing is signed until you press Sign."
      />
      {view && (
        <div class="card">
          <Facts
            rows={[
              ["Subject", view.subject || "Empty"],
              [
                "Names",
                view.names.map(({ kind, value }) => `${kind}:${value}`).join(", ") || "None",
              ],
              ["Key", view.key],
              ["Signed with", view.signature],
            ]}
          />
        </div>
      )}
    </>
  );
}
