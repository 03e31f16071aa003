import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { deleteEabKey, newEabKey, type EabKey, type NewEabKey } from "../acme.ts";
import { directoryName, type Directory } from "../acmedirectories.ts";
import { useAct } from "../act.ts";
import { Button } from "../parts/button.tsx";
import { Code } from "../parts/code.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Check } from "../parts/field.tsx";
import { Confirm, FormDialog } from "../parts/form.tsx";
import { Card, Empty, Facts, Note, Ready, Warnings } from "../parts/page.tsx";
import { Columns } from "../parts/table.tsx";
import { told } from "../parts/told.tsx";
import { changed } from "../pki.ts";
import { guardLeaving } from "../route.ts";
import type { Loaded } from "../store.ts";
import { distance, instant, visible } from "../words.ts";
import { DirectoryFields, type Choices } from "./acmedirectory.tsx";

/** The account binding keys that no account has used yet. */
export function EabKeys({
  of,
  keys,
}: {
  of: Choices;
  keys: Loaded<readonly EabKey[]>;
}): JSX.Element {
  const [doing, start] = useState<"" | "new" | NewEabKey | EabKey>("");
  const [warnings, warn] = useState<readonly string[]>([]);
  const close = (): void => start("");
  const make = (
    <Button tiny icon="plus" press={() => start("new")}>
      New key
    </Button>
  );
  return (
    <Card title="Account binding keys" end={keys.value?.length ? make : undefined}>
      <Ready from={keys}>
        {(all) =>
          all.length === 0 ? (
            <Empty text="A key lets one client make one account. None is waiting to be used.">
              {make}
            </Empty>
          ) : (
            <KeyTable all={all} drop={start} />
          )
        }
      </Ready>
      {doing === "new" && (
        <NewKey
          of={of}
          close={close}
          made={(key, said) => {
            warn(said);
            start(key);
          }}
        />
      )}
      {typeof doing === "object" && "key" in doing && (
        <ShownOnce made={doing} warnings={warnings} close={close} />
      )}
      {typeof doing === "object" && "created" in doing && <Drop one={doing} close={close} />}
    </Card>
  );
}

function KeyTable({
  all,
  drop,
}: {
  all: readonly EabKey[];
  drop: (one: EabKey) => void;
}): JSX.Element {
  const now = new Date();
  return (
    <table class="table cards" aria-label="Account binding keys">
      <Columns of={["Key", "For", "Made", [<span class="hidden-text">Actions</span>, ""]]} />
      <tbody>
        {all.map((one) => (
          <tr key={one.id}>
            <td class="mono">{visible(one.id)}</td>
            <td class="long full">{visible(directoryName(one.directory))}</td>
            <td class="nowrap">
              <time dateTime={one.created.toISOString()}>{distance(one.created, now)}</time>
            </td>
            <td class="right">
              <Button tiny press={() => drop(one)} label={`Delete key ${visible(one.id)}`}>
                Delete…
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function NewKey({
  of,
  close,
  made,
}: {
  of: Choices;
  close: () => void;
  made: (key: NewEabKey, warnings: readonly string[]) => void;
}): JSX.Element {
  const [directory, setDirectory] = useState<Directory>({ role: of.roles[0] ?? "", issuer: "" });
  const act = useAct();
  const submit = (): void =>
    act.run(async () => {
      const { data, warnings } = await newEabKey(directory);
      changed();
      made(data, warnings);
    });
  return (
    <FormDialog
      title="New account binding key"
      close={close}
      act={act}
      action="Make the key"
      submit={submit}
      look="It would be among the keys that wait; delete it there, since nobody has seen it."
    >
      <p>Whoever has it can make one account, in the directory that is chosen here.</p>
      <DirectoryFields of={of} value={directory} change={setDirectory} />
    </FormDialog>
  );
}

/** The one moment at which a key is seen; closing takes it out of the page. */
function ShownOnce({
  made,
  warnings,
  close,
}: {
  made: NewEabKey;
  warnings: readonly string[];
  close: () => void;
}): JSX.Element {
  const [saved, save] = useState(false);
  const [asking, ask] = useState(false);
  const free = useRef(false);
  free.current = saved;
  const mayClose = (): boolean => {
    if (!free.current) ask(true);
    return free.current;
  };
  useEffect(() => guardLeaving(mayClose), []);
  return (
    <Dialog title="Key made" close={close} mayClose={mayClose} writes>
      <Note tone="warn" icon="key">
        <b>The key is shown now and never again</b>
        <p class="small">Its id stays in the list until an account uses it.</p>
      </Note>
      <Warnings texts={warnings} />
      <Code text={made.id} label="Key id" wrap />
      <Code text={made.key} label="Key" wrap />
      <Facts
        rows={[
          ["For", visible(directoryName(made.acme_directory))],
          ["Form", "base64url, as clients take it"],
        ]}
      />
      <Check
        label="I have saved the key"
        checked={saved}
        change={(value) => {
          save(value);
          ask(false);
        }}
      />
      {asking && (
        <div role="alert">
          <Note tone="danger" icon="warn">
            <b>The key is not saved yet</b>
            <p>
              <Button tiny kind="danger" press={close}>
                Close and lose the key
              </Button>
            </p>
          </Note>
        </div>
      )}
      <div class="actions">
        <Button disabled={!saved} press={close}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}

function Drop({ one, close }: { one: EabKey; close: () => void }): JSX.Element {
  const work = async (): Promise<void> => {
    const { warnings } = await deleteEabKey(one.id);
    close();
    changed();
    told("Key deleted", warnings);
  };
  return (
    <Confirm title="Delete this key?" close={close} work={work}>
      <p>
        Key <code>{visible(one.id)}</code>, made {instant(one.created)} for{" "}
        {visible(directoryName(one.directory))}. Nobody can make an account with it afterwards.
        Accounts that were made with other keys stay.
      </p>
    </Confirm>
  );
}
