import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { readCsr, type CsrView } from "../decode.ts";
import { Lines } from "../parts/field.tsx";
import { FileButton } from "../parts/files.tsx";
import { Facts } from "../parts/page.tsx";

/** A request, pasted or chosen, and what it asks for. */
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
  const read = async (given: string | Uint8Array, shown: string): Promise<void> => {
    setWhy("");
    change({ text: shown });
    if (typeof given === "string" && given.trim() === "") return;
    try {
      const found = await readCsr(given);
      change({ text: shown || found.pem, view: found });
    } catch (reason) {
      setWhy(reason instanceof Error ? reason.message : String(reason));
    }
  };
  return (
    <>
      <Lines
        label="Certificate signing request"
        value={text}
        rows={6}
        placeholder="-----BEGIN CERTIFICATE REQUEST-----"
        error={why || undefined}
        change={(value) => void read(value, value)}
        hint="PEM. It is sent to the authority when you press Sign."
      />
      <div>
        <FileButton
          text="Choose a file"
          take={(files) => {
            const [first] = files;
            if (first) void read(first.bytes, "");
          }}
        />
      </div>
      {view && (
        <div class="card">
          <Facts
            rows={[
              ["Subject", view.subject || "Empty"],
              ["Names", view.names.map(({ kind, value }) => `${kind}:${value}`).join(", ") || "None"],
              ["Key", view.key],
              ["Signed with", view.signature],
            ]}
          />
        </div>
      )}
    </>
  );
}
