import type { NewEabReply } from "../../../src/client/pki.ts";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { eabKeys, type AcmeConfig, type EabKey, type OfAcme } from "./calls.ts";
import { barePrefix, prefixOf, type Directory } from "./directories.ts";
import { eabSecret, snippets } from "./client-commands.ts";
import { Code } from "../../ui/code.tsx";
import { Choice, Text } from "../../ui/field.tsx";
import { Card, Note, Ready } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { changes } from "../../lib/changes.ts";
import { isLoopback } from "../../lib/loopback.ts";
import { place } from "../../lib/place.ts";
import { address } from "../../lib/route.ts";
import { useLoad, type Loaded } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import {
  choices,
  DirectoryFields,
  directoryUrl,
  whyNot,
  whyNotName,
  type Choices,
} from "./directory-choice.tsx";
import { useSelection } from "./selection.ts";
import { EabKeys } from "./eab-keys.tsx";
import { Orders } from "./orders.tsx";

/** The section with setup instructions for clients, their EAB keys, and their latest orders. */
export function AcmeClients({ config }: OfAcme): JSX.Element {
  const browser = useStore(place, ({ kind }) => kind === "browser");
  return (
    <>
      {browser && (
        <Note>
          Clients outside this browser cannot reach this authority.{" "}
          <a href={address("acme", "try")}>Try the protocol here</a> with a client built into this
          page.
        </Note>
      )}
      <ClientSetup config={config} />
      <Orders title="Recent orders" />
    </>
  );
}

/**
 * The setup instructions for clients and their EAB keys. `config` is undefined if the token may not
 * read the ACME settings.
 */
export function ClientSetup({ config }: { config?: AcmeConfig }): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(choices, [turn]);
  const keys = useLoad(eabKeys, [turn]);
  return (
    <Ready from={result}>
      {(value) => <SetupWithKeys of={value} config={config} keys={keys} />}
    </Ready>
  );
}

function SetupWithKeys({
  of,
  config,
  keys,
}: {
  of: Choices;
  config: AcmeConfig | undefined;
  keys: Loaded<readonly EabKey[]>;
}): JSX.Element {
  const { directory, eab, select } = useSelection(of);
  const [created, setCreated] = useState<readonly NewEabReply[]>([]);
  const prefix = prefixOf(directory);
  // a token that may not list the keys can choose those that it created
  const ids = keys.value
    ? keys.value
        .filter(
          ({ directory: path, info }) =>
            barePrefix(path) === prefix && (info.status ?? "valid") === "valid",
        )
        .map(({ id }) => id)
    : created.filter(({ acme_directory: path }) => barePrefix(path) === prefix).map(({ id }) => id);
  return (
    <div class="stack">
      <Setup
        of={of}
        config={config}
        directory={directory}
        setDirectory={(next) => select(next, eab)}
        ids={ids}
        eab={eab}
        setEab={(id) => select(directory, id)}
      />
      <EabKeys
        of={of}
        keys={keys}
        directory={directory}
        onCreated={(key, directory) => {
          select(directory, key.id);
          setCreated([...created, key]);
        }}
      />
    </div>
  );
}

/** The command that provides the secret of an EAB key to a client, with a placeholder. */
const EabSecret = ({ client }: { client: string }): JSX.Element => (
  <>
    <p class="small muted">
      First run this with the key instead of <code>KEY</code>. The key was shown when it was
      created.
    </p>
    <Code text={eabSecret(client)} label="Command that sets the key" wrap />
  </>
);

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
  directory,
  setDirectory,
  ids,
  eab,
  setEab,
}: {
  of: Choices;
  config: AcmeConfig | undefined;
  directory: Directory;
  setDirectory: (directory: Directory) => void;
  /** IDs of the EAB keys that fit the directory. */
  ids: readonly string[];
  /** The ID of the chosen EAB key; empty if there is none. */
  eab: string;
  setEab: (id: string) => void;
}): JSX.Element {
  const [typed, setName] = useState<string>();
  const example = of.examples.get(directory.role) || "www.example.com";
  const name = typed ?? example;
  const url = directoryUrl(of, prefixOf(directory));
  const chosen = ids.includes(eab) ? eab : "";
  const needsKey = config?.eab_policy !== "not-required";
  const shown = chosen || (needsKey ? "KEY_ID" : "");
  const why = config ? whyNot(config, directory) : "";
  return (
    <Card title="Set up a client">
      <div class="pad stack close">
        <DirectoryFields of={of} value={directory} change={setDirectory} />
        {why && (
          <Note tone="warn" icon="warn">
            {why}
          </Note>
        )}
        <DirectoryAddress url={url} isOff={config?.enabled === false} />
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
            options={[["", needsKey ? "Custom" : "None"], ...ids.map((id) => [id, id] as const)]}
          />
        </div>
      </div>
      <Tabs
        label="Client"
        panels={snippets.map(({ client, kind, tested, trust, text }) => [
          client,
          () => (
            <div class="pad stack close">
              {shown && <EabSecret client={client} />}
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
