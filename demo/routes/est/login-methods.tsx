import { Fragment, type JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import {
  choicesOf,
  estKinds,
  saveAuthenticators,
  type Authenticators,
  type EstConfig,
} from "./calls.ts";
import { loginMethods, type LoginMethod } from "../../api/login-methods.ts";
import { Button } from "../../ui/button.tsx";
import { Choice, Text } from "../../ui/field.tsx";
import { Card, Failure, Note, Ready } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { notify } from "../../ui/notify.tsx";
import { announceChange, changes } from "../../lib/changes.ts";
import { address } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { visible } from "../../lib/visible-text.ts";

const labels = {
  userpass: "By user name and password",
  approle: "By role ID and secret ID",
  cert: "By TLS client certificate",
} as const;

type Chosen = Readonly<Record<(typeof estKinds)[number] | "cert_role", string>>;

const chosenOf = ({ userpass, approle, cert }: Authenticators): Chosen => ({
  userpass: userpass?.accessor ?? "",
  approle: approle?.accessor ?? "",
  cert: cert?.accessor ?? "",
  cert_role: cert?.cert_role ?? "",
});
const sentAs = ({ cert_role, ...kinds }: Chosen): Authenticators =>
  Object.fromEntries(
    estKinds
      .filter((kind) => kinds[kind] !== "")
      .map((kind) => [
        kind,
        {
          accessor: kinds[kind],
          ...(kind === "cert" && cert_role.trim() && { cert_role: cert_role.trim() }),
        },
      ]),
  );

/** The form with the login methods for EST clients. */
export function EstLogins({ config }: { config: EstConfig }): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(loginMethods, [turn]);
  return (
    <Card title="Enrollment">
      <div class="pad">
        <Ready from={result}>{(methods) => <Form config={config} methods={methods} />}</Ready>
      </div>
    </Card>
  );
}

function Form({
  config: { authenticators },
  methods,
}: {
  config: EstConfig;
  methods: readonly LoginMethod[];
}): JSX.Element {
  const stored = chosenOf(authenticators);
  const [chosen, choose] = useState(stored);
  const act = useAct();
  const text = JSON.stringify(stored);
  const shown = useRef(text);
  useEffect(() => {
    if (shown.current !== text) choose(stored);
    shown.current = text;
  }, [text]);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (JSON.stringify(stored) === JSON.stringify(chosen)) return toast("No changes to save");
    act.run(async () => {
      const { warnings } = await saveAuthenticators(sentAs(chosen));
      announceChange();
      notify("Saved", warnings);
    });
  };
  const fitting = methods.filter(({ type }) => estKinds.some((kind) => kind === type));
  return (
    <form class="stack close" onSubmit={submit} noValidate>
      {fitting.length === 0 && (
        <Note>
          No suitable login method. <a href={address("access", "logins")}>Enable one</a> for user
          names and passwords, AppRole or client certificates.
        </Note>
      )}
      <div class="pair">
        {estKinds.map((kind) => (
          <Choice
            key={kind}
            label={labels[kind]}
            value={chosen[kind]}
            change={(accessor) => choose({ ...chosen, [kind]: accessor })}
            options={withCurrent(choicesOf(kind, methods), chosen[kind])}
          />
        ))}
        {chosen.cert !== "" && (
          <Text
            label="Trusted certificate"
            value={chosen.cert_role}
            change={(cert_role) => choose({ ...chosen, cert_role })}
            hint="The certificate’s name in the login method. If empty, the first trusted certificate that matches is used."
            mono
          />
        )}
      </div>
      <p class="small muted">
        Saving also allows the mount to use these methods. The methods must issue batch tokens
        {fitting.length > 0 && (
          <>
            ; set this on{" "}
            {fitting.map(({ path }, i) => (
              <Fragment key={path}>
                {i > 0 && ", "}
                <a href={address("access", `logins/${path}`)}>auth/{visible(path)}</a>
              </Fragment>
            ))}
          </>
        )}
        . Clients need a policy that grants create and update on the path.
      </p>
      {act.error && <Failure error={act.error} />}
      <div class="actions">
        <Button submit busy={act.busy}>
          Save enrollment
        </Button>
      </div>
    </form>
  );
}

/**
 * Returns the options, with the current method added if it no longer exists, so that it stays
 * visible until the user chooses another.
 */
const withCurrent = (
  options: readonly (readonly [string, string])[],
  stored: string,
): readonly (readonly [string, string])[] =>
  options.some(([accessor]) => accessor === stored)
    ? options
    : [...options, [stored, `${visible(stored)}: no login method`]];
