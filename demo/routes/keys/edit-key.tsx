import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import type { Reply } from "../../api/transport.ts";
import { deleteKey, keyTitle, kindOf, nameKey, setDefaultKey, type KeyRecord } from "./calls.ts";
import { Button } from "../../ui/button.tsx";
import { Text } from "../../ui/field.tsx";
import { Confirm, FormDialog } from "../../ui/form.tsx";
import { Facts } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { notify } from "../../ui/notify.tsx";
import { announceChange } from "../../lib/changes.ts";
import { address } from "../../lib/route.ts";
import { bareHex, groups } from "../../lib/hex-text.ts";
import { visible } from "../../lib/visible-text.ts";
import { wrongName } from "../../lib/names.ts";

interface Props {
  one: KeyRecord;
  close: () => void;
}

/** The CAs that use a key. */
export function Users({ of: { users } }: { of: KeyRecord }): JSX.Element {
  if (users.length === 0) return <span class="quiet">Not used by any authority</span>;
  return (
    <>
      {users.map(({ id, title }) => (
        <div key={id}>
          <a href={address("authorities", id)}>{title}</a>
        </div>
      ))}
    </>
  );
}

/**
 * The dialog with the details of a key, in which the user can rename the key, make it the default,
 * or delete it.
 */
export function EditKey({ one, close, drop }: Props & { drop: () => void }): JSX.Element {
  const [name, setName] = useState(one.name);
  const act = useAct();
  const done = (text: string, { warnings }: Reply<unknown>): void => {
    announceChange();
    close();
    notify(text, warnings);
  };
  const rename = (): void => {
    if (wrongName(name)) return;
    if (name === one.name) return close();
    act.run(async () => {
      done(name ? `Key renamed to ${name}` : "Key name removed", await nameKey(one.id, name));
    });
  };
  const standard = async (): Promise<void> =>
    done(`Key ${visible(keyTitle(one))} is now the default`, await setDefaultKey(one.id));
  return (
    <FormDialog
      title={`Key ${visible(keyTitle(one))}`}
      close={close}
      act={act}
      action="Save"
      submit={rename}
      more={!one.isDefault && <Button press={() => act.run(standard)}>Make default</Button>}
      drop={one.users.length === 0 ? drop : undefined}
    >
      <div class="card">
        <Facts
          rows={[
            ["ID", one.id, true],
            ["Kind", kindOf(one)],
            one.managed !== "" && ["Managed key", visible(one.managed)],
            one.print !== "" && [
              "Public key fingerprint (SHA-1)",
              groups(bareHex(one.print)),
              true,
            ],
            ["Used by", <Users of={one} />],
          ]}
        />
      </div>
      <Text
        label="Name"
        value={name}
        change={setName}
        mono
        hint={<code>key_name</code>}
        error={wrongName(name) || undefined}
      />
      {one.users.length > 0 && (
        <p class="small muted">To delete this key, first delete the authorities that use it.</p>
      )}
    </FormDialog>
  );
}

/** The dialog that deletes a key after the user has typed its name or the beginning of its ID. */
export function DeleteKey({ one, close }: Props): JSX.Element {
  const title = visible(keyTitle(one));
  const remove = async (): Promise<void> => {
    await deleteKey(one.id);
    announceChange();
    toast(`Key ${title} deleted`);
    close();
  };
  return (
    <Confirm title="Delete this key?" close={close} name={title} work={remove}>
      <p>
        The key will be permanently deleted and cannot sign again. No CA in this mount uses it
        {one.isDefault ? "; there will be no default key" : ""}.
      </p>
    </Confirm>
  );
}
