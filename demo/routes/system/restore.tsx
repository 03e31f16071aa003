import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { useAct, type Act } from "../../lib/use-action.ts";
import { checkBackup, readHead, restoreBackup, type BackupHead } from "./backup-files.ts";
import { Button } from "../../ui/button.tsx";
import { Text } from "../../ui/field.tsx";
import { Confirm } from "../../ui/form.tsx";
import { Badge } from "../../ui/icon.tsx";
import { Card, Facts, Failure } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { announceChange } from "../../lib/changes.ts";
import { place, switchPlace } from "../../lib/place.ts";
import { address } from "../../lib/route.ts";
import { bareMount, wrongMount } from "../../lib/page-location.ts";
import { sizeText } from "../../lib/size-text.ts";
import { useLoad } from "../../lib/use-load.ts";
import { visible } from "../../lib/visible-text.ts";
import { visibleMountIds, whyTaken, type MountIds } from "./restore-target.ts";
import { Moment } from "../../ui/life-state.tsx";

interface Chosen {
  readonly file: File;
  readonly head: BackupHead;
}

/** The form that restores a backup into a new mount. */
export function Restore(): JSX.Element {
  const [chosen, choose] = useState<Chosen>();
  const input = useRef<HTMLInputElement>(null);
  const act = useAct();
  const chooseFile = (event: Event & { currentTarget: HTMLInputElement }): void => {
    const file = event.currentTarget.files?.[0];
    event.currentTarget.value = "";
    choose(undefined);
    if (file) act.run(async () => choose({ file, head: await readHead(file) }));
  };
  return (
    <Card title="Restore">
      <div class="pad stack close">
        <p>
          Restores a mount from its backup. The mount must not exist; other mounts are not changed.
        </p>
        <div class="actions">
          <input ref={input} type="file" hidden aria-label="Backup" onChange={chooseFile} />
          <Button icon="up" busy={act.busy} press={() => input.current?.click()}>
            Choose a backup
          </Button>
        </div>
        {act.error && <Failure error={act.error} />}
      </div>
      {chosen && (
        <Opened
          key={`${chosen.file.name} ${chosen.file.lastModified}`}
          chosen={chosen}
          done={() => choose(undefined)}
        />
      )}
    </Card>
  );
}

function Opened({
  chosen: { file, head },
  done,
}: {
  chosen: Chosen;
  done: () => void;
}): JSX.Element {
  const [to, lead] = useState(head.mount);
  const [passphrase, type] = useState("");
  const [checked, check] = useState<{ rows: number | undefined }>();
  const [asking, setAsking] = useState(false);
  const act = useAct();
  const mount = bareMount(to);
  const taken = useTaken(mount, head, checked);
  const input = { file, mount, passphrase };
  const checkFile = (event: Event): void => {
    event.preventDefault();
    check(undefined);
    if (wrongMount(mount) === "") act.run(async () => check({ rows: await checkBackup(input) }));
  };
  const retyped = (change: () => void): void => {
    check(undefined);
    change();
  };
  return (
    <form onSubmit={checkFile} noValidate>
      <Facts
        rows={[
          ["File", `${visible(file.name)}, ${sizeText(file.size)}`],
          ["Mount", visible(head.mount), true],
          ["Created", <Moment at={head.createdAt} />],
          [
            "Keys",
            head.locked
              ? "Encrypted with a passphrase"
              : "Encrypted with the sealing key of a deployment",
          ],
          checked !== undefined && ["Verified", <Intact rows={checked.rows} />],
        ]}
      />
      <div class="pad stack close">
        <div class="pair">
          <Text
            label="Restore as mount"
            value={to}
            change={(value) => retyped(() => lead(value))}
            error={wrongMount(mount) || taken}
            mono
          />
          {head.locked && (
            <Text
              label="Backup passphrase"
              type="password"
              value={passphrase}
              change={(value) => retyped(() => type(value))}
            />
          )}
        </div>
        {act.error && <Failure error={act.error} />}
        <Buttons
          act={act}
          checked={checked !== undefined}
          taken={taken}
          restore={() => setAsking(true)}
        />
      </div>
      {asking && (
        <RestoreDialog
          input={input}
          saved={head.mount}
          close={() => setAsking(false)}
          done={done}
        />
      )}
    </form>
  );
}

/** Returns why the backup cannot be restored as this mount. Reads the mounts again for `turn`. */
function useTaken(mount: string, head: BackupHead, turn: unknown): string {
  const mounts = useLoad(() => visibleMountIds().catch((): MountIds => new Map()), [turn]).value;
  const reason = useLoad(async () => {
    const why = mounts ? await whyTaken(mount, head, mounts) : "";
    return { mount, why };
  }, [mount, mounts]).value;
  return reason?.mount === mount ? reason.why : "";
}

function Buttons({
  act,
  checked,
  taken,
  restore,
}: {
  act: Act;
  checked: boolean;
  /** Why the path cannot be used; empty if no reason is known. */
  taken: string;
  restore: () => void;
}): JSX.Element {
  return (
    <div class="actions">
      <Button kind={checked ? "" : "primary"} submit busy={act.busy}>
        Verify
      </Button>
      {checked && (
        <Button kind="primary" fails={taken} press={restore}>
          Restore…
        </Button>
      )}
    </div>
  );
}

const Intact = ({ rows }: { rows: number | undefined }): JSX.Element => (
  <Badge tone="ok" mark="check">
    {rows === undefined ? "Complete and intact" : `Complete and intact, ${rows} rows`}
  </Badge>
);

function RestoreDialog({
  input,
  saved,
  close,
  done,
}: {
  input: Parameters<typeof restoreBackup>[0];
  /** The path of the mount when the backup was made. */
  saved: string;
  close: () => void;
  done: () => void;
}): JSX.Element {
  const work = async (): Promise<void> => {
    await restoreBackup(input);
    close();
    done();
    announceChange();
    toast(`Restored as ${input.mount}`);
    switchPlace({ ...place.get(), mount: input.mount }, address("overview"));
  };
  return (
    <Confirm
      title="Restore this backup?"
      writes={`mount ${visible(input.mount)}`}
      close={close}
      action="Restore"
      work={work}
      look="The restore did not finish, and the mount is unavailable until a restore completes. Try again."
    >
      <p>
        The mount will return to the state of the backup. It will have no record of certificates
        that were issued later, and its CRLs will get higher numbers than any published before.
        Leases and unused ACME EAB keys will be discarded; certificates will be kept.
      </p>
      {input.mount !== saved && (
        <p>
          The configuration keeps its URLs, which may name mount {visible(saved)}. The Overview then
          shows where to change them.
        </p>
      )}
    </Confirm>
  );
}
