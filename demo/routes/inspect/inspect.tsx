import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { readData } from "../../api/call.ts";
import { readLogConfig } from "../../api/endpoints/pki.ts";
import { issuerCertificates } from "../../api/issuer-certificates.ts";
import { Button } from "../../ui/button.tsx";
import { FileButton, useDrop, type SelectedFile } from "../../ui/files.tsx";
import { useLostFocus } from "../../ui/lost-focus.ts";
import { Head } from "../../ui/page.tsx";
import type { PemBlock } from "../../../src/base/pem.ts";
import type { Inspection } from "../../ui/inspection/inspection.ts";
import { isIssuerOf, type CertificateView } from "../../lib/x509/decode.ts";
import { place, signedOut } from "../../lib/place.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { ChainOrder, NotInspected, FindingCard } from "../../ui/inspection/findings.tsx";
import { lazy } from "../../ui/lazy.tsx";
import { useInspection } from "../../ui/inspection/use-inspection.ts";

const OwnCertificate = lazy(async () => (await import("./own-certificate.tsx")).OwnCertificate);
const MountLog = lazy(async () => (await import("./mount-log.tsx")).MountLog);

/**
 * Reports whether the current mount has a log. Returns false if the token may not read the log
 * configuration.
 */
const hasLog = async (): Promise<boolean> =>
  ((await readData(readLogConfig).catch(() => undefined))?.verifier_key ?? "") !== "";

/** Returns the private key of a certificate if the input contains it. */
const secretOf = ({ keyPrint }: CertificateView, { all }: Inspection): PemBlock | undefined =>
  all.flatMap((one) => (one.kind === "key" && one.keyPrint === keyPrint ? [one.secret] : []))[0];

const none: readonly CertificateView[] = [];

/**
 * The view that parses files and text in the page. It stores nothing. It sends only serial numbers
 * of the server's certificates, and the private key of a certificate that the user revokes with the
 * key.
 */
export function Inspect(): JSX.Element {
  const [text, setText] = useState("");
  const [files, setFiles] = useState<readonly SelectedFile[]>([]);
  const [passwords, setPasswords] = useState<readonly string[]>([]);
  const where = useStore(place, (value) => value);
  // Inspect files first without the issuers, and again when the issuers have been loaded.
  const known = useLoad(issuerCertificates, [where]).value;
  const certificates = known ?? none;
  const uncompared = signedOut(where)
    ? "you are not signed in"
    : known
      ? ""
      : "its CAs are not loaded";
  // without a CA there is no log, so send no request
  const isLogged =
    useLoad(async () => certificates.length > 0 && (await hasLog()), [where, certificates])
      .value === true;
  const { inspection, failed } = useInspection(files, certificates, passwords, uncompared);
  const typed = (value: string): void => {
    setText(value);
    setFiles(
      value.trim() === "" ? [] : [{ name: "Pasted text", bytes: new TextEncoder().encode(value) }],
    );
  };
  const addFiles = (files: readonly SelectedFile[]): void => {
    setText("");
    setFiles(files);
  };
  const clear = (): void => {
    typed("");
    setPasswords([]);
  };
  const drop = useDrop(addFiles);
  const stack = useRef<HTMLDivElement>(null);
  // the field for the password of an archive disappears when the archive has been opened
  useLostFocus(stack);
  return (
    <>
      <Head
        title="Inspect"
        about="Decodes certificates, CSRs, CRLs, OCSP messages, keys and archives, including those embedded in YAML or JSON. Everything is decoded in your browser. Nothing is sent, except serial numbers of this server’s certificates, and a private key if you use it to revoke a certificate."
      />
      <div class="stack" ref={stack}>
        <div {...drop}>
          <label class="hidden-text" for="paste">
            PEM, DER as base64 or hex
          </label>
          <textarea
            id="paste"
            rows={5}
            spellcheck={false}
            placeholder="Drop files here, or paste PEM, base64 or hex"
            value={text}
            onInput={(event) => typed(event.currentTarget.value)}
          />
          <div class="actions">
            <FileButton many onFiles={addFiles} />
            <Button kind="plain" press={clear}>
              Clear
            </Button>
          </div>
        </div>
        <p class="hidden-text" role="status">
          {inspection.all.length > 0 ? `${inspection.all.length} found` : ""}
        </p>
        {failed && <NotInspected />}
        <ChainOrder inspection={inspection} />
        {inspection.all.map((finding, i) => (
          <FindingCard
            key={i}
            finding={finding}
            inspection={inspection}
            unlock={(password) => setPasswords([...passwords, password])}
            actionsFor={(view, isRevoked) =>
              !view.authority &&
              certificates.some((ca) => isIssuerOf(ca, view)) && (
                <OwnCertificate
                  view={view}
                  secret={isRevoked ? undefined : secretOf(view, inspection)}
                />
              )
            }
          />
        ))}
        {isLogged && <MountLog />}
      </div>
    </>
  );
}
