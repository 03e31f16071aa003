import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import type { Authority } from "../../api/issuer.ts";
import { crossSign, signersFor } from "../../api/cross-signing.ts";
import { Choice, Text } from "../field.tsx";
import { ApiNamesButton, useApiNames } from "../api-names.tsx";
import { FormDialog } from "../form.tsx";
import { address, open } from "../../lib/route.ts";
import { making, shortName, namesInUse, wrongShort } from "./add-issuer.tsx";
import { lives } from "./plan-fields.tsx";
import {
  ConstraintFields,
  constraintsFrom,
  wrongConstraints,
  type ConstraintInput,
} from "./constraints.tsx";

/**
 * The dialog that creates a second certificate for the key of a CA, signed by another CA of this
 * mount.
 */
export function CrossSign({
  one,
  all,
  close,
}: {
  one: Authority;
  all: readonly Authority[];
  close: () => void;
}): JSX.Element {
  const signers = signersFor(one, all);
  const [signer, setSigner] = useState(signers[0]?.record.issuer_id ?? "");
  const [ttl, setTtl] = useState("26280h");
  const by = signers.find(({ record }) => record.issuer_id === signer);
  const [name, setName] = useState<string>();
  const usedNames = namesInUse(all);
  const proposed = shortName(
    `${one.record.issuer_name || one.name} by ${by?.name ?? ""}`,
    usedNames,
  );
  const short = (name ?? proposed).trim();
  const shortError = wrongShort(short, usedNames);
  const [limits, setLimits] = useState<ConstraintInput>({});
  const named = useApiNames();
  const act = useAct();
  const [tried, setTried] = useState(false);
  const make = (): void => {
    setTried(true);
    if (shortError || Object.keys(wrongConstraints(limits)).length > 0) return;
    act.run(async () => {
      const signing = { signer, ttl, name: short, constraints: constraintsFrom(limits) };
      const { id } = await making(`${one.name} cross-signed by ${by?.name ?? signer}`, close, () =>
        crossSign(one, signing),
      );
      open(address("authorities", id));
    });
  };
  return (
    <FormDialog
      title={`Cross-sign ${one.name}`}
      close={close}
      act={act}
      action="Cross-sign"
      submit={make}
      more={<ApiNamesButton />}
      disabled={signers.length === 0}
    >
      <p>
        Another CA certifies this CA’s key. Both certificates have the same subject and key, so
        certificates issued by {one.name} chain to either: clients that trust the issuing CA accept
        them too. The current certificate is unchanged.
      </p>
      {signers.length === 0 ? (
        <p role="alert">
          No other authority in this mount can cross-sign this one. Create or import a root first.
        </p>
      ) : (
        <>
          <Choice
            label="Signed by"
            value={signer}
            change={setSigner}
            options={signers.map(({ record, name: title }) => [record.issuer_id, title] as const)}
          />
          <div class="pair">
            <Choice
              label="Valid for"
              value={ttl}
              change={setTtl}
              options={lives}
              hint="Cannot exceed the validity period of the issuing CA"
            />
            <Text
              label="Name of the new issuer"
              value={name ?? proposed}
              change={setName}
              mono
              hint={named && <code>issuer_name</code>}
              error={(tried && shortError) || undefined}
            />
          </div>
          <ConstraintFields
            typed={limits}
            change={setLimits}
            errors={tried ? wrongConstraints(limits) : {}}
          />
        </>
      )}
    </FormDialog>
  );
}
