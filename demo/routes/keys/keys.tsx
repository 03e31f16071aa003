import { missingPermission } from "../../api/permissions.ts";
import * as pki from "../../api/endpoints/pki.ts";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { keys, keyTitle, kindOf, type KeyRecord } from "./calls.ts";
import { Button } from "../../ui/button.tsx";
import { Badge } from "../../ui/icon.tsx";
import { lazy } from "../../ui/lazy.tsx";
import { Empty, Head, Ready } from "../../ui/page.tsx";
import { Sections, useSection, type Section } from "../../ui/sections.tsx";
import { Columns } from "../../ui/table.tsx";
import { changes } from "../../lib/changes.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { visible } from "../../lib/visible-text.ts";
import { DeleteKey, EditKey, Users } from "./edit-key.tsx";
import { ImportKey, NewKey } from "./new-key.tsx";

type Doing = "new" | "import" | { readonly edit: KeyRecord } | { readonly drop: KeyRecord };

const parts: readonly Section<object>[] = [
  ["", "In this mount", MountKeys],
  [
    "managed",
    "In a key service",
    lazy(async () => (await import("./managed-keys.tsx")).ManagedKeys),
  ],
];

const ways = <Sections of={parts} view="keys" label="Keys sections" />;

/** The view of the CA keys: keys in the mount, and managed keys. */
export function Keys(): JSX.Element {
  const View = useSection(parts);
  if (View === MountKeys || !View) return <MountKeys />;
  return (
    <>
      <Head
        title="Keys"
        about="Keys in an external service. The service signs with them, and this server never sees them."
      />
      {ways}
      <div class="stack">
        <View />
      </div>
    </>
  );
}

function MountKeys(): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(keys, [turn]);
  const [doing, start] = useState<Doing>();
  const close = (): void => start(undefined);
  const make = (
    <>
      <Button lacks={missingPermission(pki.importKey)} press={() => start("import")}>
        Import…
      </Button>
      <Button
        kind="primary"
        icon="plus"
        lacks={missingPermission(pki.generateCaKey)}
        press={() => start("new")}
      >
        New key
      </Button>
    </>
  );
  return (
    <>
      <Head
        title="Keys"
        about="Signing keys of authorities. They are stored encrypted and never returned."
        actions={result.value?.length ? make : undefined}
      />
      {ways}
      <Ready from={result}>
        {(all) => (
          <div class="card">
            {all.length === 0 ? (
              <Empty text="No keys yet. Every authority signs with a key.">{make}</Empty>
            ) : (
              <KeyTable all={all} edit={(edit) => start({ edit })} />
            )}
          </div>
        )}
      </Ready>
      {doing === "new" && <NewKey close={close} />}
      {doing === "import" && <ImportKey close={close} />}
      {typeof doing === "object" && "edit" in doing && (
        <EditKey one={doing.edit} close={close} drop={() => start({ drop: doing.edit })} />
      )}
      {typeof doing === "object" && "drop" in doing && <DeleteKey one={doing.drop} close={close} />}
    </>
  );
}

function KeyTable({
  all,
  edit,
}: {
  all: readonly KeyRecord[];
  edit: (one: KeyRecord) => void;
}): JSX.Element {
  return (
    <table class="table cards keys" aria-label="Keys">
      <Columns of={["Key", "Kind", "Used by", [<span class="hidden-text">Actions</span>, ""]]} />
      <tbody>
        {all.map((one) => (
          <tr key={one.id}>
            <td>
              {one.name ? (
                <b class="mono">{visible(one.name)}</b>
              ) : (
                <span class={one.users.length > 0 ? "" : "quiet"}>
                  {one.users.length > 0 ? `Key ${keyTitle(one)}` : "Unnamed"}
                </span>
              )}{" "}
              {one.isDefault && <Badge tone="accent">Default key</Badge>}
              <span class="sub mono">{one.id}</span>
              {one.managed && <span class="sub">Managed key {visible(one.managed)}: external</span>}
            </td>
            <td class="nowrap">{kindOf(one)}</td>
            <td class="long full">
              <Users of={one} />
            </td>
            <td class="right">
              <Button
                tiny
                press={() => edit(one)}
                label={`Change ${one.name ? visible(one.name) : `key ${keyTitle(one)}`}`}
              >
                Change…
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
