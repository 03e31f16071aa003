import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { policyNameForm } from "../../../src/base/policy-name.ts";
import { useAct } from "../../lib/use-action.ts";
import { Text } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { notify } from "../../ui/notify.tsx";
import { place } from "../../lib/place.ts";
import { announceChange } from "../../lib/changes.ts";
import { policyNames, savePolicy } from "./policy-calls.ts";
import { ConfirmFullAccess, unconfirmed } from "./full-access.tsx";
import { grantsFullAccess, newPolicyText } from "./policy-text.ts";
import { address, open } from "../../lib/route.ts";
import { PolicyText, selectFault } from "./policy-field.tsx";

const wrongIn = (name: string): string =>
  name.trim() === ""
    ? "Enter a name"
    : /^[\p{L}\p{M}\p{N}_.:@+~-]+(?:[ /][\p{L}\p{M}\p{N}_.:@+~-]+)*$/u.test(name.trim())
      ? ""
      : "Use letters, digits, _ . : @ + ~ - / and single spaces between words";

/** The dialog that creates a policy. `name` is the suggested name. */
export function NewPolicy({
  name: suggestion = "",
  close,
}: {
  name?: string;
  close: () => void;
}): JSX.Element {
  const [name, setName] = useState(suggestion);
  const [text, setText] = useState(() => newPolicyText(place.get().mount));
  const [wrong, setWrong] = useState("");
  const [confirmed, confirm] = useState(false);
  const [tried, setTried] = useState(false);
  const act = useAct();
  const isFull = grantsFullAccess(text);
  const submit = (): void => {
    setTried(true);
    const why = wrongIn(name);
    setWrong(why);
    const form = policyNameForm(name);
    act.run(async () => {
      if (why || (isFull && !confirmed)) return;
      // A write would silently replace an existing policy.
      const names = await policyNames().catch((): readonly string[] => []);
      if (names.includes(form)) return setWrong(`${form}: a policy with this name already exists`);
      const { warnings } = await savePolicy(form, text).catch((reason: unknown) => {
        selectFault(reason, text);
        throw reason;
      });
      close();
      announceChange();
      notify("Policy created", warnings);
      open(address("access", `policies/${form}`));
    });
  };
  return (
    <FormDialog
      title="New policy"
      writes="all mounts"
      close={close}
      act={act}
      action="Create policy"
      submit={submit}
      isErrorShown
    >
      <Text label="Name" value={name} change={setName} error={wrong} mono />
      <PolicyText text={text} change={setText} error={act.error} />
      {isFull && (
        <ConfirmFullAccess
          what="This policy"
          confirmed={confirmed}
          change={confirm}
          error={tried && !confirmed ? unconfirmed : undefined}
        />
      )}
    </FormDialog>
  );
}
