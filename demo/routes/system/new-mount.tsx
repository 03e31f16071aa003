import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import { partitionCounts } from "./growth-calls.ts";
import { makeMount, wrongLifetime, wrongPath } from "./mount-calls.ts";
import { DurationField } from "../../ui/duration-field.tsx";
import { Choice, Text } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { notify } from "../../ui/notify.tsx";
import { announceChange } from "../../lib/changes.ts";

const partitionOptions = partitionCounts.map((count) => [String(count), String(count)] as const);

/** The dialog that creates a mount. */
export function NewMount({
  paths,
  close,
  onCreated,
}: {
  paths: readonly string[];
  close: () => void;
  onCreated: (path: string) => void;
}): JSX.Element {
  const [path, setPath] = useState(paths.length === 0 ? "pki" : "");
  const [description, describe] = useState("");
  const [maxTtl, setMaxTtl] = useState("87600h");
  const [partitions, setPartitions] = useState("1");
  const [tried, setTried] = useState(false);
  const act = useAct();
  const requested = path.trim().replace(/^\/+|\/+$/g, "");
  const wrong = {
    path: wrongPath(requested, paths),
    maxTtl: wrongLifetime(maxTtl),
  };
  const make = (): void => {
    setTried(true);
    if (wrong.path || wrong.maxTtl) return;
    act.run(async () => {
      const { warnings } = await makeMount(requested, {
        description: description.trim(),
        maxTtl: maxTtl.trim(),
        partitions: Number(partitions),
      });
      announceChange();
      close();
      notify(`Mount ${requested} created`, warnings);
      onCreated(requested);
    });
  };
  return (
    <FormDialog
      title="New mount"
      writes="all mounts"
      close={close}
      act={act}
      action="Create mount"
      submit={make}
    >
      <Text
        label="Path"
        value={path}
        change={setPath}
        mono
        placeholder="teams/web"
        hint="The path is part of every URL in the mount. You cannot change it in this console later."
        error={(tried && wrong.path) || undefined}
      />
      <Text label="Description" value={description} change={describe} />
      <DurationField
        label="Maximum lifetime"
        value={maxTtl}
        change={setMaxTtl}
        hint="For all certificates in this mount. If empty, the server’s maximum applies."
        error={(tried && wrong.maxTtl) || undefined}
      />
      <Choice
        label="Partitions"
        value={partitions}
        change={setPartitions}
        options={partitionOptions}
        hint="One partition is enough for about five million certificates. With more partitions, the certificates are spread over several stores, and configuration changes take longer."
      />
    </FormDialog>
  );
}
