import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CertificateView } from "../../lib/x509/decode.ts";
import { issuerCertificates } from "../../api/issuer-certificates.ts";
import { DropLines, type SelectedFile } from "../../ui/files.tsx";
import { Card } from "../../ui/page.tsx";
import { useLoad } from "../../lib/use-load.ts";
import { useInspection } from "../../ui/inspection/use-inspection.ts";
import { NotInspected, FindingCard } from "../../ui/inspection/findings.tsx";

const none: readonly CertificateView[] = [];

/** The card that parses a pasted or selected OCSP response or request in the page. */
export function UploadedOcsp(): JSX.Element {
  const certificates = useLoad(issuerCertificates, []).value ?? none;
  const [text, setText] = useState("");
  const [files, setFiles] = useState<readonly SelectedFile[]>([]);
  const { inspection, failed } = useInspection(files, certificates);
  const type = (value: string): void => {
    setText(value);
    const bytes = new TextEncoder().encode(value);
    setFiles(value.trim() === "" ? [] : [{ name: "Pasted text", bytes }]);
  };
  const readFiles = (files: readonly SelectedFile[]): void => {
    setText("");
    setFiles(files);
  };
  return (
    <>
      <Card title="Read a response or a request">
        <div class="pad">
          <DropLines
            label="OCSP response or request"
            placeholder="Drop a file here, or paste base64 or hex"
            rows={3}
            value={text}
            change={type}
            onFiles={readFiles}
            hint="The file is decoded in your browser; nothing is uploaded. The signature is verified with the authorities of this mount."
          />
        </div>
      </Card>
      {failed && <NotInspected />}
      {inspection.all.map((finding, i) => (
        <FindingCard key={i} finding={finding} inspection={inspection} />
      ))}
    </>
  );
}
