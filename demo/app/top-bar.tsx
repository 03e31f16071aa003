import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import * as pki from "../api/endpoints/pki.ts";
import { mayCallAny, useAcl } from "../api/permissions.ts";
import { Icon } from "../ui/icon.tsx";
import { lazy } from "../ui/lazy.tsx";
import { place, signedOut } from "../lib/place.ts";
import { address } from "../lib/route.ts";
import { useStore } from "../lib/store.ts";
import { choose, theme } from "../lib/color-theme.ts";

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

const Palette = lazy(async () => (await import("./palette.tsx")).Palette);

/** Opens the palette on Ctrl+K (⌘K), unless another dialog is open. */
function usePaletteKey(show: () => void): void {
  useEffect(() => {
    const key = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      if (!document.querySelector("dialog[open]")) show();
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);
}

/** The buttons for the palette and the theme, and the link to Issue. */
export function Top(): JSX.Element {
  const dark = useStore(theme, (value) => value.dark);
  // Without a token there is hardly anything to find.
  const searches = useStore(place, (value) => !signedOut(value));
  const [finding, find] = useState(false);
  useAcl();
  const issues = searches && mayCallAny([pki.issue, pki.sign]);
  usePaletteKey(() => find(true));
  return (
    <header class="top">
      <search class="find" hidden={!searches}>
        <button type="button" aria-keyshortcuts="Control+K Meta+K" onClick={() => find(true)}>
          <Icon name="search" />
          <span>Search or go to…</span>
          <kbd aria-hidden="true">{isApple ? "⌘ K" : "Ctrl K"}</kbd>
        </button>
      </search>
      {finding && <Palette close={() => find(false)} />}
      <div class="end">
        <button
          class="btn plain square"
          type="button"
          aria-label={dark ? "Use the light theme" : "Use the dark theme"}
          onClick={() => choose(dark ? "light" : "dark")}
        >
          <Icon name="theme" />
        </button>
        {issues && (
          <a class="btn issues" href={address("issue")} aria-label="Issue a certificate">
            <Icon name="plus" />
            <span>Issue</span>
          </a>
        )}
      </div>
    </header>
  );
}
