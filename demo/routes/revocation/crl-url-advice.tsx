import { Fragment, type JSX } from "preact";
import { urls } from "../../api/certificate-urls.ts";
import { changes, issuers, type CrlConfig } from "../../api/pki.ts";
import { address } from "../../lib/route.ts";
import { useLoad, useStore } from "../../lib/store.ts";
import { lazy } from "../../ui/lazy.tsx";
import { Note } from "../../ui/page.tsx";
import { missingCrlUrls, type MissingCrlUrls } from "./crl-urls.ts";

const MendUrls = lazy(async () => (await import("../../ui/repair-urls.tsx")).RepairUrls);

const words: Readonly<Record<MissingCrlUrls["kind"], readonly [title: string, about: string]>> = {
  shards: [
    "New certificates are not assigned to a CRL shard",
    "New certificates contain no HTTP URL of a CRL, so they cannot refer to a shard.",
  ],
  delta: [
    "Certificates do not point to the delta CRLs",
    "Clients find them by the freshest CRL extension, which needs a URL of the delta CRL.",
  ],
};

/**
 * The notes about CRLs to which new certificates do not point, with buttons that set their URLs.
 */
export function CrlUrlAdvice({ config }: { config: CrlConfig }): JSX.Element | null {
  const turn = useStore(changes, (value) => value.turn);
  const isAsked = (config.shards ?? 0) > 0 || config.enable_delta === true;
  const result = useLoad(
    async () =>
      isAsked ? missingCrlUrls(config, ...(await Promise.all([urls(), issuers()]))) : [],
    [turn, config.shards, config.enable_delta, config.disable],
  );
  // nothing can be said without permission to read the URLs
  if (!result.value || result.value.length === 0) return null;
  return (
    <>
      {result.value.map(({ kind, isMount, issuers: own }) => (
        <Note key={kind} tone="warn" icon="warn">
          <b>{words[kind][0]}</b>
          <p class="small">
            {words[kind][1]}
            {own.length > 0 && (
              <>
                {" "}
                Issuers with URLs of their own:{" "}
                {own.map(({ id, name }, i) => (
                  <Fragment key={id}>
                    {i > 0 && ", "}
                    <a href={address("authorities", id, { action: "edit" })}>{name}</a>
                  </Fragment>
                ))}
                .
              </>
            )}
          </p>
          {isMount && <MendUrls />}
        </Note>
      ))}
    </>
  );
}
