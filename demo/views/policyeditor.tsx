import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../act.ts";
import { Button, ButtonLink } from "../parts/button.tsx";
import { Confirm, Delete } from "../parts/form.tsx";
import { Badge } from "../parts/icon.tsx";
import { Back, Card, Note, Ready } from "../parts/page.tsx";
import { toast } from "../parts/toast.tsx";
import { told } from "../parts/told.tsx";
import { changed, changes } from "../pki.ts";
import { place } from "../place.ts";
import { deletePolicy, policy, savePolicy } from "../policies.ts";
import { fixedPolicy, policyKind } from "../policytext.ts";
import { address, redirect } from "../route.ts";
import { useLoad, useStore } from "../store.ts";
import { visible } from "../words.ts";
import { PolicyText, selectFault } from "./policytext.tsx";

/** One policy, to be read and changed. */
export function OpenPolicy({ name }: { name: string }): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const fixed = fixedPolicy(name);
  const found = useLoad(async () => (fixed ? "" : policy(name)), [turn]);
  const kind = policyKind(name, place.get().mount);
  return (
    <>
      <Back to={address("access", "policies")}>Policies</Back>
      <Card title={`Policy ${visible(name)}`} end={kind && <Badge tone="accent">{kind}</Badge>}>
        <div class="pad stack close">
          {kind === "ready" && (
            <Note>It came with the mount. It can be changed, and stays as it is then.</Note>
          )}
          {fixed ? (
            <p>{fixed}</p>
          ) : (
            <Ready from={found}>{(text) => <Editor key={text} name={name} held={text} />}</Ready>
          )}
        </div>
      </Card>
    </>
  );
}

function Editor({ name, held }: { name: string; held: string }): JSX.Element {
  const [text, type] = useState(held);
  const [sent, send] = useState("");
  const [asking, ask] = useState(false);
  const act = useAct();
  const submit = (event: Event): void => {
    event.preventDefault();
    if (text === held) return toast("Nothing was changed");
    send(text);
    act.run(async () => {
      const { warnings } = await savePolicy(name, text).catch((reason: unknown) => {
        selectFault(reason, text);
        throw reason;
      });
      told("Policy saved", warnings);
      changed();
    });
  };
  return (
    <form class="stack close" onSubmit={submit} noValidate>
      <PolicyText text={text} change={type} error={sent === text ? act.error : undefined} />
      <div class="actions">
        {name !== "default" && <Delete press={() => ask(true)} />}
        <ButtonLink to={address("access", "tester", { policies: name })}>Test it</ButtonLink>
        <Button kind="primary" submit busy={act.busy}>
          Save policy
        </Button>
      </div>
      {asking && <Drop name={name} close={() => ask(false)} />}
    </form>
  );
}

function Drop({ name, close }: { name: string; close: () => void }): JSX.Element {
  const work = async (): Promise<void> => {
    const { warnings } = await deletePolicy(name);
    redirect(address("access", "policies"));
    changed();
    told("Policy deleted", warnings);
  };
  return (
    <Confirm
      title="Delete this policy?"
      writes="all mounts"
      close={close}
      name={name}
      action="Delete policy"
      work={work}
    >
      <p>
        Tokens that have <code>{visible(name)}</code> keep its name and may no longer do what it
        allowed. A policy that is made with this name gives it back to them.
      </p>
    </Confirm>
  );
}
