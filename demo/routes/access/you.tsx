import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import { checkTasks, tasks, type TaskCapabilities } from "./capabilities.ts";
import { Button } from "../../ui/button.tsx";
import { Text } from "../../ui/field.tsx";
import { Badge } from "../../ui/icon.tsx";
import { Card, Facts, Failure, Ready } from "../../ui/page.tsx";
import { Columns } from "../../ui/table.tsx";
import { changes } from "../../lib/changes.ts";
import { usableRoles } from "../../api/roles.ts";
import { place } from "../../lib/place.ts";
import { fetchSelf, capabilities, renewSelf, type Self } from "../../api/token-self.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { visible } from "../../lib/visible-text.ts";
import { reportRenewal } from "./report-renewal.ts";
import { PolicyLinks } from "./policy-links.tsx";
import { Moment } from "../../ui/life-state.tsx";
import { SignOut } from "../../ui/sign-out.tsx";
import { Ending } from "./token-facts.tsx";

/** The view of the current token and its permissions. */
export function You(): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(fetchSelf, [turn]);
  return (
    <>
      <Card title="Current token">
        <Ready from={result}>{(self) => <Who self={self} />}</Ready>
      </Card>
      <Tasks />
      <PathCapabilities />
    </>
  );
}

function Who({ self }: { self: Self }): JSX.Element {
  const kind = useStore(place, (value) => value.kind);
  const act = useAct();
  const renew = async (): Promise<void> => reportRenewal(await renewSelf());
  const bound = self.bound_cidrs ?? [];
  return (
    <>
      <Facts
        rows={[
          ["Name", visible(self.display_name) || "None"],
          ["Policies", <PolicyLinks names={self.policies} />],
          !!self.identity_policies?.length && [
            "Entity policies",
            <PolicyLinks names={self.identity_policies} />,
          ],
          self.creation_time > 0 && [
            "Created",
            <Moment at={new Date(self.creation_time * 1000)} />,
          ],
          ["Expires", <Ending of={self} />],
          self.num_uses > 0 && ["Uses left", String(self.num_uses)],
          bound.length > 0 && ["Allowed networks", bound.map(visible).join(", "), true],
          ["Creation path", visible(self.path), true],
          self.accessor !== "" && ["Accessor", visible(self.accessor), true],
          self.entity_id !== "" && ["Entity", visible(self.entity_id), true],
        ]}
      />
      {act.error && <Failure error={act.error} />}
      {kind === "worker" && (
        <div class="pad actions">
          {self.renewable && (
            <Button tiny busy={act.busy} press={() => act.run(renew)}>
              Renew
            </Button>
          )}
          <SignOut tiny />
        </div>
      )}
    </>
  );
}

async function checkMount(mount: string): Promise<readonly TaskCapabilities[]> {
  // A token that cannot read the roles might still be allowed to issue with them.
  const roles = await usableRoles().catch(() => []);
  return checkTasks(tasks(mount, roles));
}

function Tasks(): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const mount = useStore(place, (value) => value.mount);
  const result = useLoad(() => checkMount(mount), [turn]);
  return (
    <Card title="Permissions">
      <Ready from={result}>
        {(all) => (
          <table class="table cards" aria-label="Permissions">
            <Columns of={["Task", "Path", "Allowed"]} />
            <tbody>
              {all.map((task) => (
                <tr key={task.title}>
                  <td>{visible(task.title)}</td>
                  <td class="mono long full">{visible(task.path)}</td>
                  <td>
                    <Allowed of={task} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Ready>
    </Card>
  );
}

/**
 * States whether a task is allowed, under which condition, or which capabilities the token lacks
 * for it.
 */
function Allowed({ of: { lacks, condition } }: { of: TaskCapabilities }): JSX.Element {
  if (lacks.length === 0)
    return (
      <Badge tone="ok" mark="check">
        Yes
      </Badge>
    );
  if (condition !== "") return <Badge mark="key">{condition}</Badge>;
  return (
    <>
      <Badge mark="x">No</Badge>
      <span class="sub">lacks {lacks.join(" and ")}</span>
    </>
  );
}

/** The form that shows the token's capabilities on a path. */
function PathCapabilities(): JSX.Element {
  const [path, type] = useState("");
  const [granted, setGranted] = useState<readonly string[]>();
  const act = useAct();
  const requested = path.trim().replace(/^\/+(?:v1\/)?/, "");
  const submit = (event: Event): void => {
    event.preventDefault();
    if (requested === "") return;
    setGranted(undefined);
    act.run(async () => setGranted((await capabilities([requested]))[requested] ?? []));
  };
  return (
    <Card title="Check other capabilities">
      <form class="pad stack close" onSubmit={submit} noValidate>
        <Text
          label="Path"
          value={path}
          placeholder="pki/sign/web"
          change={(value) => {
            type(value);
            setGranted(undefined);
          }}
          hint="As in a request, without /v1/."
          mono
        />
        <div role="status">
          {granted && (
            <p>
              Capabilities at this path: <b>{granted.map(visible).join(", ") || "deny"}</b>
            </p>
          )}
        </div>
        {act.error && <Failure error={act.error} />}
        <div class="actions">
          <Button submit busy={act.busy}>
            Check
          </Button>
        </div>
      </form>
    </Card>
  );
}
