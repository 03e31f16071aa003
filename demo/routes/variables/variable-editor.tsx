import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { Check, Choice, Lines, Text } from "../../ui/field.tsx";
import { Confirm, FormDialog } from "../../ui/form.tsx";
import { Note } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import {
  createVariable,
  deleteVariable,
  updateVariable,
  variable,
  VarsRefusal,
  type Attributes,
  type Variable,
  type Workspace,
} from "./calls.ts";
import { visible } from "../../lib/visible-text.ts";
import { curl } from "../../ui/same-request.tsx";

type Values = { readonly [K in keyof Attributes]-?: NonNullable<Attributes[K]> };
const blank: Values = {
  key: "",
  value: "",
  category: "terraform",
  hcl: false,
  sensitive: false,
  description: "",
};

const valuesOf = ({ key, value, category, hcl, sensitive, description }: Variable): Values => ({
  key,
  value: value ?? "",
  category: category === "iac" ? "terraform" : category,
  hcl,
  sensitive,
  description: description ?? "",
});
/** Returns the changed attributes. An empty sensitive value means no change. */
const changesOf = (values: Values, from: Values): Partial<Attributes> =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) => value !== from[name as keyof Values]),
  );

interface Props {
  workspace: Workspace;
  /** The variable to edit. Absent for a new variable. */
  one?: Variable;
  close: () => void;
  /** Closes the dialog and reloads the list. */
  done: () => void;
  drop?: () => void;
}

/**
 * The dialog that creates or changes a variable. Sends only changed attributes; the API rejects
 * changes that a sensitive variable does not allow.
 */
export function VariableEditor({ workspace, one, close, done, drop }: Props): JSX.Element {
  const from = one ? valuesOf(one) : blank;
  const [values, setValues] = useState(from);
  const [stale, setStale] = useState(false);
  const act = useAct();
  const changes = one ? changesOf(values, from) : values;
  const submit = (): void => {
    if (one && Object.keys(changes).length === 0) return toast("No changes to save");
    act.run(async () => {
      if (one && (await variable(workspace.id, one.id)).version !== one.version)
        return setStale(true);
      await (one
        ? updateVariable(workspace.id, one.id, changes)
        : createVariable(workspace.id, values));
      toast(one ? `${visible(values.key)} saved` : `${visible(values.key)} created`);
      done();
    });
  };
  const faults = act.error instanceof VarsRefusal ? act.error.faults : [];
  return (
    <FormDialog
      title={one ? `Edit ${visible(one.key)}` : "New variable"}
      close={close}
      writes={`workspace ${visible(workspace.name)}`}
      act={act}
      action="Save variable"
      submit={submit}
      isErrorShown={faults.some(({ at }) => at.startsWith("attributes/"))}
      drop={drop}
    >
      <Fields
        stored={one}
        values={values}
        faults={faults}
        change={(changed) => setValues({ ...values, ...changed })}
      />
      <Request workspace={workspace} one={one} changes={changes} secret={values.sensitive} />
      {stale && (
        <Note tone="warn" icon="warn">
          <b>Changed by someone else</b>
          <p>
            <Button tiny press={done}>
              Show the new version
            </Button>
          </p>
        </Note>
      )}
    </FormDialog>
  );
}

interface FieldsProps {
  stored: Variable | undefined;
  values: Values;
  faults: VarsRefusal["faults"];
  change: (changed: Partial<Values>) => void;
}

function Fields({ stored, values, faults, change }: FieldsProps): JSX.Element {
  const locked = stored?.sensitive === true;
  const wrong = (name: keyof Values): string | undefined =>
    faults
      .filter(({ at }) => at === `attributes/${name}`)
      .map(({ text }) => text)
      .join(" ") || undefined;
  return (
    <>
      <Text
        label="Key"
        value={values.key}
        change={(key) => change({ key })}
        mono
        error={wrong("key")}
      />
      <Lines
        label="Value"
        value={values.value}
        change={(value) => change({ value })}
        rows={values.value.includes("\n") ? 6 : 2}
        placeholder={locked ? "write-only" : undefined}
        hint={
          locked
            ? "Write-only. Leave empty to keep the current value."
            : values.sensitive
              ? "The value is not shown again after you save it."
              : values.value.includes("\r") &&
                "Some lines end in CR LF. If you change the value here, they will end in LF."
        }
        error={wrong("value")}
      />
      <Choice
        label="Category"
        value={values.category}
        change={(category) => change({ category })}
        options={[
          ["terraform", "terraform: input variable of the configuration"],
          ["env", "env: environment variable of the run"],
        ]}
        error={wrong("category")}
      />
      <Check
        label="HCL"
        hint="The value is an expression in the configuration language. This has no effect on environment variables."
        checked={values.hcl}
        change={(hcl) => change({ hcl })}
        error={wrong("hcl")}
      />
      <Check
        label="Sensitive"
        hint={
          locked
            ? "Saved as sensitive, which cannot be undone. The key and HCL cannot be changed; the value, category and description can."
            : "The value becomes write-only. This cannot be undone."
        }
        checked={values.sensitive}
        change={(sensitive) => change({ sensitive })}
        error={wrong("sensitive")}
      />
      <Text
        label="Description"
        value={values.description}
        change={(description) => change({ description })}
        error={wrong("description")}
      />
    </>
  );
}

/** The API request for the contents of the form, without a sensitive value. */
function Request({
  workspace,
  one,
  changes,
  secret,
}: {
  workspace: Workspace;
  one?: Variable | undefined;
  changes: object;
  secret: boolean;
}): JSX.Element {
  const attributes = secret && "value" in changes ? { ...changes, value: "…" } : changes;
  const path = `/api/v2/workspaces/${workspace.id}/vars${one ? `/${one.id}` : ""}`;
  const headers = ["Authorization: Bearer $TOKEN", "Content-Type: application/vnd.api+json"];
  const text = curl(one ? "PATCH" : "POST", path, headers, { data: { type: "vars", attributes } });
  return (
    <details>
      <summary>As an API request</summary>
      <Code text={text} label="As a curl command" wrap />
    </details>
  );
}

/** The dialog that deletes a variable. */
export function DeleteVariable({
  workspace,
  one,
  close,
  done,
}: Omit<Props, "drop"> & { one: Variable }): JSX.Element {
  const remove = async (): Promise<void> => {
    await deleteVariable(workspace.id, one.id);
    toast(`${visible(one.key)} deleted`);
    done();
  };
  return (
    <Confirm
      title={`Delete ${visible(one.key)}?`}
      close={close}
      writes={`workspace ${visible(workspace.name)}`}
      work={remove}
    >
      <p>
        {one.sensitive
          ? "The value is write-only and cannot be restored."
          : "The value will also be deleted."}{" "}
        The next run of {visible(workspace.name)} will not have this variable.
      </p>
    </Confirm>
  );
}
