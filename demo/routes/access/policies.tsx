import { missingPermission } from "../../api/permissions.ts";
import * as sys from "../../api/endpoints/sys.ts";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { policyNameForm } from "../../../src/base/policy-name.ts";
import { Button } from "../../ui/button.tsx";
import { Filter } from "../../ui/field.tsx";
import { Badge } from "../../ui/icon.tsx";
import { Card, Empty, Ready } from "../../ui/page.tsx";
import { Columns, OpenRow } from "../../ui/table.tsx";
import { changes } from "../../lib/changes.ts";
import { place } from "../../lib/place.ts";
import { mountPaths, policyNames } from "./policy-calls.ts";
import { policyKind, policyPurpose, readyMount, type PolicyKind } from "./policy-text.ts";
import { address, route } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { visible } from "../../lib/visible-text.ts";
import { NewPolicy } from "./new-policy.tsx";
import { OpenPolicy } from "./policy-editor.tsx";

/** The list of policies, or the policy that the URL specifies. */
export function Policies(): JSX.Element {
  const name = useStore(route, (value) => value.id.split("/").slice(1).join("/"));
  return name === "" ? <PolicyList /> : <OpenPolicy key={name} name={name} />;
}

/** Maximum number of policies that are shown without a filter. */
const many = 12;

function PolicyList(): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(policyNames, [turn]);
  const mounts = useLoad(mountPaths, [turn]).value ?? [place.get().mount];
  const [words, setWords] = useState("");
  const [making, make] = useState(false);
  const shown = result.value?.filter((name) => name.includes(policyNameForm(words))) ?? [];
  return (
    <Card
      title="Policies"
      end={
        <Button
          tiny
          icon="plus"
          lacks={missingPermission(sys.writePolicy, { name: "any-name" })}
          press={() => make(true)}
        >
          New policy
        </Button>
      }
    >
      <Ready from={result}>
        {(all) => (
          <>
            {all.length > many && (
              <div class="filters">
                <Filter label="Filter by name" value={words} change={setWords} />
              </div>
            )}
            {shown.length === 0 ? (
              <Empty text="No matching policies." />
            ) : (
              <table class="table cards" aria-label="Policies">
                <Columns of={["Name", "Kind"]} />
                <tbody>
                  {shown.map((name) => (
                    <Row key={name} name={name} mounts={mounts} />
                  ))}
                </tbody>
              </table>
            )}
          </>
        )}
      </Ready>
      {making && <NewPolicy close={() => make(false)} />}
    </Card>
  );
}

function Row({ name, mounts }: { name: string; mounts: readonly string[] }): JSX.Element {
  const to = address("access", `policies/${name}`);
  return (
    <OpenRow to={to}>
      <td class="long full">
        <a href={to} class="mono">
          {visible(name)}
        </a>
        <span class="sub">{policyPurpose(name, mounts)}</span>
      </td>
      <td>
        <Kind of={policyKind(name, mounts)} mount={readyMount(name, mounts)} />
      </td>
    </OpenRow>
  );
}

/** A badge with the origin of a policy: built into the server, or created with a mount. */
function Kind({ of, mount }: { of: PolicyKind; mount: string | undefined }): JSX.Element {
  if (of === "") return <span class="muted">Custom</span>;
  return (
    <>
      <Badge tone="accent">{of === "ready" ? "Ready-made" : "Built in"}</Badge>
      {mount !== undefined && (
        <span class="sub">
          for mount <code>{visible(mount)}</code>
        </span>
      )}
    </>
  );
}
