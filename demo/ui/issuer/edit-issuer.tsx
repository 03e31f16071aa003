import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { parseCertificate } from "../../../src/x509/certificate.ts";
import {
  parsePublicKey,
  supportsScheme,
  schemeFromName,
  schemeNames,
} from "../../../src/x509/public-key.ts";
import { orElse } from "../../lib/x509/decode.ts";
import { useAct } from "../../lib/use-action.ts";
import type { Authority } from "../../api/issuer.ts";
import { ApiNamesButton, useApiNames } from "../api-names.tsx";
import { Check, Choice, Text } from "../field.tsx";
import { FormDialog } from "../form.tsx";
import { notify } from "../notify.tsx";
import { announceChange } from "../../lib/changes.ts";
import { patchIssuer } from "../../api/issuers.ts";
import { signatureName } from "../../lib/x509/signature-name.ts";
import { wrongName } from "../../lib/names.ts";
import { ChainAndUrls, chainAndUrlsOf, changedChainAndUrls } from "./chain-and-urls.tsx";

const uses = [
  ["issuing-certificates", "Signs certificates"],
  ["crl-signing", "Signs CRLs"],
  ["ocsp-signing", "Signs OCSP responses"],
] as const;
type Use = (typeof uses)[number][0];
const outliving = [
  ["err", "Reject"],
  ["truncate", "Shorten to the expiry of this CA"],
  ["permit", "Issue"],
  ["always_enforce_err", "Reject, including CA certificates"],
] as const;

/**
 * Returns the signature algorithms that the user can choose for an issuer's key, or none if there
 * is no choice.
 */
function schemesOf({ view, record }: Authority): readonly (readonly [string, string])[] {
  const key = orElse(undefined, () => parsePublicKey(parseCertificate(view.der).spki));
  const fitting = key
    ? schemeNames.filter((name) => {
        const scheme = schemeFromName(name);
        return scheme !== undefined && supportsScheme(scheme, key);
      })
    : [];
  const current = record.revocation_signature_algorithm;
  return fitting.length < 2
    ? []
    : [
        ["", "Default for the key"],
        ...[...new Set([...fitting, ...(current ? [current] : [])])].map(
          (name) => [name, signatureName(name)] as const,
        ),
      ];
}

/**
 * The dialog that edits an issuer: its name, usage, URLs and chain, and how it handles certificates
 * that would outlive it. Sends only changed fields.
 */
export function EditIssuer({
  one,
  all,
  close,
  drop,
}: {
  one: Authority;
  all: readonly Authority[];
  close: () => void;
  drop: () => void;
}): JSX.Element {
  const { record } = one;
  const usages = record.usage.split(",");
  const [name, setName] = useState(record.issuer_name);
  const [usage, setUsage] = useState<readonly string[]>(usages);
  const [behavior, setBehavior] = useState(record.leaf_not_after_behavior);
  const [scheme, setScheme] = useState(record.revocation_signature_algorithm);
  const schemes = schemesOf(one);
  const [unknown, setUnknown] = useState(record.ocsp_unknown_serials);
  const [stored] = useState(() => chainAndUrlsOf(one, all));
  const [more, setMore] = useState(stored);
  const act = useAct();
  const named = useApiNames();
  const wrong = wrongName(name);
  const same = uses.every(([use]) => usage.includes(use) === usages.includes(use));
  const fields = {
    ...(name !== record.issuer_name && { issuer_name: name }),
    ...(!same && {
      usage: [
        "read-only" as const,
        ...usage.filter((use): use is Use => uses.some(([one]) => one === use)),
      ],
    }),
    ...(scheme !== record.revocation_signature_algorithm && {
      revocation_signature_algorithm: scheme,
    }),
    ...(unknown !== record.ocsp_unknown_serials && { ocsp_unknown_serials: unknown }),
    ...(behavior !== record.leaf_not_after_behavior && { leaf_not_after_behavior: behavior }),
    ...changedChainAndUrls(more, stored),
  };
  const saveIssuer = (): void => {
    if (wrong) return;
    if (Object.keys(fields).length === 0) return close();
    act.run(async () => {
      const { warnings } = await patchIssuer(record.issuer_id, fields);
      announceChange();
      close();
      notify(`${one.name} saved`, warnings);
    });
  };
  return (
    <FormDialog
      title={`Change ${one.name}`}
      {...{ close, act, drop }}
      action="Save"
      submit={saveIssuer}
      more={<ApiNamesButton />}
    >
      <Text
        label="Name in the API"
        value={name}
        change={setName}
        mono
        hint="Roles can refer to this CA by this name. The subject of the certificate does not change."
        error={wrong || undefined}
      />
      <Uses usage={usage} change={setUsage} />
      <Choice
        label="Certificates that would outlast this CA"
        value={behavior}
        change={setBehavior}
        options={outliving}
        hint={named && <code>leaf_not_after_behavior</code>}
      />
      {schemes.length > 0 && (
        <Choice
          label="Signature algorithm of CRLs and OCSP responses"
          value={scheme}
          change={setScheme}
          options={schemes}
          hint={named && <code>revocation_signature_algorithm</code>}
        />
      )}
      {unknown !== undefined && (
        <Check
          label={
            <>
              OCSP answers unknown for serial numbers that this mount never issued{" "}
              {named && <code class="quiet">ocsp_unknown_serials</code>}
            </>
          }
          checked={unknown}
          change={setUnknown}
          hint="When off, an imported CA answers good for unknown serial numbers, since it may have issued them elsewhere."
        />
      )}
      <ChainAndUrls typed={more} change={setMore} />
    </FormDialog>
  );
}

/** The checkboxes for the permitted uses of an issuer's key. */
function Uses({
  usage,
  change,
}: {
  usage: readonly string[];
  change: (usage: readonly string[]) => void;
}): JSX.Element {
  const named = useApiNames();
  return (
    <fieldset class="field">
      <legend>Use</legend>
      {uses.map(([use, words]) => (
        <Check
          key={use}
          label={
            <>
              {words} {named && <code class="quiet">{use}</code>}
            </>
          }
          checked={usage.includes(use)}
          change={(on) => change(on ? [...usage, use] : usage.filter((other) => other !== use))}
        />
      ))}
    </fieldset>
  );
}
