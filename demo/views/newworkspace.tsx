import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../act.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Choice, Text } from "../parts/field.tsx";
import { Failure } from "../parts/page.tsx";
import { toast } from "../parts/toast.tsx";
import { address, open } from "../route.ts";
import { createWorkspace, deleteWorkspace, VarsRefusal, type Workspace } from "../vars.ts";

/** Makes a workspace and opens it. */
export function NewWorkspace({ organizations, close }: { organizations: readonly string[]; close: () => void }): JSX.Element {
  const [name, setName] = useState("");
  const [organization, setOrganization] = useState(organizations[0] ?? "");
  const act = useAct();
  const refused = act.error instanceof VarsRefusal ? act.error.faults.find(({ at }) => at === "attributes/name") : undefined;
  const make = (event: Event): void => {
    event.preventDefault();
    act.run(async () => {
      const made = await createWorkspace(organization, name);
      close();
      toast(`Workspace ${made.name} made`);
      open(address("variables", `${made.organization}/${made.name}`));
    });
  };
  return (
    <Dialog title="New workspace" close={close} writes={`organization ${organization}`}>
      <form class="plain" onSubmit={make} noValidate>
        {organizations.length > 1 && (
          <Choice label="Organization" value={organization} change={setOrganization} options={organizations.map((one) => [one, one] as const)} />
        )}
        <Text label="Name" value={name} change={setName} mono hint="Letters, digits, - and _" error={refused?.text} />
        {act.error && !refused && <Failure error={act.error} />}
        <div class="actions">
          <Button press={close}>Cancel</Button>
          <Button kind="primary" submit busy={act.busy}>
            Make workspace
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Deletes a workspace after its name has been typed. */
export function DeleteWorkspace({ one, count, close }: { one: Workspace; count: number; close: () => void }): JSX.Element {
  const [typed, setTyped] = useState("");
  const act = useAct();
  const remove = (event: Event): void => {
    event.preventDefault();
    if (typed !== one.name) return;
    act.run(async () => {
      await deleteWorkspace(one.id);
      close();
      toast(`Workspace ${one.name} deleted`);
      open(address("variables"));
    });
  };
  return (
    <Dialog title="Delete this workspace?" close={close} writes={`organization ${one.organization}`}>
      <form class="plain" onSubmit={remove}>
        <p>
          {count === 0 ? "It has no variables." : count === 1 ? "Its variable goes with it." : `Its ${count} variables go with it.`} Nothing brings them back.
        </p>
        <Text
          label={
            <>
              Type <code>{one.name}</code> to confirm
            </>
          }
          value={typed}
          change={setTyped}
          mono
        />
        {act.error && <Failure error={act.error} />}
        <div class="actions">
          <button class="btn" type="button" autofocus onClick={close}>
            Keep it
          </button>
          <Button kind="danger" submit busy={act.busy} disabled={typed !== one.name}>
            Delete
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
