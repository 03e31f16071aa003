import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { policyNameForm } from "../../../src/base/policy-name.ts";
import { Button } from "../../ui/button.tsx";
import { Filter } from "../../ui/field.tsx";
import { Badge } from "../../ui/icon.tsx";
import { Card, Empty, Ready } from "../../ui/page.tsx";
import { Columns, OpenRow } from "../../ui/table.tsx";
import { changes } from "../../api/pki.ts";
import { place } from "../../lib/place.ts";
import { policyNames } from "./policy-calls.ts";
import { policyKind, type PolicyKind } from "./policy-text.ts";
import { address, route } from "../../lib/route.ts";
import { useLoad, useStore } from "../../lib/store.ts";
import { visible } from "../../lib/format.ts";
import { NewPolicy } from "./new-policy.tsx";
import { OpenPolicy } from "./policy-editor.tsx";

/** The policies, with one of them open. */
export function Policies(): JSX.Element {
  const name = useStore(route, (value) => value.id.split("/").slice(1).join("/"));
  return name === "" ? <PolicyList /> : <OpenPolicy key={name} name={name} />;
}

/** Number of names from which on a filter is shown. */
const many = 12;

function PolicyList(): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const found = useLoad(policyNames, [turn]);
  const [words, say] = useState("");
  const [making, make] = useState(false);
  const shown = found.value?.filter((name) => name.includes(policyNameForm(words))) ?? [];
  return (
    <Card
      title="Policies"
      end={
        <Button tiny icon="plus" press={() => make(true)}>
          New policy
        </Button>
      }
    >
      <Ready from={found}>
        {(all) => (
          <>
            {all.length > many && (
              <div class="filters">
                <Filter label="Filter by name" value={words} change={say} />
              </div>
            )}
            {shown.length === 0 ? (
              <Empty text="No matching policies." />
            ) : (
              <table class="table cards" aria-label="Policies">
                <Columns of={["Name", "Kind"]} />
                <tbody>
                  {shown.map((name) => (
                    <Row key={name} name={name} />
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

function Row({ name }: { name: string }): JSX.Element {
  const to = address("access", `policies/${name}`);
  return (
    <OpenRow to={to}>
      <td class="long full">
        <a href={to} class="mono">
          {visible(name)}
        </a>
      </td>
      <td>
        <Kind of={policyKind(name, place.get().mount)} />
      </td>
    </OpenRow>
  );
}

/** The kind of a policy: built in, or created by a user. */
const Kind = ({ of }: { of: PolicyKind }): JSX.Element =>
  of === "" ? <span class="muted">Your own</span> : <Badge tone="accent">{of}</Badge>;
