import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../act.ts";
import { makeMount, mounts, wrongPath, type Mount } from "../mounts.ts";
import { Button } from "../parts/button.tsx";
import { Explained } from "../parts/explained.tsx";
import { Text } from "../parts/field.tsx";
import { FormDialog } from "../parts/form.tsx";
import { Badge } from "../parts/icon.tsx";
import { Card, Empty, Ready } from "../parts/page.tsx";
import { Columns } from "../parts/table.tsx";
import { told } from "../parts/told.tsx";
import { place, turnTo } from "../place.ts";
import { changed, changes } from "../pki.ts";
import { address } from "../route.ts";
import { useLoad, useStore } from "../store.ts";
import { seconds, visible } from "../words.ts";

/** The mounts of the server, and which of them is looked at. */
export function Mounts(): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const where = useStore(place, (value) => value);
  const found = useLoad(mounts, [turn, where]);
  const [making, make] = useState(false);
  const turnToMount = (mount: string): void => turnTo({ ...where, mount }, address("overview"));
  return (
    <Card
      title="Mounts"
      end={
        found.value && (
          <Button tiny icon="plus" press={() => make(true)}>
            New mount
          </Button>
        )
      }
      footer={
        <p>
          <Explained of="mount" />
        </p>
      }
    >
      <Ready from={found}>
        {(all) =>
          all.length === 0 ? (
            <Empty text="There is no mount for certificates." />
          ) : (
            <MountTable all={all} now={where.mount} use={turnToMount} />
          )
        }
      </Ready>
      {making && (
        <NewMount
          taken={(found.value ?? []).map(({ path }) => path)}
          close={() => make(false)}
          made={turnToMount}
        />
      )}
    </Card>
  );
}

function MountTable({
  all,
  now,
  use,
}: {
  all: readonly Mount[];
  now: string;
  use: (mount: string) => void;
}): JSX.Element {
  return (
    <table class="table cards" aria-label="Mounts">
      <Columns
        of={["Path", "Maximum lifetime", [<span class="hidden-text">Open</span>, "right"]]}
      />
      <tbody>
        {all.map(({ path, description, longest }) => (
          <tr key={path}>
            <td>
              <code>{visible(path)}</code>
              {description && <span class="sub">{visible(description)}</span>}
            </td>
            <td>{longest || "The server’s"}</td>
            <td class="right">
              {path === now ? (
                <Badge tone="accent">In use</Badge>
              ) : (
                <Button tiny press={() => use(path)} label={`Open ${visible(path)}`}>
                  Open
                </Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function NewMount({
  taken,
  close,
  made,
}: {
  taken: readonly string[];
  close: () => void;
  made: (path: string) => void;
}): JSX.Element {
  const [path, setPath] = useState("");
  const [description, describe] = useState("");
  const [longest, setLongest] = useState("87600h");
  const [tried, setTried] = useState(false);
  const act = useAct();
  const wanted = path.trim().replace(/^\/+|\/+$/g, "");
  const wrong = {
    path: wrongPath(wanted, taken),
    longest:
      longest.trim() !== "" && seconds(longest) === undefined
        ? `${longest}: not a duration. Write 87600h or 365d`
        : "",
  };
  const make = (): void => {
    setTried(true);
    if (wrong.path || wrong.longest) return;
    act.run(async () => {
      const { warnings } = await makeMount(wanted, {
        description: description.trim(),
        longest: longest.trim(),
      });
      changed();
      close();
      told(`Mount ${wanted} made`, warnings);
      made(wanted);
    });
  };
  return (
    <FormDialog
      title="New mount"
      writes="all mounts"
      close={close}
      act={act}
      action="Make mount"
      submit={make}
    >
      <Text
        label="Path"
        value={path}
        change={setPath}
        mono
        placeholder="teams/web"
        hint="Part of the address of everything in it; it cannot be changed here later."
        error={(tried && wrong.path) || undefined}
      />
      <Text label="Description" value={description} change={describe} />
      <Text
        label="Maximum lifetime"
        value={longest}
        change={setLongest}
        hint="The longest that a certificate in it may live. Empty is the server’s maximum."
        error={(tried && wrong.longest) || undefined}
      />
    </FormDialog>
  );
}
