import type { JSX } from "preact";
import type { PatchIssuerInput } from "../../../src/client/pki.ts";
import { urlKinds } from "../../api/certificate-urls.ts";
import type { Authority } from "../../api/issuer.ts";
import { splitList } from "../../lib/settings.ts";
import { useApiNames } from "../api-names.tsx";
import { Check, Lines } from "../field.tsx";

/** The URLs and the chain of an issuer as entered by the user. */
interface ChainAndUrlsInput {
  /** Lines by API name, including `manual_chain`. */
  readonly lists: Readonly<Record<string, string>>;
  readonly templating: boolean;
}

const listNames = [...urlKinds.map(([name]) => name), "manual_chain"] as const;

/**
 * Returns the stored URLs and chain of an issuer. The chain contains the API names of issuers, or
 * the IDs of those without a name.
 */
export function chainAndUrlsOf(
  { record }: Authority,
  all: readonly Authority[],
): ChainAndUrlsInput {
  const nameOf = (id: string): string =>
    all.find((one) => one.record.issuer_id === id)?.record.issuer_name || id;
  const listOf = (name: (typeof listNames)[number]): readonly string[] =>
    name === "manual_chain" ? (record.manual_chain ?? []).map(nameOf) : record[name];
  return {
    lists: Object.fromEntries(listNames.map((name) => [name, listOf(name).join("\n")])),
    templating: record.enable_aia_url_templating,
  };
}

/** Returns the fields that the user has changed. */
export function changedChainAndUrls(
  typed: ChainAndUrlsInput,
  stored: ChainAndUrlsInput,
): Omit<PatchIssuerInput, "issuer_ref"> {
  const changed = listNames.filter((name) => typed.lists[name] !== stored.lists[name]);
  return {
    ...Object.fromEntries(changed.map((name) => [name, splitList(typed.lists[name] ?? "")])),
    ...(typed.templating !== stored.templating && {
      enable_aia_url_templating: typed.templating,
    }),
  };
}

/** The fields for the URLs in an issuer's certificates and for the chain in responses. */
export function ChainAndUrls({
  typed,
  change,
}: {
  typed: ChainAndUrlsInput;
  change: (typed: ChainAndUrlsInput) => void;
}): JSX.Element {
  const named = useApiNames();
  const lines = (name: string, label: string): JSX.Element => (
    <Lines
      key={name}
      label={label}
      rows={2}
      mono
      value={typed.lists[name] ?? ""}
      change={(value) => change({ ...typed, lists: { ...typed.lists, [name]: value } })}
      hint={named && <code>{name}</code>}
    />
  );
  return (
    <>
      <details>
        <summary>URLs in certificates issued by this CA</summary>
        <div class="stack close">
          <p class="small muted">
            If you enter any URL, new certificates issued by this CA contain only these URLs and
            none of the mount’s. Otherwise they contain the mount’s.
          </p>
          {urlKinds.map(([name, label]) => lines(name, label))}
          <Check
            label={
              <>
                Fill in placeholders such as <code>{"{{issuer_id}}"}</code>{" "}
                {named && <code class="quiet">enable_aia_url_templating</code>}
              </>
            }
            checked={typed.templating}
            change={(templating) => change({ ...typed, templating })}
          />
        </div>
      </details>
      <details>
        <summary>Chain</summary>
        <div class="stack close">
          <p class="small muted">
            One name or ID per line, beginning with <code>self</code>: the issuers that responses
            list after a certificate. If empty, the chain is built from the mount’s issuers.
          </p>
          {lines("manual_chain", "Manual chain")}
        </div>
      </details>
    </>
  );
}
