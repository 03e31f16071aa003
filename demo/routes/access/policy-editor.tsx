import type { JSX } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import {
  deletePolicy as removal,
  listMethods,
  listPolicies,
  writePolicy,
} from "../../api/endpoints/sys.ts";
import { missingPermission } from "../../api/permissions.ts";
import { unknownCall } from "../../api/transport.ts";
import { useAct } from "../../lib/use-action.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Confirm, Delete } from "../../ui/form.tsx";
import { Badge } from "../../ui/icon.tsx";
import { Back, Card, Empty, Note, Ready } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { notify } from "../../ui/notify.tsx";
import { announceChange, changes } from "../../lib/changes.ts";
import { place } from "../../lib/place.ts";
import { NewPolicy } from "./new-policy.tsx";
import { deletePolicy, mountPaths, policy, savePolicy } from "./policy-calls.ts";
import { ConfirmFullAccess, unconfirmed } from "./full-access.tsx";
import { fixedPolicy, grantsFullAccess, policyKind, readyMount } from "./policy-text.ts";
import { address, redirect } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { visible } from "../../lib/visible-text.ts";
import { useLeaving } from "../../ui/leave-unsaved.tsx";
import { PolicyText, selectFault } from "./policy-field.tsx";

/** The view and editor of a policy. */
export function OpenPolicy({ name }: { name: string }): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const fixed = fixedPolicy(name);
  const result = useLoad(async () => (fixed ? "" : policy(name)), [turn]);
  const mounts = useLoad(mountPaths, []).value ?? [place.get().mount];
  const kind = policyKind(name, mounts);
  return (
    <>
      {missingPermission(listPolicies) === "" && (
        <Back to={address("access", "policies")}>Policies</Back>
      )}
      <Card
        title={`Policy ${visible(name)}`}
        end={kind && <Badge tone="accent">{kind === "ready" ? "Ready-made" : "Built in"}</Badge>}
      >
        <div class="pad stack close">
          {kind === "ready" && (
            <Note>
              Created with the mount {visible(readyMount(name, mounts) ?? "")}. You can change it;
              upgrades keep your changes.
            </Note>
          )}
          {fixed ? (
            <p>{fixed}</p>
          ) : result.error && unknownCall(result.error) ? (
            <Missing name={name} />
          ) : (
            <Ready from={result}>{(text) => <Editor name={name} stored={text} />}</Ready>
          )}
        </div>
      </Card>
    </>
  );
}

/** The placeholder for a policy that does not exist, with the button that creates it. */
function Missing({ name }: { name: string }): JSX.Element {
  const [making, make] = useState(false);
  return (
    <>
      <Empty text="There is no policy with this name. Tokens that have it get no permissions from it.">
        <Button
          kind="primary"
          icon="plus"
          lacks={missingPermission(writePolicy, { name })}
          press={() => make(true)}
        >
          Create this policy
        </Button>
      </Empty>
      {making && <NewPolicy name={name} close={() => make(false)} />}
    </>
  );
}

/**
 * Returns the edited text. If somebody else saves the policy, the new text replaces it only if no
 * edit would be lost.
 */
function useText(stored: string) {
  // The stored text on which the edit is based, and the latest known stored text.
  const [base, setBase] = useState(stored);
  const [newest, setNewest] = useState(stored);
  const [text, type] = useState(stored);
  /** Sets the stored text, and also puts it into the field if `shown`. */
  const setStored = (now: string, shown = true): void => {
    setBase(now);
    setNewest(now);
    if (shown) type(now);
  };
  // set the text before the user can type into the rendered field
  useLayoutEffect(() => {
    if (text === base || text === stored) setStored(stored);
    else setNewest(stored);
  }, [stored]);
  return { text, type, held: base, newest, find: setNewest, adopt: setStored };
}

function Editor({ name, stored }: { name: string; stored: string }): JSX.Element {
  const { text, type, held, newest, find, adopt } = useText(stored);
  const [sent, send] = useState("");
  const [asking, setAsking] = useState(false);
  const [confirmed, confirm] = useState(false);
  const act = useAct();
  // Full access needs no confirmation if the stored policy already grants it.
  const isFull = grantsFullAccess(text) && !grantsFullAccess(held);
  const { free, asking: leaving } = useLeaving(text !== held, "policy");
  const save = async (): Promise<void> => {
    // A write replaces the whole text. If the stored text has since changed, the user must confirm
    // the overwrite.
    const now = await policy(name).catch(() => newest);
    if (now !== newest) return find(now);
    const { warnings } = await savePolicy(name, text).catch((reason: unknown) => {
      selectFault(reason, text);
      throw reason;
    });
    adopt(text, false);
    notify("Policy saved", warnings);
    announceChange();
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (text === held) return toast("No changes to save");
    send(text);
    if (!isFull || confirmed) act.run(save);
  };
  return (
    <form class="stack close" onSubmit={submit} noValidate>
      <PolicyText text={text} change={type} error={sent === text ? act.error : undefined} />
      {isFull && (
        <ConfirmFullAccess
          what="This policy"
          confirmed={confirmed}
          change={confirm}
          error={sent === text && !confirmed ? unconfirmed : undefined}
        />
      )}
      {newest !== held && <Stale adopt={() => adopt(newest)} />}
      <div class="actions">
        <Button
          kind="primary"
          submit
          lacks={missingPermission(writePolicy, { name })}
          busy={act.busy}
        >
          Save policy
        </Button>
        <ButtonLink to={address("access", "tester", { policies: name })}>Test it</ButtonLink>
        <ButtonLink
          lacks={missingPermission(listMethods)}
          to={address("access", "logins", { policies: name })}
        >
          Assign it to a user
        </ButtonLink>
        {name !== "default" && (
          <Delete end lacks={missingPermission(removal, { name })} press={() => setAsking(true)} />
        )}
      </div>
      {asking && (
        <Drop name={name} close={() => setAsking(false)} onDeleted={() => (free.current = true)} />
      )}
      {leaving}
    </form>
  );
}

const Stale = ({ adopt }: { adopt: () => void }): JSX.Element => (
  <div role="alert">
    <Note tone="warn" icon="warn">
      <b>Changed elsewhere</b>
      <p class="small">Saving your version overwrites the other changes.</p>
      <p>
        <Button tiny press={adopt}>
          Show the new version
        </Button>
      </p>
    </Note>
  </div>
);

function Drop({
  name,
  close,
  onDeleted,
}: {
  name: string;
  close: () => void;
  onDeleted: () => void;
}): JSX.Element {
  const work = async (): Promise<void> => {
    const { warnings } = await deletePolicy(name);
    onDeleted();
    redirect(address("access", "policies"));
    announceChange();
    notify("Policy deleted", warnings);
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
        Tokens with the policy <code>{visible(name)}</code> lose its permissions. A new policy with
        the same name will apply to them.
      </p>
    </Confirm>
  );
}
