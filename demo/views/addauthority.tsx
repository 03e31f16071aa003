import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../act.ts";
import type { Authority } from "../authorities.ts";
import { fieldsOfKind, keyKinds } from "../keys.ts";
import { Choice, Text } from "../parts/field.tsx";
import { FormDialog } from "../parts/form.tsx";
import { toast } from "../parts/toast.tsx";
import * as pki from "../pki.ts";
import { ConstraintFields, constraintsFrom, type Typed } from "./constraints.tsx";

/** Lifetimes of authorities. */
export const lives = [
  ["8760h", "1 year"],
  ["26280h", "3 years"],
  ["43800h", "5 years"],
  ["87600h", "10 years"],
] as const;

/** A name for the API, made of a common name. */
export const shortName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

/** The fields of a new authority; its short name is made of its common name. */
function wantedFrom(name: string, key: string, ttl: string, limits: Typed): pki.NewAuthority {
  const short = shortName(name);
  return {
    common_name: name,
    ...fieldsOfKind(key),
    ttl,
    ...(short && { issuer_name: short }),
    constraints: constraintsFrom(limits),
  };
}

/** Makes a root, or an authority signed by one that is here. */
export function AddAuthority({ all, close }: { all: readonly Authority[]; close: () => void }): JSX.Element {
  const signers = all.filter(({ record }) => record.key_id !== "" && !record.revoked);
  const [parent, setParent] = useState(signers[0]?.record.issuer_id ?? "");
  const [name, setName] = useState("");
  const [key, setKey] = useState("ec 256");
  const [ttl, setTtl] = useState(parent ? "43800h" : "87600h");
  const [limits, setLimits] = useState<Typed>({});
  const act = useAct();
  const [tried, setTried] = useState(false);
  const make = (): void => {
    setTried(true);
    if (name.trim() === "") return;
    act.run(async () => {
      const wanted = wantedFrom(name.trim(), key, ttl, limits);
      await (parent ? pki.makeIntermediate(parent, wanted) : pki.makeRoot(wanted));
      pki.changed();
      toast(`${name.trim()} made`);
      close();
    });
  };
  return (
    <FormDialog title="Add authority" close={close} act={act} action="Make authority" submit={make}>
      <Choice
        label="Signed by"
        value={parent}
        change={setParent}
        options={[...signers.map(({ record, name: title }) => [record.issuer_id, title] as const), ["", "Itself: a new root"]]}
      />
      <Text label="Common name" value={name} change={setName} error={tried && name.trim() === "" ? "An authority needs a name" : undefined} />
      <div class="pair">
        <Choice label="Key" value={key} change={setKey} options={keyKinds} />
        <Choice label="Valid for" value={ttl} change={setTtl} options={lives} hint={parent ? "Never longer than its signer" : undefined} />
      </div>
      <ConstraintFields typed={limits} change={setLimits} />
    </FormDialog>
  );
}
