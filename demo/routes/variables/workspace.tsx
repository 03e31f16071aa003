import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { Filter } from "../../ui/field.tsx";
import { Delete } from "../../ui/form.tsx";
import { Back, Empty, Head, Heading, Ready } from "../../ui/page.tsx";
import { place } from "../../lib/place.ts";
import { address, refine, route } from "../../lib/route.ts";
import { changes } from "../../lib/changes.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import * as vars from "./calls.ts";
import { visible } from "../../lib/visible-text.ts";
import { ExportVariables } from "./export-variables.tsx";
import { DeleteWorkspace } from "./new-workspace.tsx";
import { PasteVariables } from "./paste-variables.tsx";
import { DeleteVariable, VariableEditor } from "./variable-editor.tsx";
import { lacksToken, TokenForm } from "./token.tsx";
import { VariableTable } from "./variable-table.tsx";

interface WorkspaceData {
  readonly workspace: vars.Workspace;
  readonly variables: readonly vars.Variable[];
}

async function find(id: string): Promise<WorkspaceData> {
  const workspace = await vars.workspace(id);
  return { workspace, variables: await vars.variables(workspace.id) };
}

/** The view of the variables in a workspace. */
export function WorkspaceView({ id }: { id: string }): JSX.Element {
  const token = useStore(place, (value) => value.varsToken);
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(() => find(id), [id, token, turn]);
  return (
    <>
      <Back to={address("variables")}>Variables</Back>
      {(result.error || !result.value) && <Heading title="Variables" />}
      {lacksToken(result.error) ? (
        <TokenForm why={result.error.message} />
      ) : (
        <Ready from={result}>{(value) => <Shown data={value} again={result.again} />}</Ready>
      )}
    </>
  );
}

type Doing =
  | "new"
  | "paste"
  | "export"
  | "remove"
  | { readonly edit: vars.Variable }
  | { readonly drop: vars.Variable };

function Shown({
  data: { workspace, variables },
  again,
}: {
  data: WorkspaceData;
  again: () => void;
}): JSX.Element {
  const words = useStore(route, (value) => value.query.get("q") ?? "").toLowerCase();
  const [doing, setDoing] = useState<Doing>();
  const { mayWrite } = workspace;
  const first = useRef(variables);
  useEffect(() => {
    // If the row with the focus has disappeared, move the focus to the title.
    if (variables !== first.current && document.activeElement === document.body)
      document.querySelector<HTMLElement>("h1")?.focus();
  }, [variables]);
  const shown = variables.filter(({ key, description }) =>
    `${key}\n${description ?? ""}`.toLowerCase().includes(words),
  );
  return (
    <>
      <Head
        title={visible(workspace.name)}
        about={
          <>
            Workspace of {visible(workspace.organization)}, <code>{workspace.id}</code>. A sensitive
            value can be replaced, but is never shown again
            {mayWrite ? "" : ". This token can read but not write"}.
          </>
        }
        actions={<Actions of={workspace} some={variables.length > 0} start={setDoing} />}
      />
      {variables.length === 0 ? (
        <div class="card">
          <Empty text="No variables yet. Runs in this workspace read variables such as a region, a token or a size.">
            {mayWrite && <Writing start={setDoing} />}
          </Empty>
        </div>
      ) : (
        <div class="card">
          {(variables.length > 8 || words !== "") && (
            <search class="filters">
              <Filter
                label="Filter by key or description"
                placeholder="Key or description"
                value={words}
                change={(q) => refine({ q })}
              />
            </search>
          )}
          {shown.length > 0 ? (
            <VariableTable
              rows={shown}
              pick={mayWrite ? (edit) => setDoing({ edit }) : undefined}
            />
          ) : (
            <Empty text="No matching variables.">
              <Button press={() => refine({})}>Clear the filter</Button>
            </Empty>
          )}
          <footer class="num">
            <span role="status">
              {words === ""
                ? `${variables.length} ${variables.length === 1 ? "variable" : "variables"}`
                : `${shown.length} of ${variables.length} shown`}
            </span>
          </footer>
        </div>
      )}
      {doing && (
        <Dialogs
          workspace={workspace}
          variables={variables}
          doing={doing}
          start={setDoing}
          again={again}
        />
      )}
    </>
  );
}

function Actions({
  of: { mayWrite, mayDelete },
  some,
  start,
}: {
  of: vars.Workspace;
  some: boolean;
  start: (doing: Doing) => void;
}): JSX.Element {
  return (
    <>
      {some && (
        <Button icon="down" press={() => start("export")}>
          Export…
        </Button>
      )}
      {some && mayWrite && <Writing start={start} />}
      {mayDelete && <Delete press={() => start("remove")} />}
    </>
  );
}

function Writing({ start }: { start: (doing: Doing) => void }): JSX.Element {
  return (
    <>
      <Button icon="copy" press={() => start("paste")}>
        Paste many…
      </Button>
      <Button kind="primary" icon="plus" press={() => start("new")}>
        New variable
      </Button>
    </>
  );
}

interface DialogsProps extends WorkspaceData {
  doing: Doing;
  start: (doing: Doing | undefined) => void;
  again: () => void;
}

function Dialogs({ workspace, variables, doing, start, again }: DialogsProps): JSX.Element {
  const close = (): void => start(undefined);
  const done = (): void => {
    close();
    again();
  };
  if (doing === "paste")
    return <PasteVariables workspace={workspace} existing={variables} close={close} done={done} />;
  if (doing === "export") return <ExportVariables workspace={workspace} close={close} />;
  if (doing === "remove")
    return <DeleteWorkspace one={workspace} count={variables.length} close={close} />;
  if (doing === "new") return <VariableEditor workspace={workspace} close={close} done={done} />;
  if ("drop" in doing)
    return <DeleteVariable workspace={workspace} one={doing.drop} close={close} done={done} />;
  const { edit } = doing;
  return (
    <VariableEditor
      key={edit.id}
      workspace={workspace}
      one={edit}
      close={close}
      done={done}
      drop={() => start({ drop: edit })}
    />
  );
}
