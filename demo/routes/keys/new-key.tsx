import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import { fieldsOfKind } from "../../lib/key-types.ts";
import { importKey, makeKey } from "./calls.ts";
import { Text } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { DropLines, type SelectedFile } from "../../ui/files.tsx";
import { Note } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { notify } from "../../ui/notify.tsx";
import { announceChange } from "../../lib/changes.ts";
import { wrongName } from "../../lib/names.ts";
import { KeyChoice } from "../../ui/key-choice.tsx";

const hint = "Optional.";

/** The dialog that generates a key for a future CA. */
export function NewKey({ close }: { close: () => void }): JSX.Element {
  const [name, setName] = useState("");
  const [kind, setKind] = useState("ec 256");
  const act = useAct();
  const make = (): void => {
    if (wrongName(name)) return;
    act.run(async () => {
      await makeKey(name, kind);
      announceChange();
      toast(name ? `Key ${name} created` : "Key created");
      close();
    });
  };
  return (
    <FormDialog title="New key" close={close} act={act} action="Create key" submit={make}>
      <Text
        label="Name"
        value={name}
        change={setName}
        mono
        hint={hint}
        error={wrongName(name) || undefined}
      />
      <KeyChoice label="Kind" value={kind} change={setKind} />
      {"managed_key_name" in fieldsOfKind(kind) && (
        <p class="small muted">
          The key stays in the external key management service, which creates the signatures.
        </p>
      )}
    </FormDialog>
  );
}

/** The dialog that imports a private key. */
export function ImportKey({ close }: { close: () => void }): JSX.Element {
  const [name, setName] = useState("");
  const [pem, setPem] = useState("");
  const act = useAct();
  const add = ([first]: readonly SelectedFile[]): void =>
    setPem(new TextDecoder().decode(first?.bytes));
  const submit = (): void => {
    if (wrongName(name) || pem.trim() === "") return;
    act.run(async () => {
      const { warnings } = await importKey(name, pem);
      // Remove the private key from the page now that it has been sent.
      setPem("");
      announceChange();
      close();
      notify("Key imported", warnings);
    });
  };
  return (
    <FormDialog
      title="Import a key"
      close={close}
      act={act}
      action="Import"
      submit={submit}
      disabled={pem.trim() === ""}
    >
      <Text
        label="Name"
        value={name}
        change={setName}
        mono
        hint={hint}
        error={wrongName(name) || undefined}
      />
      <DropLines
        label="Private key"
        value={pem}
        change={setPem}
        onFiles={add}
        rows={6}
        placeholder="-----BEGIN PRIVATE KEY-----"
        hint="PEM: PKCS#8, PKCS#1 or SEC1, not encrypted. You can drop a file here."
      />
      <Note tone="warn" icon="key">
        The private key is sent to this server, which stores it encrypted and never shows it again.
        Authorities with the corresponding public key can then sign.
      </Note>
    </FormDialog>
  );
}
