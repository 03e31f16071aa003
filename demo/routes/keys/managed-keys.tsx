import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { keyLocation, managedFields } from "./managed-fields.ts";
import {
  managedTypes,
  managedKeys,
  permissions,
  type ManagedKey,
  type MountPermission,
} from "../../api/managed-keys.ts";
import { Button } from "../../ui/button.tsx";
import { Card, Empty, Ready } from "../../ui/page.tsx";
import { Columns, OpenRow } from "../../ui/table.tsx";
import { changes } from "../../lib/changes.ts";
import { address, route } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { visible } from "../../lib/visible-text.ts";
import { OpenManagedKey } from "./managed-key.tsx";
import { NewManagedKey } from "./new-managed-key.tsx";

/** Returns the URL of a managed key's view. */
const managedAt = ({ type, name }: Pick<ManagedKey, "type" | "name">): string =>
  address("keys", `managed/${type}/${name}`);

interface All {
  readonly keys: readonly ManagedKey[];
  /** The mounts that may use managed keys; undefined if the token may not read them. */
  readonly mounts: readonly MountPermission[] | undefined;
}

async function all(): Promise<All> {
  const [keys, mounts] = await Promise.all([managedKeys(), permissions().catch(() => undefined)]);
  return { keys, mounts };
}

/** The list of managed keys, or the managed key that the URL specifies. */
export function ManagedKeys(): JSX.Element {
  const [, requested = "", name = ""] = useStore(route, (value) => value.id).split("/");
  const type = managedTypes.find((one) => one === requested);
  if (type === undefined || name === "") return <KeyList />;
  return <OpenManagedKey key={`${type}/${name}`} type={type} name={name} />;
}

function KeyList(): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(all, [turn]);
  const [making, make] = useState(false);
  const button = (
    <Button tiny icon="plus" press={() => make(true)}>
      Register a key
    </Button>
  );
  return (
    <Card title="Managed keys" end={result.value?.keys.length ? button : undefined}>
      <Ready from={result}>
        {({ keys, mounts }) =>
          keys.length === 0 ? (
            <Empty text="No managed keys yet. A managed key stays in AWS KMS or your own signing service, which creates the signatures.">
              {button}
            </Empty>
          ) : (
            <KeyTable keys={keys} mounts={mounts} />
          )
        }
      </Ready>
      {making && <NewManagedKey close={() => make(false)} />}
    </Card>
  );
}

function KeyTable({ keys, mounts }: All): JSX.Element {
  const usedBy = ({ any_mount, name }: ManagedKey): string =>
    any_mount
      ? "All mounts"
      : mounts === undefined
        ? "Unknown"
        : mounts
            .filter((one) => one.keys.includes(name))
            .map(({ path }) => visible(path))
            .join(", ") || "No mount";
  return (
    <table class="table cards" aria-label="Managed keys">
      <Columns of={["Name", "Type", "Location", "Allowed mounts"]} />
      <tbody>
        {keys.map((one) => (
          <OpenRow key={one.UUID} to={managedAt(one)}>
            <td class="long full">
              <a href={managedAt(one)} class="mono">
                {visible(one.name)}
              </a>
            </td>
            <td>{managedFields[one.type]?.title ?? visible(one.type)}</td>
            <td class="mono long">{visible(keyLocation(one))}</td>
            <td class="long">{usedBy(one)}</td>
          </OpenRow>
        ))}
      </tbody>
    </table>
  );
}
