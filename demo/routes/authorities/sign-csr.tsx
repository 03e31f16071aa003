import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../api/call.ts";
import { pathLength } from "../../api/cross-signing.ts";
import { signIntermediate } from "../../api/endpoints/pki.ts";
import type { Authority } from "../../api/issuer.ts";
import { announceChange } from "../../api/pki.ts";
import { fileName, groups } from "../../lib/format.ts";
import { useAct } from "../../lib/use-action.ts";
import type { CsrView } from "../../lib/x509/decode.ts";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { CsrField } from "../../ui/csr-field.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Check, Choice, Text } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form.tsx";
import {
  ConstraintFields,
  constraintsFrom,
  wrongConstraints,
  type ConstraintInput,
} from "../../ui/issuer/constraints.tsx";
import { depths, lives } from "../../ui/issuer/plan-fields.tsx";
import { Warnings } from "../../ui/page.tsx";
import { save } from "../../ui/save.ts";

/** A signed CA certificate and its issuers, PEM. */
interface SignedCa {
  readonly name: string;
  readonly certificate: string;
  readonly chain: readonly string[];
  readonly warnings: readonly string[];
}

/** Returns the path lengths that a CA can grant to one below it. */
function depthsBelow(one: Authority): typeof depths {
  const room = pathLength(one);
  return room === undefined
    ? depths
    : depths.filter(([depth]) => depth !== "-1" && Number(depth) < room);
}

/** Signs the CSR of a CA whose key is elsewhere. */
export function SignCsr({ one, close }: { one: Authority; close: () => void }): JSX.Element {
  const [csr, setCsr] = useState<{ text: string; view?: CsrView }>({ text: "" });
  const [typed, setName] = useState<string>();
  const [ttl, setTtl] = useState("43800h");
  const [below, setBelow] = useState("0");
  const [fromCsr, setFromCsr] = useState(false);
  const [limits, setLimits] = useState<ConstraintInput>({});
  const [signed, setSigned] = useState<SignedCa>();
  const [tried, setTried] = useState(false);
  const act = useAct();
  const name = (typed ?? csr.view?.commonName ?? "").trim();
  const wrong = wrongConstraints(limits);
  const sign = (): void => {
    setTried(true);
    if (!csr.view || (name === "" && !fromCsr) || Object.keys(wrong).length > 0) return;
    const title = fromCsr ? csr.view.title : name;
    act.run(async () => {
      const { data, warnings } = await call(signIntermediate, {
        issuer_ref: one.record.issuer_id,
        csr: csr.text,
        ...(fromCsr ? { use_csr_values: true } : { common_name: name, exclude_cn_from_sans: true }),
        ttl,
        max_path_length: Number(below),
        ...constraintsFrom(limits),
      });
      announceChange();
      const { certificate, ca_chain: chain = [] } = data;
      setSigned({ name: title, certificate, chain, warnings });
    });
  };
  if (signed) return <CaSigned signed={signed} close={close} />;
  return (
    <FormDialog
      title={`Sign a CA with ${one.name}`}
      close={close}
      act={act}
      action="Sign"
      submit={sign}
      disabled={!csr.view}
    >
      <p>
        Certifies a CA whose key is elsewhere. Its owner can issue certificates that clients of{" "}
        {one.name} trust, for any name within the limits below. Compare the key’s fingerprint with
        the owner first.
      </p>
      <CsrField text={csr.text} view={csr.view} change={setCsr} />
      {csr.view && (
        <p class="small break">
          SHA-256 of its key: <code>{groups(csr.view.keyPrint)}</code>
        </p>
      )}
      <Check
        label="Use the subject and the extensions of the CSR"
        checked={fromCsr}
        change={setFromCsr}
        hint={<code>use_csr_values</code>}
      />
      <div class="pair">
        {!fromCsr && (
          <Text
            label="Common name"
            value={typed ?? csr.view?.commonName ?? ""}
            change={setName}
            error={tried && name === "" ? "Enter a name" : undefined}
            hint="The whole subject: its other parts in the CSR are not used"
          />
        )}
        <Choice
          label="Valid for"
          value={ttl}
          change={setTtl}
          options={lives}
          hint="Cannot outlast its signer"
        />
        <Choice
          label="CAs below it"
          value={below}
          change={setBelow}
          options={depthsBelow(one)}
          hint="The path length in its certificate."
        />
      </div>
      <ConstraintFields typed={limits} change={setLimits} errors={tried ? wrong : {}} />
    </FormDialog>
  );
}

/** The signed certificate, to be sent to its owner. */
function CaSigned({ signed, close }: { signed: SignedCa; close: () => void }): JSX.Element {
  const { name, certificate, chain, warnings } = signed;
  const file = `${fileName(name)}.chain.pem`;
  // the chain of a CA begins with its own certificate
  const pems = new Set([certificate, ...chain].map((pem) => pem.trim()));
  const text = `${[...pems].join("\n")}\n`;
  return (
    <Dialog title={`${name} signed`} close={close}>
      <Warnings texts={warnings} />
      <p>
        Send this to the owner of the CSR: the certificate, followed by its issuers. It is listed
        under Certificates, and is no issuer of this mount, because its key is elsewhere.
      </p>
      <Code text={text} label="The certificate and its issuers" />
      <div class="actions">
        <Button press={close}>Close</Button>
        <Button
          kind="primary"
          icon="down"
          press={() => save(file, "application/pem-certificate-chain", text)}
        >
          Save {file}
        </Button>
      </div>
    </Dialog>
  );
}
