import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { eabKeys, type AcmeConfig, type EabKey, type OfAcme } from "./calls.ts";
import { barePrefix, prefixOf, type Directory } from "./directories.ts";
import { snippets } from "./client-commands.ts";
import { Code } from "../../ui/code.tsx";
import { Choice, Text } from "../../ui/field.tsx";
import { Card, Note, Ready } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { changes } from "../../lib/changes.ts";
import { isLoopback } from "../../lib/loopback.ts";
import { place } from "../../lib/place.ts";
import { address } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { choices, DirectoryFields, whyNot, whyNotName, type Choices } from "./directory-choice.tsx";
import { EabKeys } from "./eab-keys.tsx";
import { Orders } from "./orders.tsx";

/** The section with setup instructions for clients, their EAB keys, and their latest orders. */
export function AcmeClients({ config }: OfAcme): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const browser = useStore(place, ({ kind }) => kind === "browser");
  const result = useLoad(choices, [turn]);
  const keys = useLoad(eabKeys, [turn]);
  return (
    <>
      {browser && (
        <Note>
          Clients outside this browser cannot reach this authority.{" "}
          <a href={address("acme", "try")}>Try the protocol here</a> with a client built into this
          page.
        </Note>
      )}
      <Ready from={result}>
        {(value) => (
          <div class="stack">
            <Setup of={value} config={config} keys={keys.value ?? []} />
            <EabKeys of={value} keys={keys} />
          </div>
        )}
      </Ready>
      <Orders title="Recent orders" />
    </>
  );
}

/** The URL of a directory, and a note if clients cannot use it. */
const DirectoryAddress = ({ url, isOff }: { url: string; isOff: boolean }): JSX.Element => (
  <>
    {isOff && (
      <Note tone="warn" icon="warn">
        ACME is off: clients are rejected until you turn it on.
      </Note>
    )}
    <Code text={url} label="Directory URL" wrap />
    {isLoopback(url) && (
      <p class="small muted">
        This URL is reachable only from this machine. Clients on other machines need a mount URL
        that they can reach: <a href={address("revocation", "urls")}>set the URL</a>.
      </p>
    )}
  </>
);

function Setup({
  of,
  config,
  keys,
}: {
  of: Choices;
  config: AcmeConfig;
  keys: readonly EabKey[];
}): JSX.Element {
  const [directory, setDirectory] = useState<Directory>({ role: of.roles[0] ?? "", issuer: "" });
  const [typed, setName] = useState<string>();
  const example = of.examples.get(directory.role) || "www.example.com";
  const name = typed ?? example;
  const [eab, setEab] = useState("");
  const prefix = prefixOf(directory);
  const url = `${of.path || "https://ca.example.com/v1/pki"}/${prefix}/directory`;
  const fitting = keys.filter(
    ({ directory: of, info }) => barePrefix(of) === prefix && (info.status ?? "valid") === "valid",
  );
  const chosen = fitting.some(({ id }) => id === eab) ? eab : "";
  const needsKey = config.eab_policy !== "not-required";
  const shown = chosen || (needsKey ? "KEY_ID" : "");
  const why = whyNot(config, directory);
  return (
    <Card title="Set up a client">
      <div class="pad stack close">
        <DirectoryFields of={of} value={directory} change={setDirectory} />
        {why && (
          <Note tone="warn" icon="warn">
            {why}
          </Note>
        )}
        <DirectoryAddress url={url} isOff={!config.enabled} />
        <div class="pair">
          <Text
            label="Name for the certificate"
            value={name}
            change={setName}
            hint="For http-01, the server connects to port 80 of this name."
            error={whyNotName(of, directory, name.trim()) || undefined}
          />
          <Choice
            label="External account binding (EAB) key"
            value={chosen}
            change={setEab}
            options={[
              ["", needsKey ? "Custom" : "None"],
              ...fitting.map(({ id }) => [id, id] as const),
            ]}
          />
        </div>
      </div>
      <Tabs
        label="Client"
        panels={snippets.map(({ client, kind, tested, trust, text }) => [
          client,
          () => (
            <div class="pad stack close">
              <Code
                text={text({ directory: url, name: name.trim() || example, eab: shown })}
                label={`${kind} for ${client}`}
                wrap
              />
              <p class="small muted">
                {tested
                  ? "Tested with this client."
                  : "From the client’s documentation; not tested."}{" "}
                If a private CA issued the server’s TLS certificate, save that CA as{" "}
                <code>ca.pem</code> and add <code>{trust.text}</code> {trust.place}.
                {shown && client === "cert-manager" && (
                  <>
                    {" "}
                    The key is read from the cluster secret <code>sealwright-eab</code>.
                  </>
                )}
                {shown && client !== "cert-manager" && (
                  <>
                    {" "}
                    The key itself is read from <code>EAB_HMAC_KEY</code>.
                  </>
                )}
              </p>
            </div>
          ),
        ])}
      />
      <p class="pad small muted">
        Programs that must trust these certificates need the root certificate;{" "}
        <a href={address("authorities", "default")}>the page of the default issuer</a> explains how
        to install it.
      </p>
    </Card>
  );
}
