import { missingPermission } from "../../api/permissions.ts";
import * as sys from "../../api/endpoints/sys.ts";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { mounts, tuneFields, tuneMount, wrongTune, type Mount } from "./mount-calls.ts";
import { Button } from "../../ui/button.tsx";
import { TermText } from "../../ui/term.tsx";
import { Badge } from "../../ui/icon.tsx";
import { Card, Empty, Ready } from "../../ui/page.tsx";
import { Columns } from "../../ui/table.tsx";
import { place, switchPlace } from "../../lib/place.ts";
import { changes } from "../../lib/changes.ts";
import { address } from "../../lib/route.ts";
import { useLoad, useReloadWhile } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { visible } from "../../lib/visible-text.ts";
import { DeleteMount } from "./delete-mount.tsx";
import { GrowMount } from "./grow-mount.tsx";
import { growingMounts, refreshPause, type MountGrowth } from "./growth-calls.ts";
import { NewMount } from "./new-mount.tsx";
import { Partitions } from "./partitions.tsx";
import { SettingDialog } from "../../ui/setting-dialog.tsx";

/** The view of the server's mounts. */
export function Mounts(): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const where = useStore(place, (value) => value);
  const result = useLoad(mounts, [turn, where]);
  const growths = useLoad(growingMounts, [turn, where]);
  const [making, make] = useState(false);
  const [tuned, tune] = useState<Mount>();
  const [dropped, drop] = useState<Mount>();
  // an open dialog itself reloads the growth of its mount and may change the growth, so reload the
  // list when the dialog closes
  const [isOutdated, setOutdated] = useState(false);
  const isMoving = [...(growths.value?.values() ?? [])].some(({ state }) => state === "moving");
  useReloadWhile((isMoving || isOutdated) && !tuned, growths, refreshPause);
  useEffect(() => setOutdated(false), [growths.value]);
  const showMount = (mount: string): void => switchPlace({ ...where, mount }, address("overview"));
  return (
    <Card
      title="Mounts"
      end={
        result.value &&
        result.value.length > 0 && (
          <Button
            tiny
            icon="plus"
            lacks={missingPermission(sys.createMount, { path: "any-mount" })}
            press={() => make(true)}
          >
            New mount
          </Button>
        )
      }
      footer={
        <p>
          <TermText of="mount" />
        </p>
      }
    >
      <Ready from={result}>
        {(all) =>
          all.length === 0 ? (
            <Empty text="No CA mounts yet.">
              <Button kind="primary" icon="plus" press={() => make(true)}>
                New mount
              </Button>
            </Empty>
          ) : (
            <MountTable
              all={all}
              growths={growths.value}
              now={where.mount}
              use={showMount}
              tune={tune}
            />
          )
        }
      </Ready>
      {making && (
        <NewMount
          paths={(result.value ?? []).map(({ path }) => path)}
          close={() => make(false)}
          onCreated={showMount}
        />
      )}
      {tuned && (
        <Tune
          one={tuned}
          close={() => (tune(undefined), setOutdated(true))}
          drop={() => (tune(undefined), drop(tuned))}
        />
      )}
      {dropped && (
        <DeleteMount one={dropped} all={result.value ?? []} close={() => drop(undefined)} />
      )}
    </Card>
  );
}

interface TableProps {
  all: readonly Mount[];
  /** The growth of each growing mount, by path; undefined until loaded. */
  growths: ReadonlyMap<string, MountGrowth> | undefined;
  now: string;
  use: (mount: string) => void;
  tune: (mount: Mount) => void;
}

function MountTable({ all, growths, now, use, tune }: TableProps): JSX.Element {
  return (
    <table class="table cards" aria-label="Mounts">
      <Columns
        of={["Path", "Maximum lifetime", [<span class="hidden-text">Open</span>, "right"]]}
      />
      <tbody>
        {all.map((one) => (
          <tr key={one.path}>
            <td>
              <code>{visible(one.path)}</code>
              {one.description && <span class="sub">{visible(one.description)}</span>}
              <Growth path={one.path} growth={growths?.get(one.path)} />
            </td>
            <td>{one.maxTtl || "Server maximum"}</td>
            <td class="right full">
              <span class="nowrap">
                {one.path === now ? (
                  <Badge tone="accent">In use</Badge>
                ) : (
                  <Button tiny press={() => use(one.path)} label={`Open ${visible(one.path)}`}>
                    Open
                  </Button>
                )}{" "}
                <Button tiny press={() => tune(one)} label={`Settings of ${visible(one.path)}`}>
                  Settings…
                </Button>
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The progress of a mount's growth. Renders nothing if the mount is not growing. */
function Growth({
  path,
  growth,
}: {
  path: string;
  growth: MountGrowth | undefined;
}): JSX.Element | null {
  if (!growth) return null;
  const { state, to, percent, error } = growth;
  const doing = state === "moving" ? `Growing to ${to} partitions` : "Growth stopped";
  return (
    <>
      <span class="sub">
        {doing}: {percent}% {error && <Badge tone="danger">Failing</Badge>}
      </span>
      <progress max={100} value={percent} aria-label={`Growth of ${visible(path)}`} />
    </>
  );
}

/** The dialog that edits the settings of a mount or deletes the mount. */
function Tune({
  one: { path, settings },
  close,
  drop,
}: {
  one: Mount;
  close: () => void;
  drop: () => void;
}): JSX.Element {
  /** The current number of partitions while the dialog that increases it is open. */
  const [growing, grow] = useState<number>();
  return (
    <>
      <SettingDialog
        title={`Settings of ${visible(path)}`}
        writes={`mount ${visible(path)}`}
        record={settings}
        fields={tuneFields}
        wrongIn={wrongTune}
        save={(sent) => tuneMount(path, sent)}
        drop={drop}
        close={close}
      >
        <p class="small muted">
          Lifetimes apply to new certificates. Existing certificates are not changed.
        </p>
        <Partitions path={path} grow={grow} />
      </SettingDialog>
      {growing !== undefined && (
        <GrowMount path={path} count={growing} close={() => grow(undefined)} />
      )}
    </>
  );
}
