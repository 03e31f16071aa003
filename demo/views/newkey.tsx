import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../act.ts";
import { importKey, makeKey, wrongName } from "../keys.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Choice, Lines, Text } from "../parts/field.tsx";
import { FileButton, useDrop, type Given } from "../parts/files.tsx";
import { Failure, Note, Warnings } from "../parts/page.tsx";
import { toast } from "../parts/toast.tsx";
import { changed } from "../pki.ts";
import { keyKinds } from "./addauthority.tsx";

const hint = "May be left empty.";

/** Makes a key for an authority that is to come. */
export function NewKey({ close }: { close: () => void }): JSX.Element {
  const [name, setName] = useState("");
  const [kind, setKind] = useState("ec 256");
  const act = useAct();
  const make = (event: Event): void => {
    event.preventDefault();
    if (wrongName(name)) return;
    act.run(async () => {
      await makeKey(name, kind);
      changed();
      toast(name ? `Key ${name} made` : "Key made");
      close();
    });
  };
  return (
    <Dialog title="New key" close={close} writes>
      <form class="plain" onSubmit={make} noValidate>
        <Text label="Name" value={name} change={setName} mono hint={hint} error={wrongName(name) || undefined} />
        <Choice label="Kind" value={kind} change={setKind} options={keyKinds} />
        {act.error && <Failure error={act.error} />}
        <div class="actions">
          <Button press={close}>Cancel</Button>
          <Button kind="primary" submit busy={act.busy}>
            Make key
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Takes a private key that was made elsewhere. */
export function ImportKey({ close }: { close: () => void }): JSX.Element {
  const [name, setName] = useState("");
  const [pem, setPem] = useState("");
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const act = useAct();
  const add = ([first]: readonly Given[]): void => setPem(new TextDecoder().decode(first?.bytes));
  const { class: dropClass, ...drop } = useDrop(add);
  const take = (event: Event): void => {
    event.preventDefault();
    if (wrongName(name) || pem.trim() === "") return;
    act.run(async () => {
      const answer = await importKey(name, pem);
      // The key has been handed over; the page needs it no longer.
      setPem("");
      changed();
      if (answer.warnings.length > 0) return setWarnings(answer.warnings);
      toast("Key imported");
      close();
    });
  };
  if (warnings.length > 0) return <Imported warnings={warnings} close={close} />;
  return (
    <Dialog title="Import a key" close={close} writes>
      <form class="plain" onSubmit={take} noValidate>
        <Text label="Name" value={name} change={setName} mono hint={hint} error={wrongName(name) || undefined} />
        <div class={dropClass} {...drop}>
          <Lines
            label="Private key"
            value={pem}
            change={setPem}
            rows={6}
            mono
            placeholder="-----BEGIN PRIVATE KEY-----"
            hint="PEM: PKCS#8, PKCS#1 or SEC1, not encrypted. A file can be dropped here."
          />
          <div>
            <FileButton text="Choose a file" take={add} />
          </div>
        </div>
        <Note tone="warn" icon="key">
          The private key is sent to this authority, which keeps it encrypted. It is not shown again. Authorities with its public key can sign from then on.
        </Note>
        {act.error && <Failure error={act.error} />}
        <div class="actions">
          <Button press={close}>Cancel</Button>
          <Button kind="primary" submit busy={act.busy} disabled={pem.trim() === ""}>
            Import
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Imported({ warnings, close }: { warnings: readonly string[]; close: () => void }): JSX.Element {
  return (
    <Dialog title="Import a key" close={close}>
      <Warnings texts={warnings} />
      <div class="actions">
        <Button press={close}>Close</Button>
      </div>
    </Dialog>
  );
}
