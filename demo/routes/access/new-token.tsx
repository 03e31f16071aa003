import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import type { AuthReply } from "../../../src/client/auth.ts";
import { DurationField } from "../../ui/duration-field.tsx";
import { Check, Text } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { ShownOnce } from "../../ui/reveal-once.tsx";
import { Facts } from "../../ui/page.tsx";
import { announceChange } from "../../lib/changes.ts";
import { PolicyChoice } from "./policy-choice.tsx";
import { ConfirmFullAccess } from "./full-access.tsx";
import { blankToken, createToken, isRoot, wrongToken, type NewToken } from "./token-calls.ts";
import { lasting } from "../../lib/time-text.ts";
import { visible } from "../../lib/visible-text.ts";

interface FieldsProps {
  of: NewToken;
  wrong: Readonly<Partial<Record<keyof NewToken, string>>>;
  change: (change: Partial<NewToken>) => void;
}

/** The dialog that creates a token. */
export function NewTokenForm({
  close,
  onCreated,
}: {
  close: () => void;
  onCreated: (auth: AuthReply, warnings: readonly string[]) => void;
}): JSX.Element {
  const [of, set] = useState(blankToken);
  const [wrong, setWrong] = useState<FieldsProps["wrong"]>({});
  const act = useAct();
  const change = (changed: Partial<NewToken>): void => set({ ...of, ...changed });
  const submit = (): void => {
    const why = wrongToken(of);
    setWrong(why);
    if (Object.keys(why).length > 0) return;
    act.run(async () => {
      const { data: auth, warnings } = await createToken(of);
      announceChange();
      onCreated(auth, warnings);
    });
  };
  return (
    <FormDialog
      title="New token"
      writes="all mounts"
      close={close}
      act={act}
      action="Create token"
      submit={submit}
      look="If the token was created, it is in the list of tokens. Revoke it there, because its value cannot be shown again."
    >
      <Fields of={of} wrong={wrong} change={change} />
      <details>
        <summary>More</summary>
        <MoreFields of={of} wrong={wrong} change={change} />
      </details>
    </FormDialog>
  );
}

/** The field for the policies of the token. The user must confirm the `root` policy. */
function PolicyFields({ of, wrong, change }: FieldsProps): JSX.Element {
  return (
    <>
      <PolicyChoice
        value={of.policies}
        change={(policies) => change({ policies })}
        error={wrong.policies}
      />
      {isRoot(of) && (
        <ConfirmFullAccess
          what="This token"
          confirmed={of.confirmed}
          change={(confirmed) => change({ confirmed })}
          error={wrong.confirmed}
        />
      )}
    </>
  );
}

function Fields({ of, wrong, change }: FieldsProps): JSX.Element {
  return (
    <>
      <Text
        label="Name"
        value={of.display_name}
        change={(display_name) => change({ display_name })}
        hint="Shown in lists and in the activity log."
      />
      <PolicyFields of={of} wrong={wrong} change={change} />
      <div class="pair">
        <DurationField
          label="Lifetime"
          value={of.ttl}
          change={(ttl) => change({ ttl })}
          error={wrong.ttl}
          hint="If empty, the token gets the maximum lifetime that the system allows."
        />
        <Text
          label="Uses"
          short
          value={of.num_uses}
          change={(num_uses) => change({ num_uses })}
          error={wrong.num_uses}
          hint="Maximum number of requests. Empty means unlimited."
        />
      </div>
    </>
  );
}

function MoreFields({ of, wrong, change }: FieldsProps): JSX.Element {
  return (
    <>
      <div class="pair">
        <DurationField
          label="Maximum lifetime"
          value={of.explicit_max_ttl}
          change={(explicit_max_ttl) => change({ explicit_max_ttl })}
          error={wrong.explicit_max_ttl}
          hint="Renewals cannot exceed this lifetime."
        />
        <DurationField
          label="Period"
          value={of.period}
          change={(period) => change({ period })}
          error={wrong.period}
          hint="Each renewal sets the remaining lifetime to this period, with no limit unless you set one."
        />
      </div>
      <div class="flags">
        <Check
          label="Can be renewed"
          checked={of.renewable}
          change={(renewable) => change({ renewable })}
        />
        <Check
          label="Orphan"
          hint="Stays valid after your token has expired."
          checked={of.orphan}
          change={(orphan) => change({ orphan })}
        />
        <Check
          label="Without the “default” policy"
          checked={of.noDefault}
          change={(noDefault) => change({ noDefault })}
        />
        <Check
          label="Batch"
          hint="Not stored: fast, but cannot be renewed or revoked."
          checked={of.batch}
          change={(batch) => change({ batch })}
        />
      </div>
    </>
  );
}

/** The dialog that shows the new token once. */
export function NewTokenSecret({
  auth,
  warnings,
  close,
}: {
  auth: AuthReply;
  warnings: readonly string[];
  close: () => void;
}): JSX.Element {
  return (
    <ShownOnce
      title="Token created"
      writes="all mounts"
      what="token"
      about={
        auth.accessor
          ? "The accessor stays in the list until the token expires."
          : "This token is not in the list, because batch tokens are not stored."
      }
      warnings={warnings}
      secrets={[["Token", auth.client_token]]}
      close={close}
    >
      <Facts
        rows={[
          ["Policies", auth.policies.map(visible).join(", ") || "None"],
          ["Lifetime", auth.lease_duration > 0 ? lasting(auth.lease_duration) : "Never expires"],
          auth.num_uses > 0 && ["Uses", String(auth.num_uses)],
          auth.accessor !== "" && ["Accessor", visible(auth.accessor), true],
        ]}
      />
    </ShownOnce>
  );
}
