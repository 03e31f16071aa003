import { missingPermission } from "../../api/permissions.ts";
import * as sys from "../../api/endpoints/sys.ts";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import type { LoginType } from "../../../src/auth/types/table.ts";
import { supportedTypes } from "./login-fields.ts";
import { loginMethods, type LoginMethod } from "../../api/login-methods.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Choice, Text } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { Card, Ready } from "../../ui/page.tsx";
import { Columns, OpenRow } from "../../ui/table.tsx";
import { notify } from "../../ui/notify.tsx";
import { announceChange, changes } from "../../lib/changes.ts";
import { address, open, redirect, requestedDialog, route } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { bareMount, wrongMount } from "../../lib/page-location.ts";
import { visible } from "../../lib/visible-text.ts";
import { enableMethod } from "./login-calls.ts";
import { OpenMethod } from "./login-method.tsx";

/** The list of login methods, or the login method that the URL specifies. */
export function Logins(): JSX.Element {
  const path = useStore(route, (value) => value.id.split("/").slice(1).join("/"));
  return path === "" ? <MethodList /> : <OpenMethod key={path} path={path} />;
}

function MethodList(): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(loginMethods, [turn]);
  const [enabling, enable] = useState<"" | "any" | "for user">("");
  const lacks = missingPermission(sys.enableMethod, { path: "any-method" });
  const passwords = result.value?.filter(({ type }) => type === "userpass");
  useEffect(() => {
    if (!passwords || requestedDialog() !== "user") return;
    const [only, ...others] = passwords;
    if (!only) enable("for user");
    else if (others.length === 0) redirect(newUser(only.path));
  }, [result.value]);
  return (
    <Card
      title="Login methods"
      footer={
        passwords?.length === 0 ? (
          <>
            To add a person, first enable a login method with passwords.{" "}
            <Button tiny lacks={lacks} press={() => enable("for user")}>
              Enable passwords…
            </Button>
          </>
        ) : (
          "To add a person, create a user in a method of type userpass."
        )
      }
      end={
        <Button tiny icon="plus" lacks={lacks} press={() => enable("any")}>
          Enable a method
        </Button>
      }
    >
      <Ready from={result}>
        {(all) => (
          <table class="table cards" aria-label="Login methods">
            <Columns of={["Path", "Type", [<span class="hidden-text">Actions</span>, "right"]]} />
            <tbody>
              {all.map((one) => (
                <Row key={one.path} one={one} />
              ))}
            </tbody>
          </table>
        )}
      </Ready>
      {enabling && <Enable forUser={enabling === "for user"} close={() => enable("")} />}
    </Card>
  );
}

/** Returns the URL of the dialog that creates a user in a login method. */
const newUser = (path: string, policies = ""): string =>
  address("access", `logins/${path}`, { policies, do: "create" });

function Row({ one }: { one: LoginMethod }): JSX.Element {
  const policies = useStore(route, ({ query }) => query.get("policies") ?? "");
  const to = address("access", one.type === "token" ? "tokens" : `logins/${one.path}`);
  return (
    <OpenRow to={to}>
      <td class="long full">
        <a href={to} class="mono">
          auth/{visible(one.path)}
        </a>
        <span class="sub">{visible(one.description)}</span>
      </td>
      <td>{visible(one.type)}</td>
      <td class="right">
        {one.type === "userpass" && (
          <ButtonLink tiny icon="plus" to={newUser(one.path, policies)}>
            New user
          </ButtonLink>
        )}
      </td>
    </OpenRow>
  );
}

function Enable({
  forUser,
  close,
}: {
  /** Whether the user of the page wants to create a user with a password next. */
  forUser: boolean;
  close: () => void;
}): JSX.Element {
  const [type, choose] = useState<LoginType>("userpass");
  const [typed, setPath] = useState("");
  const [description, describe] = useState("");
  const [wrong, setWrong] = useState("");
  const act = useAct();
  const path = typed.trim() === "" ? type : bareMount(typed).replace(/^auth\//, "");
  const submit = (): void => {
    const why = wrongMount(path);
    setWrong(why);
    if (why) return;
    act.run(async () => {
      const { warnings } = await enableMethod(path, type, description.trim());
      close();
      announceChange();
      notify("Method enabled", warnings);
      open(forUser && type === "userpass" ? newUser(path) : address("access", `logins/${path}`));
    });
  };
  return (
    <FormDialog
      title="Enable a login method"
      writes="all mounts"
      close={close}
      act={act}
      action="Enable"
      submit={submit}
    >
      {forUser && (
        <p>
          Users with passwords need a login method of type userpass. Create the user in the next
          step.
        </p>
      )}
      <Choice label="Type" value={type} change={choose} options={supportedTypes} />
      <Text
        label="Path"
        value={typed}
        placeholder={type}
        change={setPath}
        error={wrong}
        hint="Under auth/."
        mono
      />
      <Text label="Description" value={description} change={describe} />
    </FormDialog>
  );
}
