import { Fragment, type JSX } from "preact";
import { urls } from "../../api/certificate-urls.ts";
import { changes } from "../../lib/changes.ts";
import { issuers } from "../../api/issuers.ts";
import type { CrlConfig } from "../../lib/crl-config.ts";
import { address } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { lazy } from "../../ui/lazy.tsx";
import { Note } from "../../ui/page.tsx";
import { missingCrlUrls, type MissingCrlUrls } from "./crl-urls.ts";

const MendUrls = lazy(async () => (await import("../../ui/repair-urls.tsx")).RepairUrls);

const words: Readonly<Record<MissingCrlUrls["kind"], readonly [title: string, about: string]>> = {
  shards: [
    "New certificates are not assigned to a CRL shard",
    "New certificates contain no HTTP URL for CRLs, so they cannot be assigned to a shard.",
  ],
  delta: [
    "New certificates do not contain the URL of the delta CRL",
    "Clients find delta CRLs through the freshest CRL extension, which requires the URL of the delta CRL.",
  ],
};

/**
 * Notes about CRLs whose URLs are missing from new certificates, with buttons that set the URLs.
 */
export function CrlUrlAdvice({ config }: { config: CrlConfig }): JSX.Element | null {
  const turn = useStore(changes, (value) => value.turn);
  const isAsked = (config.shards ?? 0) > 0 || config.enable_delta === true;
  const result = useLoad(
    async () =>
      isAsked ? missingCrlUrls(config, ...(await Promise.all([urls(), issuers()]))) : [],
    [turn, config.shards, config.enable_delta, config.disable],
  );
  // without permission to read the URLs, nothing is known about them
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
                Issuers with their own URLs:{" "}
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
