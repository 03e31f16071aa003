import { missingPermission } from "../../api/permissions.ts";
import * as identity from "../../api/endpoints/identity.ts";
import { Fragment, type ComponentChildren, type JSX } from "preact";
import { useState } from "preact/hooks";
import {
  entities,
  entity,
  group,
  groups,
  type Entity,
  type Group,
  type NamedId,
} from "./identity-calls.ts";
import { lazy } from "../../ui/lazy.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Back, Card, Empty, Facts, Ready } from "../../ui/page.tsx";
import { Columns, OpenRow } from "../../ui/table.tsx";
import { changes } from "../../lib/changes.ts";
import { address, route } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { visible } from "../../lib/visible-text.ts";
import { PolicyLinks } from "./policy-links.tsx";
import { Moment } from "../../ui/life-state.tsx";

const entityAt = (id: string): string => address("access", `entities/${id}`);
const groupAt = (id: string): string => address("access", `entities/group/${id}`);

/** The lists of entities and groups, or the entity or group that the URL specifies. */
export function Entities(): JSX.Element {
  const [, first = "", second = ""] = useStore(route, (value) => value.id).split("/");
  if (first === "group" && second !== "") return <OpenGroup key={second} id={second} />;
  if (first !== "") return <OpenEntity key={first} id={first} />;
  return (
    <>
      <List
        title="Entities"
        read={entities}
        to={entityAt}
        none={
          <Empty text="No entities yet. Each user or program that logs in becomes an entity.">
            <ButtonLink to={address("access", "logins")}>Login methods</ButtonLink>
          </Empty>
        }
      />
      <Groups />
    </>
  );
}

const GroupDialog = lazy(async () => (await import("./edit-group.tsx")).GroupDialog);

function Groups(): JSX.Element {
  const [making, make] = useState(false);
  return (
    <>
      <List
        title="Groups"
        read={groups}
        to={groupAt}
        none={<Empty text="No groups yet. A group gives its policies to all its members." />}
        end={
          <Button
            tiny
            icon="plus"
            lacks={missingPermission(identity.writeGroup)}
            press={() => make(true)}
          >
            New group
          </Button>
        }
      />
      {making && <GroupDialog close={() => make(false)} />}
    </>
  );
}

function List({
  title,
  read,
  to,
  none,
  end,
}: {
  title: string;
  read: () => Promise<readonly NamedId[]>;
  to: (id: string) => string;
  none: JSX.Element;
  end?: JSX.Element;
}): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(read, [turn]);
  return (
    <Card title={title} end={end}>
      <Ready from={result}>
        {(all) =>
          all.length === 0 ? (
            none
          ) : (
            <table class="table cards" aria-label={title}>
              <Columns of={["Name", "ID"]} />
              <tbody>
                {all.map(({ id, name, aliases = [] }) => (
                  <OpenRow key={id} to={to(id)}>
                    <td class="long full">
                      {/* people know their login name, but not the name of their entity */}
                      <a href={to(id)}>{visible(aliases.join(", ") || name) || "Unnamed"}</a>
                      {aliases.length > 0 && <span class="sub">{visible(name)}</span>}
                    </td>
                    <td class="mono long">{visible(id)}</td>
                  </OpenRow>
                ))}
              </tbody>
            </table>
          )
        }
      </Ready>
    </Card>
  );
}

type Row = readonly [name: string, value: ComponentChildren, mono?: boolean] | undefined;

/** The fields that entities and groups have in common. */
const shared = ({
  id,
  policies,
  metadata,
  creation_time: createdAt,
}: Entity | Group): readonly Row[] => [
  ["Policies", <PolicyLinks names={policies ?? []} />],
  Object.keys(metadata ?? {}).length > 0
    ? [
        "Metadata",
        Object.entries(metadata ?? {})
          .map(([name, value]) => `${visible(name)}=${visible(value)}`)
          .join(", "),
      ]
    : undefined,
  createdAt === undefined ? undefined : ["Created", <Moment at={new Date(createdAt)} />],
  ["ID", visible(id), true],
];

/** Returns the names of entities and groups by ID, omitting those that the token may not list. */
const names = async (): Promise<ReadonlyMap<string, string>> => {
  const all = await Promise.all([entities().catch(() => []), groups().catch(() => [])]);
  return new Map(all.flat().map(({ id, name }) => [id, name]));
};

const links = (
  ids: readonly string[] | null | undefined,
  to: (id: string) => string,
  named?: ReadonlyMap<string, string>,
) =>
  ids?.length ? (
    <>
      {ids.map((id, i) => (
        <Fragment key={id}>
          {i > 0 && ", "}
          <a href={to(id)} class={named?.get(id) ? "" : "mono"}>
            {visible(named?.get(id) || id)}
          </a>
        </Fragment>
      ))}
    </>
  ) : (
    "None"
  );

function OpenEntity({ id }: { id: string }): JSX.Element {
  const result = useLoad(() => entity(id), []);
  const named = useLoad(names, []);
  return (
    <>
      <Back to={address("access", "entities")}>Entities</Back>
      <Ready from={result}>
        {(one) => (
          <div class="stack">
            <Card title={visible(one.name) || "Entity"}>
              <Facts
                rows={[
                  one.disabled && ["State", "Disabled: tokens of this entity are rejected"],
                  ...shared(one),
                  ["Groups", links(one.group_ids, groupAt, named.value)],
                ]}
              />
            </Card>
            <Aliases of={one.aliases ?? []} />
          </div>
        )}
      </Ready>
    </>
  );
}

function Aliases({ of }: { of: Entity["aliases"] }): JSX.Element {
  return (
    <Card title="Known as">
      {of.length === 0 ? (
        <Empty text="This entity has no aliases, so no login maps to it." />
      ) : (
        <table class="table cards" aria-label="Known as">
          <Columns of={["Name", "Login method"]} />
          <tbody>
            {of.map((alias) => (
              <tr key={alias.id}>
                <td class="long full">{visible(alias.name)}</td>
                <td class="mono long">{visible(alias.mount_path || alias.mount_accessor)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

function OpenGroup({ id }: { id: string }): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(() => group(id), [turn]);
  const named = useLoad(names, [turn]);
  const [editing, edit] = useState(false);
  return (
    <>
      <Back to={address("access", "entities")}>Entities</Back>
      <Ready from={result}>
        {(one) => (
          <Card
            title={visible(one.name) || "Group"}
            end={
              <Button tiny press={() => edit(true)}>
                Change…
              </Button>
            }
          >
            <Facts
              rows={[
                [
                  "Kind",
                  one.type === "external" ? "External: a login method assigns members" : "Internal",
                ],
                ...shared(one),
                ["Entities", links(one.member_entity_ids, entityAt, named.value)],
                ["Nested groups", links(one.member_group_ids, groupAt, named.value)],
                !!one.alias?.name && [
                  "Known as",
                  `${visible(one.alias.name)} (${visible(one.alias.mount_path ?? "")})`,
                ],
              ]}
            />
            {editing && <GroupDialog one={one} close={() => edit(false)} />}
          </Card>
        )}
      </Ready>
    </>
  );
}
