import type { NewEabReply } from "../../../src/client/pki.ts";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { deleteEabKey, newEabInput, newEabKey, type EabKey } from "./calls.ts";
import { newEab } from "../../api/endpoints/pki.ts";
import { mayCallAny, missingPermission, useMissingSudo } from "../../api/permissions.ts";
import type { Reply } from "../../api/transport.ts";
import { eabSecret } from "./client-commands.ts";
import { directoryName, type Directory } from "./directories.ts";
import { useAct } from "../../lib/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Badge } from "../../ui/icon.tsx";
import { Confirm, FormDialog } from "../../ui/form.tsx";
import { Moment } from "../../ui/life-state.tsx";
import { Card, Empty, Facts, Ready } from "../../ui/page.tsx";
import { ShownOnce } from "../../ui/reveal-once.tsx";
import { Columns } from "../../ui/table.tsx";
import { notify } from "../../ui/notify.tsx";
import { announceChange } from "../../lib/changes.ts";
import type { Loaded } from "../../lib/use-load.ts";
import { date } from "../../lib/time-text.ts";
import { visible } from "../../lib/visible-text.ts";
import { LimitFields, limitsInput, noLimits, wrongLimits } from "./binding-limits.tsx";
import { DirectoryFields, directoryUrl, type Choices } from "./directory-choice.tsx";

/** The list of external account binding keys that are unused or have limits. */
export function EabKeys({
  of,
  keys,
  directory,
  onCreated,
}: {
  of: Choices;
  keys: Loaded<readonly EabKey[]>;
  /** The initial directory of a new key. */
  directory: Directory;
  onCreated: (key: NewEabReply, directory: Directory) => void;
}): JSX.Element {
  const [doing, start] = useState<"" | "new" | NewEabReply | EabKey>("");
  const [warnings, warn] = useState<readonly string[]>([]);
  const close = (): void => start("");
  const make = (
    <Button
      tiny
      icon="plus"
      lacks={mayCallAny([newEab]) ? "" : missingPermission(newEab)}
      press={() => start("new")}
    >
      New key
    </Button>
  );
  return (
    <Card
      title="External account binding (EAB) keys"
      end={keys.value?.length || keys.error ? make : undefined}
    >
      <Ready from={keys}>
        {(all) =>
          all.length === 0 ? (
            <Empty text="No unused keys. A client uses a key to create an account. The key can limit what the account may order.">
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
          initial={directory}
          close={close}
          onCreated={({ data, warnings }, directory) => {
            warn(warnings);
            start(data);
            onCreated(data, directory);
          }}
        />
      )}
      {typeof doing === "object" && "key" in doing && (
        <ShownOnce
          title="Key created"
          what="key"
          about={`“Set up a client” now shows commands with this key ID.${keys.value ? " The ID stays in the list until an account uses the key." : ""}`}
          warnings={warnings}
          secrets={[
            ["Key ID", doing.id],
            ["Key", doing.key],
            ["Command that sets the key", eabSecret("", doing.key)],
          ]}
          close={close}
        >
          <Facts
            rows={[
              ["Directory", visible(directoryName(doing.acme_directory))],
              ["Directory URL", directoryUrl(of, doing.acme_directory), true],
              ["Encoding", "base64url, as clients expect it"],
            ]}
          />
        </ShownOnce>
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
  return (
    <table class="table cards" aria-label="External account binding (EAB) keys">
      <Columns of={["Key", "For", "Created", [<span class="hidden-text">Actions</span>, ""]]} />
      <tbody>
        {all.map((one) => (
          <tr key={one.id}>
            <td class="mono">{visible(one.id)}</td>
            <td class="long full">
              {visible(directoryName(one.directory))}
              <Limits of={one} />
            </td>
            <td class="nowrap">
              <Moment at={one.created} away />
            </td>
            <td class="right">
              {one.info.status !== "revoked" && (
                <Button
                  tiny
                  press={() => drop(one)}
                  label={`${dropVerb(one)} key ${visible(one.id)}`}
                >
                  {dropVerb(one)}…
                </Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const dropVerb = ({ info }: EabKey): string => (info.status ? "Revoke" : "Delete");

/** The limits of an EAB key, one per line. */
function Limits({ of: { info } }: { of: EabKey }): JSX.Element | null {
  if (!info.status) return null;
  const uses = info.max_uses ?? 1;
  return (
    <div class="small muted">
      {info.role && <div>Role {visible(info.role)}</div>}
      {info.allowed_identifiers && <div>{visible(info.allowed_identifiers.join(", "))}</div>}
      <div>
        {info.preauthorized ? "No challenge required; " : ""}
        {uses === 1 ? "one account" : `up to ${uses} accounts`}
        {info.expires ? `, until ${date(new Date(info.expires))}` : ""}
      </div>
      {info.status === "valid" ? null : (
        <Badge tone="danger" mark="ban">
          {info.status === "revoked" ? "Revoked" : "Expired"}
        </Badge>
      )}
    </div>
  );
}

function NewKey({
  of,
  initial,
  close,
  onCreated,
}: {
  of: Choices;
  initial: Directory;
  close: () => void;
  onCreated: (reply: Reply<NewEabReply>, directory: Directory) => void;
}): JSX.Element {
  const [directory, setDirectory] = useState(initial);
  const lacks = useMissingSudo(newEab, newEabInput(directory));
  const [typed, setLimits] = useState(noLimits);
  const limits = { ...typed, preauthorized: typed.preauthorized && lacks === "" };
  const [wrong, setWrong] = useState<ReturnType<typeof wrongLimits>>({});
  const change = (next: typeof noLimits): void => {
    setLimits(next);
    setWrong({});
  };
  const act = useAct();
  const submit = (): void => {
    const wrongOnes = wrongLimits(limits);
    setWrong(wrongOnes);
    if (Object.keys(wrongOnes).length > 0) return;
    act.run(async () => {
      const reply = await newEabKey(directory, limitsInput(limits));
      announceChange();
      onCreated(reply, directory);
    });
  };
  return (
    <FormDialog
      title="New external account binding (EAB) key"
      close={close}
      act={act}
      action="Create key"
      submit={submit}
      look="If the key was created, it is in the list of unused keys. Delete it there, because its secret cannot be shown again."
    >
      <p>The holder of this key can create an account in the chosen directory.</p>
      <DirectoryFields of={of} value={directory} change={setDirectory} />
      <LimitFields value={limits} change={change} wrong={wrong} lacks={lacks} />
    </FormDialog>
  );
}

function Drop({ one, close }: { one: EabKey; close: () => void }): JSX.Element {
  const work = async (): Promise<void> => {
    const { warnings } = await deleteEabKey(one.id);
    close();
    announceChange();
    notify(one.info.status ? "Key revoked" : "Key deleted", warnings);
  };
  return (
    <Confirm title={`${dropVerb(one)} this key?`} action={dropVerb(one)} close={close} work={work}>
      <p>
        Key <code>{visible(one.id)}</code>, created <Moment at={one.created} /> for{" "}
        {visible(directoryName(one.directory))}. It can no longer be used to create an account.{" "}
        {one.info.status
          ? "Accounts created with this key can no longer order certificates. Certificates already issued stay valid."
          : "Existing accounts are not affected."}
      </p>
    </Confirm>
  );
}
