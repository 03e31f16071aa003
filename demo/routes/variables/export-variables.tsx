import type { JSX } from "preact";
import { useAct } from "../../lib/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { save } from "../../ui/save.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Failure } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { exportWorkspace, type Workspace } from "./calls.ts";
import { fileName } from "../../lib/file-name.ts";

const formats = [
  [
    "dotenv",
    "env",
    "text/plain",
    "For a shell or a container. Variables in the category terraform are exported as TF_VAR_….",
  ],
  [
    "json",
    "json",
    "application/json",
    "All variables, without sensitive values. Use “Paste many” to import the file into another workspace.",
  ],
] as const;

/** The dialog that exports the variables of a workspace to a file. */
export function ExportVariables({
  workspace,
  close,
}: {
  workspace: Workspace;
  close: () => void;
}): JSX.Element {
  const act = useAct();
  const download = (format: "dotenv" | "json", ending: string, type: string): void =>
    act.run(async () => {
      save(
        `${fileName(workspace.name)}.${ending}`,
        type,
        await exportWorkspace(workspace.id, format),
      );
      toast(`${workspace.name}.${ending} saved without sensitive values`);
      close();
    });
  return (
    <Dialog title="Export" close={close}>
      <p>The file contains the values in plain text. Sensitive values are excluded.</p>
      <ul class="list">
        {formats.map(([format, ending, type, about]) => (
          <li key={format}>
            <div>
              <b>{format === "json" ? "JSON" : format}</b>
              <p class="small muted">{about}</p>
            </div>
            <Button
              icon="down"
              busy={act.busy}
              label={`Download as ${format === "json" ? "JSON" : format}`}
              press={() => download(format, ending, type)}
            >
              Download
            </Button>
          </li>
        ))}
      </ul>
      {act.error && <Failure error={act.error} />}
      <div class="actions">
        <Button press={close}>Close</Button>
      </div>
    </Dialog>
  );
}
