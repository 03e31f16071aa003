import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { Empty, Head, Ready } from "../../ui/page.tsx";
import { Columns, OpenRow } from "../../ui/table.tsx";
import { VirtualBody, useCards } from "../../ui/virtual-rows.tsx";
import { place } from "../../lib/place.ts";
import { address, route } from "../../lib/route.ts";
import { manyRows } from "../../lib/row-window.ts";
import { changes } from "../../lib/changes.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import * as vars from "./calls.ts";
import { visible } from "../../lib/visible-text.ts";
import { NewWorkspace } from "./new-workspace.tsx";
import { lacksToken, TokenForm } from "./token.tsx";
import { WorkspaceView } from "./workspace.tsx";

/** The view of the workspaces in the variables API, or of the workspace that the URL specifies. */
export function Variables(): JSX.Element {
  const id = useStore(route, (value) => value.id);
  return id === "" ? <Workspaces /> : <WorkspaceView id={id} />;
}

async function everything(): Promise<{
  readonly organizations: readonly string[];
  readonly workspaces: readonly vars.Workspace[];
}> {
  const organizations = await vars.organizations();
  return {
    organizations,
    workspaces: (await Promise.all(organizations.map(vars.workspacesOf))).flat(),
  };
}

function Workspaces(): JSX.Element {
  const token = useStore(place, (value) => value.varsToken);
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(everything, [token, turn]);
  const [making, setMaking] = useState(false);
  const organizations = result.error ? [] : (result.value?.organizations ?? []);
  const make = (
    <Button kind="primary" icon="plus" press={() => setMaking(true)}>
      New workspace
    </Button>
  );
  return (
    <>
      <Head
        title="Variables"
        about="A workspace contains the variables that an infrastructure tool reads during a run. A sensitive value can be replaced, but is never shown again."
        actions={organizations.length > 0 && result.value?.workspaces.length ? make : undefined}
      />
      {lacksToken(result.error) ? (
        <TokenForm why={result.error.message} />
      ) : (
        <Ready from={result}>
          {({ workspaces }) => (
            <div class="card">
              {organizations.length === 0 ? (
                <Empty text="This token has no access to any organization." />
              ) : workspaces.length === 0 ? (
                <Empty text="No workspaces yet. Variables belong to a workspace.">{make}</Empty>
              ) : (
                <WorkspaceTable all={workspaces} several={organizations.length > 1} />
              )}
            </div>
          )}
        </Ready>
      )}
      {making && <NewWorkspace organizations={organizations} close={() => setMaking(false)} />}
    </>
  );
}

function WorkspaceTable({
  all,
  several,
}: {
  all: readonly vars.Workspace[];
  several: boolean;
}): JSX.Element {
  const { height } = useCards();
  return (
    <table
      class={`table cards ${all.length >= manyRows ? "even" : ""}`}
      aria-label="Workspaces"
      aria-rowcount={all.length + 1}
    >
      <Columns numbered of={["Workspace", ["Variables", "right"]]} />
      <VirtualBody
        rows={all}
        columns={2}
        height={height}
        renderRow={({ id, name, organization, count }, i) => {
          const to = address("variables", `${organization}/${name}`);
          return (
            <OpenRow key={id} to={to} index={i + 2}>
              <td>
                <a href={to}>{visible(name)}</a>
                {several && <span class="sub">{visible(organization)}</span>}
              </td>
              <td class="right num">{count ?? <span class="quiet">no read access</span>}</td>
            </OpenRow>
          );
        }}
      />
    </table>
  );
}
