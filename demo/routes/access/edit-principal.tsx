import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import type { MethodFields } from "./login-fields.ts";
import type { LoginRecord } from "./login-calls.ts";
import type { LoginMethod } from "../../api/login-methods.ts";
import { LockNote, lockEndOf } from "./lock.tsx";
import { Text } from "../../ui/field.tsx";
import { ApiNamesButton } from "../../ui/api-names.tsx";
import { Confirm, FormDialog } from "../../ui/form.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Note, Ready } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { notify } from "../../ui/notify.tsx";
import { announceChange } from "../../lib/changes.ts";
import {
  blankSettings,
  changedSettings,
  includesRoot,
  namesIn,
  withoutEmpty,
  refusedSetting,
  settingsOf,
  wrongForms,
  type Setting,
  type Settings,
  type SettingField,
  type WrongSettings,
} from "../../lib/settings.ts";
import { route } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { visible } from "../../lib/visible-text.ts";
import { wrongName } from "../../lib/names.ts";
import { SettingFields, type Control } from "../../ui/setting-fields.tsx";
import { ConfirmFullAccess, unconfirmed } from "./full-access.tsx";
import { PasswordField } from "./password-field.tsx";
import { policyControl } from "./policy-choice.tsx";
import { tokenFields } from "./token-fields.ts";

interface Props {
  method: Pick<LoginMethod, "path" | "accessor">;
  of: MethodFields;
  /** Name of the principal; empty for a new principal. */
  name: string;
  close: () => void;
}

/**
 * The dialog that creates or edits a principal of a login method: a role, a user or a certificate.
 */
export function PrincipalDialog(props: Props): JSX.Element {
  const { method, of, name, close } = props;
  const result = useLoad(
    async (): Promise<LoginRecord> => (name === "" ? {} : of.principals.read(method.path, name)),
    [],
  );
  if (result.value) return <Form {...props} record={result.value} />;
  return (
    <Dialog title={`Change ${visible(name)}`} close={close}>
      <Ready from={result}>{() => null}</Ready>
      <div class="actions">
        <Button press={close}>Close</Button>
      </div>
    </Dialog>
  );
}

const policies = "token_policies";

/** Reports whether a field is a rarely used token setting. */
const isRare = ({ name }: SettingField<string>): boolean =>
  name !== policies && tokenFields.some((field) => field.name === name);

/** Returns a field with the hint for a new principal. */
const asNew = (field: SettingField<string>): SettingField<string> =>
  field.newHint === undefined ? field : { ...field, hint: field.newHint };

function Form({ method, of, name, close, record }: Props & { record: LoginRecord }): JSX.Element {
  const { path, accessor } = method;
  const [lockEnd, setLockEnd] = useState(() => lockEndOf(record));
  const isNew = name === "";
  const stored = isNew ? blankSettings(of.fields) : settingsOf(record, of.fields);
  const [typed, type] = useState<Settings>(() => {
    const given = isNew ? route.get().query.get("policies") : undefined;
    return given ? { ...stored, [policies]: given } : stored;
  });
  const [called, call] = useState("");
  const [wrong, setWrong] = useState<WrongSettings>({});
  const [asking, setAsking] = useState(false);
  const act = useAct();
  const [confirmed, confirm] = useState(false);
  const refused = act.error ? refusedSetting(act.error.message, of.fields) : "";
  const isNewlyRoot =
    includesRoot(String(typed[policies] ?? "")) && !includesRoot(String(stored[policies] ?? ""));
  const submit = (): void => {
    const sent = isNew
      ? { ...of.fixed, ...changedSettings({}, withoutEmpty(typed), of.fields) }
      : changedSettings(stored, typed, of.fields);
    const bad = isNew ? wrongName(called.trim()) || (called.trim() ? "" : "Enter a name") : "";
    const why = {
      ...wrongForms(of.fields, isNew ? withoutEmpty(typed) : typed),
      ...(bad && { "": bad }),
      ...(isNewlyRoot && !confirmed && { root: unconfirmed }),
    };
    setWrong(why);
    if (Object.keys(why).length > 0) return;
    if (Object.keys(sent).length === 0) return toast("No changes to save");
    act.run(async () => {
      const newName = isNew ? called.trim() : name;
      // A write would silently replace an existing principal.
      const names = isNew ? await of.principals.names(path).catch((): readonly string[] => []) : [];
      if (names.includes(newName.toLowerCase()))
        return setWrong({ "": `${newName.toLowerCase()}: this name is already in use` });
      const { warnings } = await of.principals.write(path, newName, sent);
      close();
      announceChange();
      notify(isNew ? created(newName, path, of) : "Saved", warnings);
    });
  };
  const shared = {
    values: typed,
    wrong: { ...wrong, ...(refused && act.error && { [refused]: act.error.message }) },
    change: (field: string, value: Setting): void => type({ ...typed, [field]: value }),
    custom: (field: SettingField<string>, control: Control) =>
      field.name === "password" ? (
        <PasswordField field={field} {...control} />
      ) : (
        policyControl(field, control)
      ),
  };
  const fields = isNew ? of.fields.map(asNew) : of.fields;
  if (asking) return <Drop method={method} of={of} name={name} close={close} />;
  return (
    <FormDialog
      title={isNew ? `New ${of.one}` : `Change ${visible(name)}`}
      writes={`login method auth/${visible(path)}`}
      close={close}
      act={act}
      action="Save"
      submit={submit}
      isErrorShown={refused !== ""}
      more={<ApiNamesButton />}
      drop={isNew ? undefined : () => setAsking(true)}
    >
      {lockEnd && (
        <LockNote
          end={lockEnd}
          accessor={accessor}
          name={name}
          done={() => setLockEnd(undefined)}
        />
      )}
      {isNew && <Text label="Name" value={called} change={call} error={wrong[""]} mono />}
      <SettingFields fields={fields.filter((field) => !isRare(field))} {...shared} />
      {namesIn(String(typed[policies] ?? "")).length === 0 && (
        <Note tone="warn" icon="warn">
          No policies are chosen: this {of.one} can sign in, but has only the permissions of the
          policy <code>default</code> and of its groups.
        </Note>
      )}
      <details>
        <summary>Token lifetime and use</summary>
        <div class="stack close">
          <SettingFields fields={fields.filter(isRare)} {...shared} />
        </div>
      </details>
      {isNewlyRoot && (
        <ConfirmFullAccess
          what={`This ${of.one}`}
          confirmed={confirmed}
          change={confirm}
          error={wrong["root"]}
        />
      )}
    </FormDialog>
  );
}

/**
 * Returns the confirmation for a new principal, with sign-in instructions if people sign in as the
 * principal.
 */
const created = (name: string, path: string, { signsIn }: MethodFields): string =>
  signsIn === undefined
    ? "Saved"
    : `Saved. ${visible(name)} ${signsIn}${path === "userpass" ? "" : ` at auth/${visible(path)}`}`;

function Drop({ method: { path }, of, name, close }: Props): JSX.Element {
  const work = async (): Promise<void> => {
    const { warnings } = await of.principals.remove(path, name);
    close();
    announceChange();
    notify("Deleted", warnings);
  };
  return (
    <Confirm
      title={`Delete this ${of.one}?`}
      writes={`login method auth/${visible(path)}`}
      close={close}
      work={work}
    >
      <p>
        Nobody can log in as <code>{visible(name)}</code> any more. Tokens it created stay valid
        until they expire.
      </p>
    </Confirm>
  );
}
