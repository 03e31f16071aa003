import type { ComponentChildren, ComponentProps, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { readCertificate } from "../../lib/x509/decode.ts";
import { revoke, revokeWithKey } from "../../api/endpoints/pki.ts";
import { mayCallAny, missingPermission } from "../../api/permissions.ts";
import type { IssuedCertificate } from "../../api/certificates.ts";
import { Button } from "../../ui/button.tsx";
import { save } from "../../ui/save.ts";
import { Code } from "../../ui/code.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Check } from "../../ui/field.tsx";
import { Note } from "../../ui/page.tsx";
import { Unsaved, useSaving } from "../../ui/unsaved.tsx";
import { address, open } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { lazy } from "../../ui/lazy.tsx";
import { bareHex } from "../../lib/hex-text.ts";
import { date } from "../../lib/time-text.ts";
import { fileName } from "../../lib/file-name.ts";

const Trust = lazy(async () => {
  const { Trust: Instructions } = await import("../../ui/issuer/trust.tsx");
  /** The instructions, scrolled into view. */
  return function ShownTrust(props: ComponentProps<typeof Instructions>): JSX.Element {
    const element = useRef<HTMLDivElement>(null);
    useEffect(() => element.current?.scrollIntoView({ block: "nearest" }), []);
    return (
      <div ref={element}>
        <Instructions {...props} />
      </div>
    );
  };
});
const ArchiveForm = lazy(async () => (await import("./save-archive.tsx")).ArchiveForm);

/**
 * The dialog with the issued certificate and its private key. The key is shown only once. Until the
 * user confirms that the key is saved, pressing Esc or navigating away requires confirmation.
 * Closing the dialog removes the key from the page.
 */
export function IssuedDialog({
  issued,
  here = false,
  renews = "",
  close,
  children,
}: {
  issued: IssuedCertificate;
  /** The serial number of the certificate that this one renews; empty if there is none. */
  renews?: string;
  /** Whether the key was generated in the browser. */
  here?: boolean;
  close: () => void;
  children?: ComponentChildren;
}): JSX.Element {
  const key = issued.private_key ?? "";
  const view = useLoad(() => readCertificate(issued.certificate), [issued]);
  const { saved, safe, mark, asking, mayClose, release } = useSecrets(key);
  const serial = bareHex(issued.serial_number);
  const file = fileName(view.value?.title ?? "certificate", renews && serial);
  const chain = [issued.certificate, ...(issued.ca_chain ?? [issued.issuing_ca]).slice(0, -1)]
    .map((pem) => `${pem.trim()}\n`)
    .join("");
  const download = (name: string, text: string): void => save(name, "application/x-pem-file", text);
  const leave = (to?: string): void => {
    release();
    close();
    if (to) open(to);
  };
  const page = address("certificates", serial);
  const unsaved = saved
    ? ""
    : `First save the ${safe.key ? "password" : "key"}, or confirm that you have saved it`;
  return (
    <Dialog title="Issued" close={() => leave()} mayClose={mayClose}>
      <p>
        {view.value
          ? `${view.value.title}, expires ${date(view.value.ends)}.`
          : issued.serial_number}
      </p>
      {children}
      {key && (
        <KeyOnce
          file={file}
          privateKey={key.trim()}
          chain={chain}
          save={download}
          here={here}
          saved={safe.key}
          confirm={(key) => mark({ key })}
        />
      )}
      {!key && (
        <div class="actions from-start">
          <Button kind="primary" icon="down" press={() => download(`${file}.chain.pem`, chain)}>
            Save certificate and chain
          </Button>
        </div>
      )}
      <Archive
        saved={() => mark({ key: true, password: key === "" })}
        isPasswordSaved={safe.password}
        confirm={(password) => mark({ password })}
        file={file}
        parts={{
          certificates: [issued.certificate, ...(issued.ca_chain ?? [issued.issuing_ca])],
          key,
        }}
      />
      <TrustRoot pem={issued.ca_chain?.at(-1) ?? issued.issuing_ca} />
      {renews && mayCallAny([revoke, revokeWithKey]) && (
        <OldCertificate fails={unsaved} press={() => leave(revocationOf(renews))} />
      )}
      {asking && (
        <Unsaved what={safe.key ? "password" : "key"} lose={() => leave()}>
          <p class="small">
            {safe.key
              ? "If you close now, nothing can open the archive."
              : "If you close now, the key is lost and the certificate is unusable."}
          </p>
        </Unsaved>
      )}
      <div class="actions">
        <Button fails={unsaved} press={() => leave(page)}>
          Show certificate
        </Button>
        <Button fails={unsaved} press={() => leave()}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}

/** The note that the renewed certificate is still valid, and the button that revokes it. */
const OldCertificate = ({ fails, press }: OldProps): JSX.Element => (
  <Note>
    <p>
      The old certificate is still valid. Install the new certificate before you revoke the old one.
      {missingPermission(revoke) &&
        " Keep its key file: your token can revoke it only with the key."}
    </p>
    <Button tiny fails={fails} press={press}>
      Revoke the old certificate…
    </Button>
  </Note>
);
interface OldProps {
  /** Why the certificate cannot be revoked yet; empty if it can. */
  readonly fails: string;
  readonly press: () => void;
}

/** Tracks whether the user has saved the key, and the password of an archive with it. */
function useSecrets(key: string) {
  const { confirm, ...saving } = useSaving(key === "");
  const [safe, setSafe] = useState({ key: key === "", password: true });
  const mark = (change: Partial<typeof safe>): void => {
    const next = { ...safe, ...change };
    setSafe(next);
    confirm(next.key && next.password);
  };
  return { ...saving, safe, mark };
}

/** Returns the URL of the dialog that revokes a renewed certificate. */
const revocationOf = (serial: string): string =>
  address("certificates", serial, { do: "revoke", reason: "superseded" });

interface KeyOnceProps {
  file: string;
  privateKey: string;
  chain: string;
  save: (name: string, text: string) => void;
  here: boolean;
  saved: boolean;
  confirm: (saved: boolean) => void;
}

function KeyOnce({
  file,
  privateKey,
  chain,
  save,
  here,
  saved,
  confirm,
}: KeyOnceProps): JSX.Element {
  // Saving the key with a button counts as confirmation that it is saved.
  const saveKey = (name: string, text: string): void => {
    save(name, text);
    confirm(true);
  };
  return (
    <>
      <Note tone="warn" icon="key">
        <b>The private key is shown only once</b>
        <p class="small">
          {here ? "It was generated in this page and never sent." : "It is not stored."} Save it
          before you close this window.
        </p>
      </Note>
      <Code text={privateKey} label="Private key" />
      <div class="actions from-start">
        <Button
          kind="primary"
          icon="down"
          first
          press={() => saveKey(`${file}.key-and-chain.pem`, `${privateKey}\n${chain}`)}
        >
          Save key and chain
        </Button>
        <Button press={() => saveKey(`${file}.key.pem`, `${privateKey}\n`)}>Key only</Button>
        <Button press={() => save(`${file}.chain.pem`, chain)}>Chain only</Button>
      </div>
      <Check label="I have saved the key" checked={saved} change={confirm} />
    </>
  );
}

/** The instructions for the next step after issuing: trusting the root on clients. */
function TrustRoot({ pem }: { pem: string }): JSX.Element | null {
  const [open, unfold] = useState(false);
  const root = useLoad(() => readCertificate(pem), [pem]).value;
  if (!root?.selfIssued) return null;
  return (
    <details onToggle={(event) => unfold(event.currentTarget.open)}>
      <summary>Next: trust the root on the machines that connect</summary>
      {open && <Trust root={root} />}
    </details>
  );
}

/** The button that saves the certificate and its key as an archive. */
function Archive(props: ComponentProps<typeof ArchiveForm>): JSX.Element {
  // once open, the form stays, because it contains the password of a saved archive
  const [open, unfold] = useState(false);
  return (
    <details onToggle={() => unfold(true)}>
      <summary>As an archive: {props.parts.key && "PKCS#12, JKS, "}PKCS#7</summary>
      {open && <ArchiveForm {...props} />}
    </details>
  );
}
