import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import { readPasted } from "./dotenv.ts";
import { Check } from "../../ui/field.tsx";
import { DropLines } from "../../ui/files.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { toast } from "../../ui/toast.tsx";
import { VarsRefusal, writeAll, type Attributes, type Variable, type Workspace } from "./calls.ts";
import { visible } from "../../lib/visible-text.ts";

const placeholder = "REGION=eu-north\nDNS_TOKEN='…'\nTF_VAR_node_count=3";
const sameAs = ({ key, category }: Attributes): string =>
  `${category === "env" ? "env" : "terraform"} ${key}`;
const counted = (n: number, what: string): string => `${n} ${what}`;

/** Combines the errors about several variables into one error, with the key of each variable. */
function withKeys(error: VarsRefusal, items: readonly Attributes[]): Error {
  const texts = error.faults.map(({ text, at }) => {
    const key = items[Number(/^(\d+)\//.exec(at)?.[1] ?? -1)]?.key;
    return key === undefined ? text : `${visible(key)}: ${text}`;
  });
  return new VarsRefusal(
    error.status,
    texts.map((text) => ({ text, at: "" })),
    error.call,
  );
}

interface Props {
  workspace: Workspace;
  existing: readonly Variable[];
  close: () => void;
  done: () => void;
}

/** The dialog that imports variables from dotenv lines or an export in a single call. */
export function PasteVariables({ workspace, existing, close, done }: Props): JSX.Element {
  const [text, setText] = useState("");
  const [sensitive, setSensitive] = useState(false);
  const act = useAct();
  const { items, faults } = useMemo(() => readPasted(text), [text]);
  const existingNames = new Set(existing.map(sameAs));
  const fresh = items.filter((item) => !existingNames.has(sameAs(item))).length;
  const write = (): void => {
    if (items.length === 0 || faults.length > 0) return;
    // Send `sensitive` only if the user chose it, because an import must not make a sensitive
    // variable readable.
    const sent = sensitive ? items.map((item) => ({ ...item, sensitive: true })) : items;
    act.run(async () => {
      await writeAll(workspace.id, sent).catch((error: unknown) => {
        throw error instanceof VarsRefusal ? withKeys(error, sent) : error;
      });
      toast(`${counted(fresh, "created")}, ${counted(items.length - fresh, "changed")}`);
      done();
    });
  };
  const all = counted(items.length, items.length === 1 ? "variable" : "variables");
  const changed = counted(items.length - fresh, "changed");
  const what = `${all}: ${counted(fresh, "new")}, ${changed}`;
  return (
    <FormDialog
      title="Paste many"
      close={close}
      writes={`workspace ${visible(workspace.name)}`}
      act={act}
      action="Save all"
      submit={write}
      disabled={items.length === 0 || faults.length > 0}
    >
      <DropLines
        label="NAME=value lines, or an exported JSON file"
        value={text}
        change={setText}
        onFiles={([file]) => file && setText(new TextDecoder().decode(file.bytes))}
        rows={8}
        placeholder={placeholder}
        hint="TF_VAR_name becomes the terraform variable name; all others become env variables. Quotes, comments and export are supported; references to variables are not expanded. Either all variables are saved or none."
        error={
          faults.length > 0
            ? `${faults.slice(0, 3).join(". ")}${faults.length > 3 ? `, and ${faults.length - 3} more` : ""}`
            : undefined
        }
      />
      <Check
        label="Mark all as sensitive"
        hint="Their values become write-only. This cannot be undone."
        checked={sensitive}
        change={setSensitive}
      />
      <p class="small muted" role="status">
        {text === "" ? "" : what}
      </p>
    </FormDialog>
  );
}
