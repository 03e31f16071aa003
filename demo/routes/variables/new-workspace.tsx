import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import { Choice, Text } from "../../ui/field.tsx";
import { Confirm, FormDialog } from "../../ui/form.tsx";
import { toast } from "../../ui/toast.tsx";
import { address, open } from "../../lib/route.ts";
import { createWorkspace, deleteWorkspace, VarsRefusal, type Workspace } from "./calls.ts";

/** The dialog that creates a workspace and opens it. */
export function NewWorkspace({
  organizations,
  close,
}: {
  organizations: readonly string[];
  close: () => void;
}): JSX.Element {
  const [name, setName] = useState("");
  const [organization, setOrganization] = useState(organizations[0] ?? "");
  const act = useAct();
  const refused =
    act.error instanceof VarsRefusal
      ? act.error.faults.find(({ at }) => at === "attributes/name")
      : undefined;
  const make = (): void =>
    act.run(async () => {
      const created = await createWorkspace(organization, name);
      close();
      toast(`Workspace ${created.name} created`);
      open(address("variables", `${created.organization}/${created.name}`));
    });
  return (
    <FormDialog
      title="New workspace"
      close={close}
      writes={`organization ${organization}`}
      act={act}
      action="Create workspace"
      submit={make}
      isErrorShown={refused !== undefined}
    >
      {organizations.length > 1 && (
        <Choice
          label="Organization"
          value={organization}
          change={setOrganization}
          options={organizations.map((one) => [one, one] as const)}
        />
      )}
      <Text
        label="Name"
        value={name}
        change={setName}
        mono
        hint="Letters, digits, - and _"
        error={refused?.text}
      />
    </FormDialog>
  );
}

/** The dialog that deletes a workspace after the user has typed its name. */
export function DeleteWorkspace({
  one,
  count,
  close,
}: {
  one: Workspace;
  count: number;
  close: () => void;
}): JSX.Element {
  const remove = async (): Promise<void> => {
    await deleteWorkspace(one.id);
    close();
    toast(`Workspace ${one.name} deleted`);
    open(address("variables"));
  };
  return (
    <Confirm
      title="Delete this workspace?"
      close={close}
      writes={`organization ${one.organization}`}
      name={one.name}
      work={remove}
    >
      <p>
        {count === 0
          ? "This workspace has no variables."
          : count === 1
            ? "The variable in it will also be deleted."
            : `The ${count} variables in it will also be deleted.`}{" "}
        This cannot be undone.
      </p>
    </Confirm>
  );
}
