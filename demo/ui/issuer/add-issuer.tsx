import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import type { Authority } from "../../api/issuer.ts";
import {
  elsewhere,
  itself,
  planOf,
  signatureOf,
  subjectOf,
  templatesFor,
  validityOf,
  wrongPlan,
  type Plan,
} from "../../api/issuer-plan.ts";
import { fieldsOfKind } from "../../lib/key-types.ts";
import { Check, Text } from "../field.tsx";
import { ApiNamesButton } from "../api-names.tsx";
import { FormDialog } from "../form.tsx";
import { notify } from "../notify.tsx";
import {
  makeDefault,
  makeIntermediate,
  makeRoot,
  requestAuthority,
  type CreatedCa,
  type NewAuthority,
} from "../../api/new-issuer.ts";
import { announceChange } from "../../lib/changes.ts";
import { freeName, wrongName } from "../../lib/names.ts";
import { address, open } from "../../lib/route.ts";
import { SteadyHeight } from "../steady-height.tsx";
import { SetAddresses } from "../url-settings.tsx";
import { MissingUrls } from "./missing-urls.tsx";
import { NewCsr, PlanFields, SignedBy, Templates } from "./plan-fields.tsx";
import {
  ConstraintFields,
  constraintsFrom,
  wrongConstraints,
  type ConstraintInput,
} from "./constraints.tsx";

/** Returns the issuer names that are in use, and the reserved name `default`. */
export const namesInUse = (all: readonly Authority[]): readonly string[] => [
  "default",
  ...all.map(({ record }) => record.issuer_name),
];
/** Returns an unused API name derived from a common name. */
export const shortName = (name: string, names: readonly string[]): string =>
  freeName(
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, ""),
    names,
  );
/** Returns why an API name is invalid or in use, or an empty string. */
export const wrongShort = (name: string, names: readonly string[]): string =>
  wrongName(name) || (name && names.includes(name) ? `${name} already exists` : "");

/**
 * Creates a CA, closes the dialog, and reports the result. Views are reloaded even after an error.
 */
export async function making(
  title: string,
  close: () => void,
  work: () => Promise<CreatedCa>,
): Promise<CreatedCa> {
  try {
    const created = await work();
    close();
    notify(title, [
      ...(created.unnamed ? [`The CA was created without a name: ${created.unnamed}`] : []),
      ...(created.passedOver
        ? [`The CA could not be made the default issuer: ${created.passedOver}`]
        : []),
    ]);
    return created;
  } finally {
    announceChange();
  }
}

/** Creates a root, or a CA signed by an existing CA. */
async function create(plan: Plan, input: NewAuthority, makesDefault: boolean): Promise<CreatedCa> {
  const validity = validityOf(plan, new Date());
  const fields = { ...input, ...validity, max_path_length: Number(plan.below) };
  if (plan.signer === itself) return makeRoot({ ...fields, ...signatureOf(plan) });
  const created = await makeIntermediate(plan.signer, fields);
  return makesDefault ? makeDefault(created) : created;
}

/** The dialog that creates a root, a CA signed by an existing CA, or a CSR for an external CA. */
export function AddAuthority({
  all,
  signer,
  close,
}: {
  all: readonly Authority[];
  /**
   * ID of the initially selected issuer, if the dialog opens in the view of that CA. The view of
   * the new CA then replaces that view. The default is the first CA that may sign CAs.
   */
  signer?: string;
  close: () => void;
}): JSX.Element {
  const templates = templatesFor(all, signer);
  const [plan, setPlan] = useState(() => planOf(templates[0]));
  const [name, setName] = useState("");
  const [typed, setShort] = useState<string>();
  const [limits, setLimits] = useState<ConstraintInput>({});
  const [chosen, setInstead] = useState<boolean>();
  const [editingUrls, editUrls] = useState(false);
  const [tried, setTried] = useState(false);
  const [csr, setCsr] = useState("");
  const act = useAct();
  const usedNames = namesInUse(all);
  const short = (typed ?? shortName(name, usedNames)).trim();
  const wrong = { ...wrongPlan(plan, new Date()), ...wrongConstraints(limits) };
  const shortError = wrongShort(short, usedNames);
  const foreign = plan.signer === elsewhere;
  const standard = all.find((one) => one.isDefault && one.view.selfIssued);
  // By default, do not make a CA that can sign other CAs the default issuer.
  const instead = chosen ?? plan.below === "0";
  // Offer to make an intermediate the default issuer while a root is the default.
  const offered = plan.signer !== itself && !foreign && standard !== undefined;
  const make = (): void => {
    setTried(true);
    if (name.trim() === "" || shortError || Object.keys(wrong).length > 0) return;
    const fields = {
      common_name: name.trim(),
      ...fieldsOfKind(plan.key),
      ...subjectOf(plan),
      ...(short ? { issuer_name: short } : {}),
    };
    act.run(async () => {
      if (foreign) return setCsr(await requestAuthority(fields));
      const { id } = await making(`${name.trim()} created`, close, () =>
        create(plan, { ...fields, constraints: constraintsFrom(limits) }, offered && instead),
      );
      if (signer) open(address("authorities", id));
    });
  };
  if (csr) return <NewCsr name={name.trim()} csr={csr} close={close} />;
  const form = (
    <FormDialog
      title="Add authority"
      close={close}
      act={act}
      action={foreign ? "Create CSR" : "Create authority"}
      submit={make}
      more={<ApiNamesButton />}
    >
      <SteadyHeight of={plan.signer}>
        <Templates of={templates} plan={plan} change={setPlan} />
        {!foreign && <MissingUrls set={() => editUrls(true)} />}
        <SignedBy all={all} plan={plan} change={setPlan} />
        <div class="pair">
          <Text
            label="Common name"
            value={name}
            change={setName}
            error={tried && name.trim() === "" ? "Enter a name" : undefined}
          />
          <Text
            label="Name in the API"
            value={typed ?? short}
            change={setShort}
            mono
            hint={foreign ? "The name of the new key." : "Roles and requests can use this name."}
            error={(tried && shortError) || undefined}
          />
        </div>
        <PlanFields plan={plan} change={setPlan} errors={tried ? wrong : {}} />
        {offered && <DefaultChoice now={standard.name} checked={instead} change={setInstead} />}
        {!foreign && (
          <ConstraintFields typed={limits} change={setLimits} errors={tried ? wrong : {}} />
        )}
      </SteadyHeight>
    </FormDialog>
  );
  return (
    <>
      {form}
      {editingUrls && <SetAddresses close={() => editUrls(false)} />}
    </>
  );
}

/** The checkbox that makes the new CA the default issuer in place of a root. */
const DefaultChoice = ({
  now,
  checked,
  change,
}: {
  now: string;
  checked: boolean;
  change: (checked: boolean) => void;
}): JSX.Element => (
  <Check
    label="Make the new CA the default issuer"
    hint={`The current default is ${now}, a root. It signs unless a role names another issuer.`}
    checked={checked}
    change={change}
  />
);
