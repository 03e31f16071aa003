import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import { archiveKinds, makeArchive, type ArchiveParts } from "../../lib/x509/archives.ts";
import { generatePassword } from "../../lib/generate-password.ts";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { Check, Choice } from "../../ui/field.tsx";
import { Failure } from "../../ui/page.tsx";
import { save } from "../../ui/save.ts";

/** The form that creates an archive with a certificate, its issuers and its key. */
export function ArchiveForm({
  parts,
  file,
  saved,
  isPasswordSaved,
  confirm,
}: {
  parts: ArchiveParts;
  file: string;
  /** Called after an archive with a password has been saved. */
  saved: () => void;
  /** Whether the user has confirmed the password of every saved archive. */
  isPasswordSaved: boolean;
  /** Records whether the user has saved the password. */
  confirm: (saved: boolean) => void;
}): JSX.Element {
  // without the key, only the archive without a password is useful
  const kinds = archiveKinds.filter(({ locked }) => !locked || parts.key !== "");
  const [id, choose] = useState<string>(parts.key === "" ? "pkcs7" : "modern2023");
  // Each archive has its own password, so that a leaked password opens no other archive.
  const [password, setPassword] = useState(generatePassword);
  const [isUsed, use] = useState(false);
  const act = useAct();
  const kind = archiveKinds.find((one) => one.id === id);
  if (!kind) return <></>;
  const { ending, type, locked, about } = kind;
  const work = async (): Promise<void> => {
    save(`${file}.${ending}`, type, await makeArchive(kind.id, parts, password));
    if (!locked) return;
    use(parts.key !== "");
    saved();
  };
  const turn = (next: string): void => {
    choose(next);
    // keep a password that the user may not have saved, because a saved archive requires it
    if (!isPasswordSaved) return;
    setPassword(generatePassword());
    use(false);
  };
  return (
    <div class="stack close">
      <Choice
        label="Archive type"
        value={id}
        change={turn}
        options={kinds.map((one) => [one.id, one.title] as const)}
        hint={about}
      />
      {locked && (
        <div>
          <p class="small muted">
            The archive password is generated in your browser and is not stored. Copy it before you
            close this window.
          </p>
          <Code text={password} label="Archive password" wrap />
        </div>
      )}
      {act.error && <Failure error={act.error} />}
      <div class="actions from-start">
        <Button icon="down" busy={act.busy} press={() => act.run(work)}>
          Save as .{ending}
        </Button>
      </div>
      {isUsed && (
        <Check label="I have saved the password" checked={isPasswordSaved} change={confirm} />
      )}
    </div>
  );
}
