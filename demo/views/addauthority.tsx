import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../act.ts";
import type { Authority } from "../authority.ts";
import { maySignAuthorities } from "../crosssign.ts";
import { fieldsOfKind } from "../keys.ts";
import { Check, Choice, Text } from "../parts/field.tsx";
import { FormDialog } from "../parts/form.tsx";
import { told } from "../parts/told.tsx";
import { madeDefault, makeIntermediate, makeRoot, type Made } from "../newauthority.ts";
import * as pki from "../pki.ts";
import { freeName, wrongName } from "../words.ts";
import { KeyChoice } from "./keychoice.tsx";
import { ConstraintFields, constraintsFrom, wrongConstraints, type Typed } from "./constraints.tsx";

/** Lifetimes of authorities. */
export const lives = [
  ["8760h", "1 year"],
  ["26280h", "3 years"],
  ["43800h", "5 years"],
  ["87600h", "10 years"],
] as const;

/**
 * The names in the API that are taken, the one that stands for whichever is the default among them.
 */
export const takenNames = (all: readonly Authority[]): readonly string[] => [
  "default",
  ...all.map(({ record }) => record.issuer_name),
];
/** A name for the API that is not taken, made of a common name. */
export const shortName = (name: string, taken: readonly string[]): string =>
  freeName(
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, ""),
    taken,
  );
/** What is wrong with a name in the API. */
export const wrongShort = (name: string, taken: readonly string[]): string =>
  wrongName(name) || (name && taken.includes(name) ? `${name} exists already` : "");

/**
 * Does what makes an authority, closes its dialog and says what came of it; the tree is read again
 * in any case.
 */
export async function making(
  title: string,
  close: () => void,
  work: () => Promise<Made>,
): Promise<Made> {
  try {
    const made = await work();
    close();
    told(title, [
      ...(made.unnamed ? [`It has no name in the API: ${made.unnamed}`] : []),
      ...(made.passedOver ? [`It is not the default issuer: ${made.passedOver}`] : []),
    ]);
    return made;
  } finally {
    pki.changed();
  }
}

/** Makes a root, or an authority signed by one that is here. */
export function AddAuthority({
  all,
  close,
}: {
  all: readonly Authority[];
  close: () => void;
}): JSX.Element {
  const signers = all.filter(maySignAuthorities);
  const taken = takenNames(all);
  const [parent, setParent] = useState(signers[0]?.record.issuer_id ?? "");
  const [name, setName] = useState("");
  const [key, setKey] = useState("ec 256");
  const [ttl, setTtl] = useState(parent ? "43800h" : "87600h");
  const [limits, setLimits] = useState<Typed>({});
  const [typed, setShort] = useState<string>();
  const short = (typed ?? shortName(name, taken)).trim();
  const shortError = wrongShort(short, taken);
  const standard = all.find((one) => one.isDefault && one.view.selfIssued);
  const [instead, setInstead] = useState(true);
  // A root that signs leaves by default is what an authority below it is made to end.
  const offered = parent !== "" && standard !== undefined;
  const act = useAct();
  const [tried, setTried] = useState(false);
  const make = (): void => {
    setTried(true);
    if (name.trim() === "" || shortError || Object.keys(wrongConstraints(limits)).length > 0)
      return;
    act.run(async () => {
      const named = short ? { issuer_name: short } : {};
      const wanted = {
        common_name: name.trim(),
        ...fieldsOfKind(key),
        ttl,
        ...named,
        constraints: constraintsFrom(limits),
      };
      await making(`${name.trim()} made`, close, async () => {
        if (!parent) return makeRoot(wanted);
        const made = await makeIntermediate(parent, wanted);
        return offered && instead ? madeDefault(made) : made;
      });
    });
  };
  return (
    <FormDialog title="Add authority" close={close} act={act} action="Make authority" submit={make}>
      <Choice
        label="Signed by"
        value={parent}
        change={setParent}
        options={[
          ...signers.map(({ record, name: title }) => [record.issuer_id, title] as const),
          ["", "Itself: a new root"],
        ]}
      />
      <div class="pair">
        <Text
          label="Common name"
          value={name}
          change={setName}
          error={tried && name.trim() === "" ? "An authority needs a name" : undefined}
        />
        <Text
          label="Name in the API"
          value={typed ?? short}
          change={setShort}
          mono
          hint={<code>issuer_name</code>}
          error={(tried && shortError) || undefined}
        />
      </div>
      <div class="pair">
        <KeyChoice value={key} change={setKey} />
        <Choice
          label="Valid for"
          value={ttl}
          change={setTtl}
          options={lives}
          hint={parent ? "Never longer than its signer" : undefined}
        />
      </div>
      {offered && (
        <Check
          label="Make it the default issuer"
          hint={`Now ${standard.name}, a root, signs unless a role names another.`}
          checked={instead}
          change={setInstead}
        />
      )}
      <ConstraintFields
        typed={limits}
        change={setLimits}
        errors={tried ? wrongConstraints(limits) : {}}
      />
    </FormDialog>
  );
}
