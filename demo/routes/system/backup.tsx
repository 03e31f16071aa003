import { missingPermission } from "../../api/permissions.ts";
import * as sys from "../../api/endpoints/sys.ts";
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import { backupType, makeBackup } from "./backup-files.ts";
import { Button } from "../../ui/button.tsx";
import { Text } from "../../ui/field.tsx";
import { Card, Failure, Note } from "../../ui/page.tsx";
import { save } from "../../ui/save.ts";
import { place } from "../../lib/place.ts";
import { address } from "../../lib/route.ts";
import { useStore } from "../../lib/store.ts";
import { fileName } from "../../lib/file-name.ts";
import { Restore } from "./restore.tsx";

/** The section that backs up the mount and restores backups. */
export function Backup(): JSX.Element {
  const kind = useStore(place, (value) => value.kind);
  return (
    <>
      {kind === "browser" ? <BrowserBackup /> : <WorkerBackup />}
      <Restore />
    </>
  );
}

const nameOf = (mount: string): string =>
  `sealwright-${fileName(mount)}-${new Date().toISOString().slice(0, 10)}.backup`;

function WorkerBackup(): JSX.Element {
  const mount = useStore(place, (value) => value.mount);
  const act = useAct();
  const work = async (): Promise<void> => save(nameOf(mount), backupType, await makeBackup(""));
  return (
    <Card title="Back up">
      <div class="pad stack close">
        <p>
          Saves everything in mount <code>{mount}</code> in one file: authorities and their keys,
          certificates, roles and CRLs. The file does not contain tokens, policies, login methods,
          entities, limits, managed keys, variables or the audit log:{" "}
          <a href={address("api", "backUpStore")}>back up these separately</a>.
        </p>
        <Note icon="lock">
          The private keys in the backup stay encrypted with this deployment’s sealing key. Store
          the sealing key separately: without that key, the backup cannot be restored.
        </Note>
        {act.error && <Failure error={act.error} />}
        <div class="actions">
          <Button
            kind="primary"
            icon="down"
            lacks={missingPermission(sys.backUp, { path: place.get().mount })}
            busy={act.busy}
            press={() => act.run(work)}
          >
            Download a backup
          </Button>
        </div>
      </div>
    </Card>
  );
}

/** Minimum length of a passphrase in characters. */
const minPassphraseLength = 12;

function BrowserBackup(): JSX.Element {
  const mount = useStore(place, (value) => value.mount);
  const [first, type] = useState("");
  const [second, repeat] = useState("");
  const [wrong, setWrong] = useState<readonly [string, string]>(["", ""]);
  const form = useRef<HTMLFormElement>(null);
  const act = useAct();
  const submit = (event: Event): void => {
    event.preventDefault();
    const why = [
      first.length < minPassphraseLength ? `At least ${minPassphraseLength} characters` : "",
      first === second ? "" : "The passphrases differ",
    ] as const;
    setWrong(why);
    act.run(async () => {
      if (why[0] || why[1]) return;
      save(nameOf(mount), backupType, await makeBackup(first));
      type("");
      repeat("");
    });
  };
  return (
    <Card title="Back up">
      <form class="pad stack close" ref={form} onSubmit={submit} noValidate>
        <p>
          Saves everything in mount <code>{mount}</code>, including the keys of its authorities,
          encrypted with the passphrase. You can restore it in any browser. The file does not
          contain policies, <a href={address("variables")}>variables</a> or the audit log.
        </p>
        <div class="pair">
          <Text
            label="Passphrase"
            type="password"
            complete="new-password"
            value={first}
            change={type}
            error={wrong[0]}
            hint="The backup cannot be restored without the passphrase."
          />
          <Text
            label="Repeat passphrase"
            type="password"
            complete="new-password"
            value={second}
            change={repeat}
            error={wrong[1]}
          />
        </div>
        {act.error && <Failure error={act.error} />}
        <div class="actions">
          <Button kind="primary" icon="down" submit busy={act.busy}>
            Save a backup
          </Button>
        </div>
      </form>
    </Card>
  );
}
