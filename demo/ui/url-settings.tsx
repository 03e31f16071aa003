import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../lib/use-action.ts";
import {
  fillPlaceholders,
  mountUrl,
  readPlaceholders,
  saveUrls,
  urlKinds,
  urls,
  type Urls,
} from "../api/certificate-urls.ts";
import { ApiNamesButton, useApiNames } from "./api-names.tsx";
import { Button } from "./button.tsx";
import { Check, Lines } from "./field.tsx";
import { FormDialog } from "./form.tsx";
import { Dialog } from "./dialog.tsx";
import { Card, Facts, Failure, Ready } from "./page.tsx";
import { notify } from "./notify.tsx";
import { announceChange, changes } from "../lib/changes.ts";
import { isLoopback } from "../lib/loopback.ts";
import { splitList } from "../lib/settings.ts";
import { useLoad } from "../lib/use-load.ts";
import { useStore } from "../lib/store.ts";
import { visible } from "../lib/visible-text.ts";
import { FillAddresses, LoopbackUrls, useUrlToFill } from "./fill-urls.tsx";

/** The settings for the URLs in certificates, with a button that fills in those of the mount. */
export function Addresses(): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(urls, [turn]);
  const [editing, edit] = useState(false);
  const url = useUrlToFill();
  const [open, unfold] = useState(false);
  return (
    <Card
      title="URLs in certificates"
      end={
        <>
          <FillAddresses url={url} />
          {result.value && (
            <Button tiny press={() => edit(true)}>
              Change…
            </Button>
          )}
        </>
      }
    >
      <Ready from={result}>
        {(value) => (
          <Facts
            rows={urlKinds.map(
              ([name, label]) =>
                [label, (value[name] ?? []).map(visible).join(", ") || "None"] as const,
            )}
          />
        )}
      </Ready>
      {result.value?.enable_templating === true && (
        <details class="pad" onToggle={(event) => unfold(event.currentTarget.open)}>
          <summary>In certificates issued by the default issuer</summary>
          {open && <FilledUrls of={result.value} />}
        </details>
      )}
      {isLoopback(url) && (
        <div class="pad">
          <LoopbackUrls url={url} />
        </div>
      )}
      {mountUrl() === "" && (
        <p class="pad small muted">
          Clients cannot reach an authority in a browser, so its certificates need no URLs.
        </p>
      )}
      {editing && result.value && <EditUrls stored={result.value} close={() => edit(false)} />}
    </Card>
  );
}

/** The URLs with their placeholders replaced. They are loaded when the section is expanded. */
function FilledUrls({ of }: { of: Urls }): JSX.Element {
  const values = useLoad(readPlaceholders, []);
  return (
    <Ready from={values}>
      {(filled) => (
        <Facts
          rows={urlKinds.map(([name, label]) => {
            const list = (of[name] ?? []).map((url) => visible(fillPlaceholders(url, filled)));
            return [label, list.join(", ") || "None"] as const;
          })}
        />
      )}
    </Ready>
  );
}

/** A dialog with the settings for the URLs in certificates, for views that report missing URLs. */
export function SetAddresses({ close }: { close: () => void }): JSX.Element | null {
  const { value, error } = useLoad(urls, []);
  if (value) return <EditUrls stored={value} close={close} />;
  if (!error) return null;
  return (
    <Dialog title="URLs in certificates" close={close}>
      <Failure error={error} />
      <div class="actions">
        <Button press={close}>Close</Button>
      </div>
    </Dialog>
  );
}

const lines = (of: readonly string[] | undefined): string => (of ?? []).join("\n");

/** The paths of the URLs that the server fills in, below the URL of the mount. */
const paths: Readonly<Record<(typeof urlKinds)[number][0], string>> = {
  issuing_certificates: "issuer/{{issuer_id}}/der",
  crl_distribution_points: "issuer/{{issuer_id}}/crl/der",
  delta_crl_distribution_points: "issuer/{{issuer_id}}/crl/delta/der",
  ocsp_servers: "ocsp",
};

function EditUrls({ stored, close }: { stored: Urls; close: () => void }): JSX.Element {
  const [typed, type] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(urlKinds.map(([name]) => [name, lines(stored[name])])),
  );
  const [templating, template] = useState(
    // the examples contain a placeholder
    stored.enable_templating === true || urlKinds.every(([name]) => !stored[name]?.length),
  );
  const act = useAct();
  const named = useApiNames();
  const refused = urlKinds.find(([name]) => act.error?.message.includes(` ${name}:`))?.[0];
  const save = (): void =>
    act.run(async () => {
      const lists = urlKinds.map(([name]) => [name, splitList(typed[name] ?? "")] as const);
      const { warnings } = await saveUrls({
        ...Object.fromEntries(lists),
        enable_templating: templating,
      });
      announceChange();
      close();
      notify("URLs saved; new certificates will include them", warnings);
    });
  return (
    <FormDialog
      title="URLs in certificates"
      close={close}
      act={act}
      action="Save"
      more={<ApiNamesButton />}
      submit={save}
      isErrorShown={refused !== undefined}
    >
      {urlKinds.map(([name, label]) => (
        <Lines
          key={name}
          label={label}
          rows={2}
          mono
          value={typed[name] ?? ""}
          change={(value) => type({ ...typed, [name]: value })}
          placeholder={`${mountUrl() || "http://ca.example.com/v1/pki"}/${paths[name]}`}
          hint={named && <code>{name}</code>}
          error={refused === name ? act.error?.message : undefined}
        />
      ))}
      <Check
        label={
          <>
            Fill in placeholders such as <code>{"{{issuer_id}}"}</code>{" "}
            {named && <code class="quiet">enable_templating</code>}
          </>
        }
        checked={templating}
        change={template}
      />
    </FormDialog>
  );
}
