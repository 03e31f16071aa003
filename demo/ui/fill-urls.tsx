import { missingPermission } from "../api/permissions.ts";
import { writeUrls } from "../api/endpoints/pki.ts";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useAct } from "../lib/use-action.ts";
import { fillAddresses, urlToFill } from "../api/certificate-urls.ts";
import { Button } from "./button.tsx";
import { Failure } from "./page.tsx";
import { notify } from "./notify.tsx";
import { announceChange, changes } from "../lib/changes.ts";
import { isLoopback } from "../lib/loopback.ts";
import { useLoad } from "../lib/use-load.ts";
import { useStore } from "../lib/store.ts";

/**
 * Returns the URL of this mount, or "" if the URLs in certificates cannot or need not be filled in.
 */
export function useUrlToFill(): string {
  const turn = useStore(changes, (value) => value.turn);
  return useLoad(urlToFill, [turn]).value ?? "";
}

/** The warning that the URLs to fill in are reachable only from this machine. */
export const LoopbackUrls = ({ url }: { url: string }): JSX.Element | null =>
  isLoopback(url) ? (
    <p class="small muted">
      Unless the mount has another URL, these URLs begin with <code class="break">{url}</code>,
      which only this machine can reach.
    </p>
  ) : null;

/**
 * The button that sets the URLs in certificates to those of this mount. Renders nothing if that is
 * impossible or already done.
 */
export function FillAddresses({ url }: { url: string }): JSX.Element | null {
  const act = useAct();
  const isDone = useRef(false);
  const fill = async (): Promise<void> => {
    const { warnings } = await fillAddresses();
    isDone.current = true;
    announceChange();
    notify("URLs saved; new certificates will include them", warnings);
  };
  const keepFocus = (): void => {
    if (!isDone.current || document.activeElement !== document.body) return;
    document.querySelector("h1")?.focus({ preventScroll: true });
  };
  // The button disappears when it has set the URLs, perhaps together with the note that contains
  // it.
  useEffect(keepFocus, [url]);
  useEffect(() => () => queueMicrotask(keepFocus), []);
  return (
    <>
      {act.error && <Failure error={act.error} />}
      {url !== "" && (
        <Button
          tiny
          lacks={missingPermission(writeUrls)}
          busy={act.busy}
          press={() => act.run(fill)}
        >
          Save this mount’s URLs now
        </Button>
      )}
    </>
  );
}
