import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Authority } from "../../api/issuer.ts";
import { date } from "../../lib/time-text.ts";
import { fileName } from "../../lib/file-name.ts";
import { groups } from "../../lib/hex-text.ts";
import { asError } from "../../lib/store.ts";
import { readCertificate } from "../../lib/x509/decode.ts";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { DropLines } from "../../ui/files.tsx";
import { Facts, Note, Warnings } from "../../ui/page.tsx";
import { save } from "../../ui/save.ts";
import type { SignedFile, SigningInput } from "./sign-calls.ts";
import type { SigningKind } from "./signing-kinds.ts";

/** The field for a root that another CA signs again. Users can paste it or choose a file. */
export function RootField({
  one,
  input: { root },
  change,
}: {
  one: Authority;
  input: SigningInput;
  change: (fields: Partial<SigningInput>) => void;
}): JSX.Element {
  const [why, setWhy] = useState("");
  const read = async (text: string): Promise<void> => {
    setWhy("");
    change({ root: { text } });
    if (text.trim() === "") return;
    try {
      const view = await readCertificate(text);
      if (!view.authority || !view.selfIssued) return setWhy("This is not a root certificate.");
      change({ root: { text, view } });
    } catch (reason) {
      setWhy(asError(reason).message);
    }
  };
  const { view } = root;
  return (
    <>
      <Note tone="danger" icon="warn">
        <b>Clients of {one.name} will trust everything below this root</b>
        <p class="small">
          For a rollover: the old root signs the new one, so that clients that trust only the old
          one accept both. Subject, key, validity and extensions stay the same; only the issuer
          changes.
        </p>
      </Note>
      <DropLines
        label="Root certificate"
        value={root.text}
        rows={6}
        placeholder="-----BEGIN CERTIFICATE-----"
        error={why || undefined}
        change={(text) => void read(text)}
        onFiles={([first]) => first && void read(new TextDecoder().decode(first.bytes))}
        hint="PEM. Nothing is signed until you press Sign."
      />
      {view && (
        <div class="card">
          <Facts
            rows={[
              ["Subject", view.subject],
              ["Expires", date(view.ends)],
              ["Key", view.key],
              ["Public key fingerprint (SHA-256)", groups(view.keyPrint), true],
            ]}
          />
        </div>
      )}
    </>
  );
}

const about: Readonly<Record<SigningKind, string>> = {
  ca: "Send this to the owner of the CSR: the certificate, followed by its issuers. The certificate is listed under Certificates. It is not an issuer of this mount, because its key is elsewhere.",
  verbatim:
    "Send this to the owner of the CSR: the certificate, followed by its issuers. The certificate is listed under Certificates, where you can revoke it.",
  "self-issued":
    "Servers send this certificate after their own, instead of the root. It is not stored here: save it, or add it with Import… on the overview.",
};

/**
 * The dialog with the signed certificate. The user must send the certificate to the owner of the
 * CSR.
 */
export function Signed({ signed, close }: { signed: SignedFile; close: () => void }): JSX.Element {
  const { kind, name, certificate, chain, warnings } = signed;
  const file = `${fileName(name)}.chain.pem`;
  // the chain in the response for a CA begins with the certificate itself
  const pems = new Set([certificate, ...chain].map((pem) => pem.trim()));
  const text = `${[...pems].join("\n")}\n`;
  return (
    <Dialog title={`${name} signed`} close={close}>
      <Warnings texts={warnings} />
      <p>{about[kind]}</p>
      <Code text={text} label="The certificate and its issuers" />
      <div class="actions">
        <Button press={close}>Close</Button>
        <Button
          kind="primary"
          icon="down"
          press={() => save(file, "application/pem-certificate-chain", text)}
        >
          Save {file}
        </Button>
      </div>
    </Dialog>
  );
}
