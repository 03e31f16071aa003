import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import {
  findMethodFields,
  offerFields,
  type MethodConfig,
  type MethodFields,
} from "./login-fields.ts";
import { loginMethods, type LoginMethod } from "../../api/login-methods.ts";
import {
  disableMethod,
  methodTune,
  saveMethodTune,
  type LoginRecord,
  type PrincipalCalls,
} from "./login-calls.ts";
import { PolicyLinks } from "./policy-links.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/form.tsx";
import { Back, Card, Empty, Facts, Note, Ready } from "../../ui/page.tsx";
import { Columns } from "../../ui/table.tsx";
import { notify } from "../../ui/notify.tsx";
import { announceChange, changes } from "../../lib/changes.ts";
import { address, redirect, requestedDialog } from "../../lib/route.ts";
import { wrongForms, blankSettings, withoutEmpty, type SettingField } from "../../lib/settings.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { visible } from "../../lib/visible-text.ts";
import { PrincipalDialog } from "./edit-principal.tsx";
import { RoleIds } from "./approle.tsx";
import { LockBadge, lockEndOf, Unlock } from "./lock.tsx";
import { SettingDialog } from "../../ui/setting-dialog.tsx";
import { SettingForm } from "../../ui/setting-form.tsx";

interface Of {
  readonly method: LoginMethod;
  readonly fields: MethodFields;
}

/** The view of the login method at a path. */
export function OpenMethod({ path }: { path: string }): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(
    async () => (await loginMethods()).find((one) => one.path === path),
    [turn],
  );
  return (
    <>
      <Back to={address("access", "logins")}>Login methods</Back>
      <Ready from={result}>
        {(method) =>
          method ? <Shown method={method} /> : <Note>There is no login method at this path.</Note>
        }
      </Ready>
    </>
  );
}

function Shown({ method }: { method: LoginMethod }): JSX.Element {
  const fields = findMethodFields(method.type);
  const [asking, setAsking] = useState(false);
  return (
    <div class="stack">
      <Card
        title={`auth/${visible(method.path)}`}
        end={
          <Button tiny kind="danger" press={() => setAsking(true)}>
            Disable…
          </Button>
        }
      >
        <Facts
          rows={[
            ["Type", fields?.title ?? visible(method.type)],
            method.description !== "" && ["Description", visible(method.description)],
            ["Accessor", visible(method.accessor), true],
          ]}
        />
      </Card>
      {fields?.config && <Config path={method.path} config={fields.config} />}
      {fields && <PrincipalList method={method} fields={fields} />}
      {method.type !== "token" && <Offer path={method.path} />}
      {asking && <Disable path={method.path} close={() => setAsking(false)} />}
    </div>
  );
}

function Config({ path, config }: { path: string; config: MethodConfig }): JSX.Element {
  const { calls, fields, unchanged, redirectUri } = config;
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(() => calls.read(path), [turn]);
  // A write replaces the whole configuration, so omitted settings would be cleared.
  const completeRecord = (record: LoginRecord): object =>
    Object.fromEntries(
      [...fields.map(({ name }) => name), ...unchanged].flatMap((name) =>
        record[name] === undefined ? [] : [[name, record[name]]],
      ),
    );
  return (
    <Card title="Trust">
      <div class="pad stack close">
        {redirectUri && (
          <p>
            Redirect URI to register at the provider: <code class="break">{redirectUri}</code>
          </p>
        )}
        <Ready from={result}>
          {(record) => (
            <SettingForm
              record={{ ...blankSettings(fields), ...record }}
              fields={fields}
              wrongIn={(typed) => wrongForms(fields, withoutEmpty(typed))}
              save={(changes) => calls.write(path, { ...completeRecord(record), ...changes })}
            />
          )}
        </Ready>
      </div>
    </Card>
  );
}

/** The settings for the visibility of the method before sign-in and for the type of its tokens. */
function Offer({ path }: { path: string }): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(() => methodTune(path), [turn]);
  const [editing, edit] = useState(false);
  return (
    <Card
      title="Visibility and tokens"
      end={
        result.value && (
          <Button tiny press={() => edit(true)} label="Change visibility and token settings">
            Change…
          </Button>
        )
      }
    >
      <Ready from={result}>
        {(tune) => {
          const record = { ...blankSettings(offerFields), ...tune };
          return (
            <>
              <Facts rows={offerFields.flatMap((field) => choiceRow(field, record))} />
              {editing && (
                <SettingDialog
                  title="Visibility and tokens"
                  writes={`login method auth/${visible(path)}`}
                  record={record}
                  fields={offerFields}
                  save={(sent) => saveMethodTune(path, sent)}
                  close={() => edit(false)}
                />
              )}
            </>
          );
        }}
      </Ready>
    </Card>
  );
}

/**
 * Returns a row with a setting's label and the text of its selected option, or no row if the value
 * is not one of the options.
 */
const choiceRow = (
  { name, label, options = [] }: SettingField<string>,
  record: LoginRecord,
): readonly (readonly [string, string])[] => {
  const text = options.find(([value]) => value === record[name])?.[1];
  return text === undefined ? [] : [[label, text]];
};

/** A principal in the list, with its policies if they have been read. */
interface ListedPrincipal {
  readonly name: string;
  readonly policies?: readonly string[];
  /** End of the lock of a user whom failed logins have locked. */
  readonly lockEnd: Date | undefined;
}

/** Maximum number of principals whose policies are read for the list. */
const maxRead = 500;

async function readPrincipals(
  path: string,
  principals: PrincipalCalls,
): Promise<readonly ListedPrincipal[]> {
  const names = await principals.names(path);
  const known = names.length > 0 && names.length <= maxRead ? await principals.all(path) : {};
  return names.map((name) => {
    const record = known[name] ?? {};
    const policies = record["token_policies"];
    return {
      name,
      lockEnd: lockEndOf(record),
      ...(Array.isArray(policies) && { policies: policies.map(String) }),
    };
  });
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function PrincipalList({ method, fields }: Of): JSX.Element {
  const { path } = method;
  const { principals, one, many } = fields;
  const turn = useStore(changes, (value) => value.turn);
  const found = useLoad(() => readPrincipals(path, principals), [turn]);
  const [editing, edit] = useState<string>();
  const [ids, show] = useState("");
  useEffect(() => {
    if (requestedDialog() === "create") edit("");
  }, []);
  const make = (
    <Button tiny icon="plus" press={() => edit("")}>
      New {one}
    </Button>
  );
  return (
    <Card title={many} end={found.value?.length ? make : undefined}>
      <Ready from={found}>
        {(all) => {
          if (all.length === 0)
            return <Empty text={`Nobody can log in until you create a ${one}.`}>{make}</Empty>;
          const hasPolicies = all.some(({ policies }) => policies);
          return (
            <table class="table cards" aria-label={many}>
              <Columns
                of={[
                  capital(one),
                  ...(hasPolicies ? ["Policies"] : []),
                  [<span class="hidden-text">Actions</span>, "right"],
                ]}
              />
              <tbody>
                {all.map(({ name, policies, lockEnd }) => (
                  <tr key={name}>
                    <td class="long full">
                      <span class="mono">{visible(name)}</span>
                      {lockEnd && <LockBadge end={lockEnd} />}
                    </td>
                    {hasPolicies && (
                      <td class="long" data-label={policies && "Policies"}>
                        {policies && <PolicyLinks names={policies} />}
                      </td>
                    )}
                    <td class="right">
                      {lockEnd && <Unlock accessor={method.accessor} name={name} />}{" "}
                      {method.type === "approle" && (
                        <Button tiny press={() => show(name)} label={`IDs of ${visible(name)}`}>
                          IDs…
                        </Button>
                      )}{" "}
                      <Button tiny press={() => edit(name)} label={`Change ${visible(name)}`}>
                        Change…
                      </Button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          );
        }}
      </Ready>
      {editing !== undefined && (
        <PrincipalDialog method={method} of={fields} name={editing} close={() => edit(undefined)} />
      )}
      {ids !== "" && <RoleIds path={path} name={ids} close={() => show("")} />}
    </Card>
  );
}

function Disable({ path, close }: { path: string; close: () => void }): JSX.Element {
  const work = async (): Promise<void> => {
    const { warnings } = await disableMethod(path);
    redirect(address("access", "logins"));
    announceChange();
    notify("Method disabled", warnings);
  };
  return (
    <Confirm
      title="Disable this login method?"
      writes="all mounts"
      close={close}
      name={path}
      action="Disable"
      work={work}
    >
      <p>
        Its roles and users will be deleted, nobody will be able to log in with it, and the tokens
        that it created will be revoked.
      </p>
    </Confirm>
  );
}
