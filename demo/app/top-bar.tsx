import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import * as pki from "../api/endpoints/pki.ts";
import { mayCallAny, useAcl } from "../api/permissions.ts";
import { Icon } from "../ui/icon.tsx";
import { toast } from "../ui/toast.tsx";
import { place, signedOut } from "../lib/place.ts";
import { address, open, route } from "../lib/route.ts";
import { useStore } from "../lib/store.ts";
import { choose, theme } from "../lib/color-theme.ts";
import { bareHex, looksLikeToken } from "../lib/format.ts";

/** Search, theme, and the link to Issue. */
export function Top(): JSX.Element {
  const dark = useStore(theme, (value) => value.dark);
  // Without a token a search finds nothing, and a token pasted into the wrong field would be
  // searched for.
  const searches = useStore(place, (value) => !signedOut(value));
  const searched = useStore(route, (value) =>
    value.view === "certificates" ? (value.query.get("q") ?? "") : "",
  );
  useAcl();
  const issues = searches && mayCallAny([pki.issue, pki.sign]);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const key = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.key !== "k") return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);
  const find = (event: Event): void => {
    event.preventDefault();
    const words = input.current?.value.trim() ?? "";
    if (input.current && looksLikeToken(words)) {
      input.current.value = "";
      return toast("That looks like a token, so it was not searched for");
    }
    // A text as long as a serial number can only be one; a shorter text may be a prefix, a longer
    // one is a fingerprint.
    open(
      /^(?:..){19,20}$/.test(bareHex(words)) && /^[0-9a-f]+$/.test(bareHex(words))
        ? address("certificates", bareHex(words))
        : address("certificates", "", { q: words }),
    );
  };
  return (
    <header class="top">
      <form class="find" role="search" onSubmit={find} hidden={!searches}>
        <Icon name="search" />
        <input
          ref={input}
          type="search"
          placeholder="Name, serial number or fingerprint"
          aria-label="Search certificates"
          autocomplete="off"
          spellcheck={false}
          defaultValue={searched}
          key={searched}
        />
        <kbd aria-hidden="true">Ctrl K</kbd>
      </form>
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
          <a class="btn primary" href={address("issue")} aria-label="Issue a certificate">
            <Icon name="plus" />
            <span>Issue</span>
          </a>
        )}
      </div>
    </header>
  );
}
