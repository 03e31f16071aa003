import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../act.ts";
import { deleteKey, keyTitle, nameKey, setDefaultKey, wrongName, type KeyRecord } from "../keys.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Text } from "../parts/field.tsx";
import { Facts, Failure } from "../parts/page.tsx";
import { toast } from "../parts/toast.tsx";
import { changed } from "../pki.ts";
import { bareHex, groups, visible } from "../words.ts";
import { kindOf, Users } from "./keys.tsx";

interface Props {
  one: KeyRecord;
  close: () => void;
}

/** What is known of a key; its name, whether it is the default, the way to delete it. */
export function EditKey({ one, close, drop }: Props & { drop: () => void }): JSX.Element {
  const [name, setName] = useState(one.name);
  const act = useAct();
  const done = (text: string): void => {
    changed();
    toast(text);
    close();
  };
  const rename = (event: Event): void => {
    event.preventDefault();
    if (wrongName(name)) return;
    if (name === one.name) return close();
    act.run(async () => {
      await nameKey(one.id, name);
      done(name ? `Key is named ${name}` : "Key has no name now");
    });
  };
  const standard = async (): Promise<void> => {
    await setDefaultKey(one.id);
    done(`${visible(keyTitle(one))} is the default key`);
  };
  return (
    <Dialog title={`Key ${visible(keyTitle(one))}`} close={close} writes>
      <form class="plain" onSubmit={rename} noValidate>
        <div class="card">
          <Facts
            rows={[
              ["Id", one.id, true],
              ["Kind", kindOf(one)],
              one.print !== "" && ["SHA-1 of its public half", groups(bareHex(one.print)), true],
              ["Used by", <Users of={one} />],
            ]}
          />
        </div>
        <Text label="Name" value={name} change={setName} mono hint={<code>key_name</code>} error={wrongName(name) || undefined} />
        {one.users.length > 0 && <p class="small muted">Delete the authorities that use it first, then it can be deleted.</p>}
        {act.error && <Failure error={act.error} />}
        <div class="actions">
          {one.users.length === 0 && (
            <Button kind="danger" press={drop}>
              Delete…
            </Button>
          )}
          {!one.isDefault && <Button press={() => act.run(standard)}>Make default</Button>}
          <Button press={close}>Cancel</Button>
          <Button kind="primary" submit busy={act.busy}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Deletes a key after its name, or the begin of its id, has been typed. */
export function DeleteKey({ one, close }: Props): JSX.Element {
  const [typed, setTyped] = useState("");
  const act = useAct();
  const title = keyTitle(one);
  const remove = (event: Event): void => {
    event.preventDefault();
    if (typed !== title) return;
    act.run(async () => {
      await deleteKey(one.id);
      changed();
      toast(`Key ${visible(title)} deleted`);
      close();
    });
  };
  return (
    <Dialog title="Delete this key?" close={close} writes>
      <form class="plain" onSubmit={remove}>
        <p>
          It is gone for good, and nothing can be signed with it again. No authority here uses it{one.isDefault ? "; afterwards no key is the default" : ""}.
        </p>
        <Text
          label={
            <>
              Type <code>{visible(title)}</code> to confirm
            </>
          }
          value={typed}
          change={setTyped}
          mono
        />
        {act.error && <Failure error={act.error} />}
        <div class="actions">
          <button class="btn" type="button" autofocus onClick={close}>
            Keep it
          </button>
          <Button kind="danger" submit busy={act.busy} disabled={typed !== title}>
            Delete
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
