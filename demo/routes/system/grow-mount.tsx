import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { announceChange } from "../../lib/changes.ts";
import { visible } from "../../lib/visible-text.ts";
import { useAct } from "../../lib/use-action.ts";
import { Choice } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { notify } from "../../ui/notify.tsx";
import { Note } from "../../ui/page.tsx";
import { growMount, partitionCounts } from "./growth-calls.ts";

/** The dialog that increases a mount's number of partitions. `count` is the current number. */
export function GrowMount({
  path,
  count,
  close,
}: {
  path: string;
  count: number;
  close: () => void;
}): JSX.Element {
  const larger = partitionCounts.filter((one) => one > count).map(String);
  const [to, setTo] = useState(larger[0] ?? "");
  const act = useAct();
  const submit = (): void =>
    act.run(async () => {
      const { warnings } = await growMount(path, Number(to));
      announceChange();
      close();
      notify(`Mount ${visible(path)} is growing to ${to} partitions`, warnings);
    });
  return (
    <FormDialog
      title={`More partitions for ${visible(path)}`}
      writes={`mount ${visible(path)}`}
      close={close}
      act={act}
      action="Add partitions"
      submit={submit}
    >
      <Choice
        label="Partitions"
        value={to}
        change={setTo}
        options={larger.map((one) => [one, one] as const)}
        hint={`Currently ${count}. One partition is enough for about five million certificates.`}
      />
      <p>
        A job moves the certificates to their new partitions in steps. Meanwhile, the mount serves
        requests a little more slowly. From now on, each configuration change requires a commit in
        every partition.
      </p>
      <Note tone="warn" icon="warn">
        <b>The number of partitions cannot be reduced later.</b> You can stop the growth, but you
        can undo it only by restoring a backup with fewer partitions.
      </Note>
    </FormDialog>
  );
}
