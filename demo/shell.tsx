import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { lost } from "./api.ts";
import { Button } from "./parts/button.tsx";
import { Dialog } from "./parts/dialog.tsx";
import { Badge, Icon, Mark, type IconName } from "./parts/icon.tsx";
import { toast } from "./parts/toast.tsx";
import {
  connectOnly,
  here,
  knownWorkers,
  lying,
  place,
  placeName,
  sandboxed,
  signedOut,
  turnTo,
} from "./place.ts";
import { address, open, route } from "./route.ts";
import { useStore } from "./store.ts";
import { choose, theme } from "./theming.ts";
import type { Where } from "./where.ts";
import { bareHex, clock, looksLikeToken } from "./words.ts";
import { serviceWorker } from "./worker.ts";

type Entry = readonly [view: string, title: string, icon: IconName];
const menus: readonly (readonly Entry[])[] = [
  [
    ["overview", "Overview", "overview"],
    ["certificates", "Certificates", "certs"],
    ["issue", "Issue", "issue"],
    ["inspect", "Inspect", "inspect"],
  ],
  [
    ["roles", "Roles", "roles"],
    ["keys", "Keys", "key"],
    ["revocation", "Revocation", "ban"],
    ["variables", "Variables", "vars"],
  ],
  [
    ["api", "API reference", "api"],
    ["settings", "Settings", "settings"],
  ],
];
const parents: Readonly<Record<string, string>> = { authorities: "overview" };

/** The side navigation of wide windows. */
export function Side({ current }: { current: string }): JSX.Element {
  const where = useStore(place, (value) => value);
  const waiting = useStore(serviceWorker, (value) => value.waiting);
  const [choosing, setChoosing] = useState(false);
  return (
    <aside class="side" aria-label="Authority and navigation">
      <a class="brand" href={address("overview")}>
        <Mark />
        Sealwright
      </a>
      <button class="place" type="button" onClick={() => setChoosing(true)}>
        <Icon
          name={where.kind === "browser" ? "browser" : "cloud"}
          tone={where.kind === "browser" ? "ok" : "info"}
        />
        <span>
          <b>{placeName(where)}</b>
          <span class="small muted">
            mount <code>{where.mount}</code>
          </span>
        </span>
        <Icon name="swap" tone="quiet" />
      </button>
      <nav class="nav" aria-label="Main">
        {menus.map((entries) => (
          <ul key={entries[0]?.[0]}>
            {entries.map(([view, title, icon]) => (
              <li key={view}>
                <a
                  href={address(view)}
                  aria-current={view === (parents[current] ?? current) ? "page" : undefined}
                >
                  <Icon name={icon} />
                  {title}
                  {view === "settings" && waiting && <span class="tally">new version</span>}
                </a>
              </li>
            ))}
          </ul>
        ))}
      </nav>
      <div class="side-foot small quiet">
        {where.kind === "browser" ? (
          <span>Nothing leaves this browser. Works offline.</span>
        ) : (
          <span>{signedOut(where) ? "Not signed in." : "Token held in this tab."}</span>
        )}
      </div>
      {choosing && <ChoosePlace close={() => setChoosing(false)} />}
    </aside>
  );
}

/** An authority to turn to. */
function Choice({
  to,
  about,
  close,
}: {
  to: Where;
  about: string;
  close: () => void;
}): JSX.Element {
  const now = place.get();
  const used = now.kind === to.kind && now.base === to.base;
  const use = (): void => {
    turnTo(to, address("overview"));
    close();
  };
  return (
    <li>
      <Icon
        name={to.kind === "browser" ? "browser" : "cloud"}
        tone={to.kind === "browser" ? "ok" : "info"}
      />
      <div>
        <b>{placeName(to)}</b>
        <p class="small muted">
          {about}
          {used && ". In use"}
        </p>
      </div>
      {!used && (
        <Button tiny press={use}>
          Use
        </Button>
      )}
    </li>
  );
}

function ChoosePlace({ close }: { close: () => void }): JSX.Element {
  const where = useStore(place, (value) => value);
  const workers = [
    ...new Set([...(where.kind === "worker" && where.base ? [where.base] : []), ...knownWorkers()]),
  ];
  const mountOf = (base: string): string => (base === where.base ? where.mount : "pki");
  return (
    <Dialog title="Which authority?" close={close}>
      <ul class="list">
        {workers.map((base) => (
          <Choice
            key={base}
            to={{ kind: "worker", base, mount: mountOf(base) }}
            about={`Worker, mount ${mountOf(base)}`}
            close={close}
          />
        ))}
        {!connectOnly && (
          <Choice
            to={here}
            about={
              sandboxed
                ? "For trying things out: nothing in it reaches the Worker"
                : "Works offline"
            }
            close={close}
          />
        )}
      </ul>
      <div class="actions">
        <a class="btn plain" href={address("settings")} onClick={close}>
          Connect another
        </a>
        <Button press={close}>Close</Button>
      </div>
    </Dialog>
  );
}

/** Said above every view of the browser's own authority where the page comes from a Worker. */
export function Sandbox(): JSX.Element | null {
  const kind = useStore(place, (value) => value.kind);
  if (!sandboxed || kind !== "browser") return null;
  return (
    <p class="strip sandbox">
      Sandbox: this authority lives in this browser only. Nothing here is on{" "}
      {new URL(lying.origin).host}.{" "}
      <Button
        tiny
        press={() =>
          turnTo({ kind: "worker", base: lying.origin, mount: "pki" }, address("overview"))
        }
      >
        Leave the sandbox
      </Button>
    </p>
  );
}

/** Said above every view while a Worker does not answer. */
export function Strip(): JSX.Element {
  const since = useStore(lost, (value) => value.since);
  const kind = useStore(place, (value) => value.kind);
  return (
    <div role="status">
      {since && kind === "worker" && (
        <p class="strip">
          No connection since {clock(since)}. Nothing can be read or changed until it is back.
        </p>
      )}
    </div>
  );
}

/** The authority's name above the title on small screens. */
export function PlaceLine(): JSX.Element {
  const where = useStore(place, (value) => value);
  const [choosing, setChoosing] = useState(false);
  return (
    <>
      <button class="place-line" type="button" onClick={() => setChoosing(true)}>
        {placeName(where)} / {where.mount}
        <Icon name="swap" />
      </button>
      {choosing && <ChoosePlace close={() => setChoosing(false)} />}
    </>
  );
}

/** Search, theme and the way to Issue. */
export function Top(): JSX.Element {
  const dark = useStore(theme, (value) => value.dark);
  // Nothing can be found there, and a token pasted at the wrong place would be searched for.
  const searches = useStore(place, (value) => !signedOut(value));
  const searched = useStore(route, (value) =>
    value.view === "certificates" ? (value.query.get("q") ?? "") : "",
  );
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
      return toast("That looks like a token: it was not searched for");
    }
    // Digits as many as those of a whole serial number can be nothing else; fewer may be the first
    // of one, more are a fingerprint.
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
        <a class="btn primary" href={address("issue")} aria-label="Issue a certificate">
          <Icon name="plus" />
          <span>Issue</span>
        </a>
      </div>
    </header>
  );
}

const tabs: readonly Entry[] = [
  ["overview", "Overview", "overview"],
  ["certificates", "Certificates", "certs"],
  ["issue", "Issue", "issue"],
  ["inspect", "Inspect", "inspect"],
];

/** The bar at the bottom of small screens. */
export function TabBar({ current }: { current: string }): JSX.Element {
  const [more, setMore] = useState(false);
  const waiting = useStore(serviceWorker, (value) => value.waiting);
  const close = (): void => setMore(false);
  const shown = parents[current] ?? current;
  const below = menus.slice(1).flat();
  return (
    <nav class="tabbar" aria-label="Main, small screen">
      {tabs.map(([view, title, icon]) => (
        <a key={view} href={address(view)} aria-current={view === shown ? "page" : undefined}>
          <Icon name={icon} />
          {title}
        </a>
      ))}
      <button
        type="button"
        aria-current={below.some(([view]) => view === shown) ? "true" : undefined}
        onClick={() => setMore(true)}
      >
        <Icon name="more" />
        {waiting && <i class="dot" />}
        More
        {waiting && <span class="hidden-text">, a new version is ready</span>}
      </button>
      {more && (
        <Dialog title="More" close={close}>
          <ul class="list">
            {below.map(([view, title, icon]) => (
              <li key={view}>
                <Icon name={icon} />
                <div>
                  <a
                    href={address(view)}
                    aria-current={view === shown ? "page" : undefined}
                    onClick={close}
                  >
                    {title}
                  </a>{" "}
                  {view === "settings" && waiting && <Badge tone="accent">new version</Badge>}
                </div>
              </li>
            ))}
          </ul>
          <div class="actions">
            <Button press={close}>Close</Button>
          </div>
        </Dialog>
      )}
    </nav>
  );
}
