import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { pathLength } from "../../api/path-length.ts";
import type { Authority } from "../../api/issuer.ts";
import { announceChange } from "../../lib/changes.ts";
import { groups } from "../../lib/hex-text.ts";
import { useAct } from "../../lib/use-action.ts";
import { CsrField } from "../../ui/csr-field.tsx";
import { Check, Choice, Text } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { ConstraintFields, wrongConstraints } from "../../ui/issuer/constraints.tsx";
import { depths, lives } from "../../ui/issuer/plan-fields.tsx";
import { Note } from "../../ui/page.tsx";
import { nameIn, signFile, type SignedFile, type SigningInput } from "./sign-calls.ts";
import { signingKinds, type SigningKind } from "./signing-kinds.ts";
import { RootField, Signed } from "./signed-file.tsx";

const kindWords: Readonly<Record<SigningKind, string>> = {
  ca: "a CA, within limits",
  verbatim: "any certificate, exactly as the CSR requests",
  "self-issued": "an existing root, for a rollover",
};
const titles: Readonly<Record<SigningKind, string>> = {
  ca: "Sign a CA with",
  verbatim: "Sign a CSR unchanged with",
  "self-issued": "Sign a root with",
};

const emptyInput: SigningInput = {
  csr: { text: "" },
  root: { text: "" },
  name: undefined,
  ttl: "43800h",
  leafTtl: "",
  below: "0",
  fromCsr: false,
  limits: {},
  isConfirmed: false,
};

/** Returns the validation errors of the form. */
function wrongInput(kind: SigningKind, input: SigningInput): Readonly<Record<string, string>> {
  if (kind === "ca")
    return {
      ...(nameIn(input) === "" && !input.fromCsr && { name: "Enter a name" }),
      ...wrongConstraints(input.limits),
    };
  return kind === "verbatim" && !input.isConfirmed
    ? { confirmed: "Confirm that you have read the CSR" }
    : {};
}

/** The dialog that signs the CSR of an external CA, any other CSR, or a root. */
export function SignCsr({ one, close }: { one: Authority; close: () => void }): JSX.Element {
  const kinds = signingKinds(one);
  const [kind, setKind] = useState<SigningKind>(kinds[0] ?? "ca");
  const [input, setInput] = useState(emptyInput);
  const [signed, setSigned] = useState<SignedFile>();
  const [tried, setTried] = useState(false);
  const act = useAct();
  const change = (fields: Partial<SigningInput>): void =>
    setInput((current) => ({ ...current, ...fields }));
  const wrong = wrongInput(kind, input);
  const isRead = kind === "self-issued" ? input.root.view : input.csr.view;
  const sign = (): void => {
    setTried(true);
    if (!isRead || Object.keys(wrong).length > 0) return;
    act.run(async () => {
      const result = await signFile(one, kind, input);
      announceChange();
      setSigned(result);
    });
  };
  if (signed) return <Signed signed={signed} close={close} />;
  const fields = { one, input, change, errors: tried ? wrong : {} };
  return (
    <FormDialog
      title={`${titles[kind]} ${one.name}`}
      close={close}
      act={act}
      action="Sign"
      submit={sign}
      disabled={!isRead}
    >
      {kinds.length > 1 && (
        <Choice
          label="Sign"
          value={kind}
          change={(to) => setKind(kinds.find((one) => one === to) ?? "ca")}
          options={kinds.map((one) => [one, kindWords[one]])}
        />
      )}
      {kind === "ca" && <CaFields {...fields} />}
      {kind === "verbatim" && <VerbatimFields {...fields} />}
      {kind === "self-issued" && <RootField {...fields} />}
    </FormDialog>
  );
}

interface FieldProps {
  one: Authority;
  input: SigningInput;
  change: (fields: Partial<SigningInput>) => void;
  errors: Readonly<Record<string, string>>;
}

/** Returns the path length constraints that a CA can set for a subordinate CA. */
function depthsBelow(one: Authority): typeof depths {
  const room = pathLength(one);
  return room === undefined
    ? depths
    : depths.filter(([depth]) => depth !== "-1" && Number(depth) < room);
}

const KeyDigest = ({ print }: { print: string }): JSX.Element => (
  <p class="small break">
    Public key fingerprint (SHA-256): <code>{groups(print)}</code>
  </p>
);

/** The fields for the CSR of an external CA, and for the CA's constraints. */
function CaFields({ one, input, change, errors }: FieldProps): JSX.Element {
  const { csr, fromCsr, ttl, below, limits } = input;
  return (
    <>
      <p>
        Issues a certificate to a CA whose key is not in this mount. The owner of that CA can issue
        certificates that clients of {one.name} trust, for any name within the limits below. Verify
        the key’s fingerprint with the owner first.
      </p>
      <CsrField text={csr.text} view={csr.view} change={(csr) => change({ csr })} />
      {csr.view && <KeyDigest print={csr.view.keyPrint} />}
      <Check
        label="Use the subject and the extensions of the CSR"
        checked={fromCsr}
        change={(fromCsr) => change({ fromCsr })}
        hint={<code>use_csr_values</code>}
      />
      <div class="pair">
        {!fromCsr && (
          <Text
            label="Common name"
            value={input.name ?? csr.view?.commonName ?? ""}
            change={(name) => change({ name })}
            error={errors["name"]}
            hint="Becomes the entire subject; other subject attributes in the CSR are ignored."
          />
        )}
        <Choice
          label="Valid for"
          value={ttl}
          change={(ttl) => change({ ttl })}
          options={lives}
          hint="Cannot exceed the validity period of the issuing CA."
        />
        <Choice
          label="CAs below this one"
          value={below}
          change={(below) => change({ below })}
          options={depthsBelow(one)}
          hint="The path length constraint in the new CA’s certificate."
        />
      </div>
      <ConstraintFields typed={limits} change={(limits) => change({ limits })} errors={errors} />
    </>
  );
}

/** The choices for the lifetime of a certificate that no role limits. */
const leafLives = [
  ["", "The mount’s default"],
  ["24h", "1 day"],
  ["720h", "30 days"],
  ["2160h", "90 days"],
  ["8760h", "1 year"],
] as const;

/** The fields for a CSR that is signed unchanged, without the checks of a role. */
function VerbatimFields({ one, input, change, errors }: FieldProps): JSX.Element {
  const { csr, leafTtl, isConfirmed } = input;
  return (
    <>
      <Note tone="danger" icon="warn">
        <b>No role checks this certificate</b>
        <p class="small">
          The certificate gets the subject, names, usages and other extensions of the CSR, without
          any restriction. Clients of {one.name} accept it for every name in it. It cannot be a CA.
        </p>
      </Note>
      <CsrField text={csr.text} view={csr.view} change={(csr) => change({ csr })} />
      {csr.view && <KeyDigest print={csr.view.keyPrint} />}
      <Choice
        label="Valid for"
        value={leafTtl}
        change={(leafTtl) => change({ leafTtl })}
        options={leafLives}
      />
      <Check
        label="I have read the CSR and know who sent it"
        checked={isConfirmed}
        change={(isConfirmed) => change({ isConfirmed })}
        error={errors["confirmed"]}
      />
    </>
  );
}
