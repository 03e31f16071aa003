import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { connectionLoss, refusedToken } from "../api/transport.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Badge, Icon, Mark, type IconName } from "../ui/icon.tsx";
import {
  pageLocation,
  place,
  placeName,
  sandboxed,
  signedOut,
  signInAgain,
  switchPlace,
} from "../lib/place.ts";
import { address } from "../lib/route.ts";
import { mayCallAny, useAcl } from "../api/permissions.ts";
import { fetchSelf, cachedSelf, loginName, tokenOwner } from "../api/token-self.ts";
import { lazy } from "../ui/lazy.tsx";
import { useStore } from "../lib/store.ts";
import { clock, instant } from "../lib/time-text.ts";
import { visible } from "../lib/visible-text.ts";
import { serviceWorker } from "../lib/service-worker.ts";
import { routes } from "./routes.ts";

const ChoosePlace = lazy(async () => (await import("./choose-server.tsx")).ChoosePlace);

type MenuEntry = readonly [view: string, title: string, icon: IconName];

/** Returns the navigation entries by group, without the views that the token may not use. */
function useMenus(): readonly (readonly MenuEntry[])[] {
  useAcl();
  return [1, 2, 3].map((group) =>
    routes.flatMap(({ id, title, icon, menu, needs }) =>
      menu === group && title && icon && (!needs || mayCallAny(needs))
        ? [[id, title, icon] as const]
        : [],
    ),
  );
}

const parents: Readonly<Record<string, string>> = { authorities: "overview" };

/** The side navigation of wide windows. */
export function Side({ current }: { current: string }): JSX.Element {
  const where = useStore(place, (value) => value);
  const waiting = useStore(serviceWorker, (value) => value.waiting);
  const offline = useStore(serviceWorker, (value) => value.ready);
  const [choosing, setChoosing] = useState(false);
  const menus = useMenus();
  return (
    <aside class="side" aria-label="Authority and navigation">
      <a class="brand" href={address("overview")}>
        <Mark />
        Sealwright
      </a>
      <button class="place" type="button" onClick={() => setChoosing(true)}>
        <Icon
          name={where.kind === "browser" ? "browser" : "server"}
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
                  {view === "variables" && where.kind === "worker" && !where.varsToken && (
                    <span class="tally">needs a token</span>
                  )}
                </a>
              </li>
            ))}
          </ul>
        ))}
      </nav>
      <div class="side-foot small quiet">
        {where.kind === "browser" ? (
          <span>Nothing leaves this browser.{offline && " Works offline."}</span>
        ) : (
          <SignedIn out={signedOut(where)} />
        )}
      </div>
      {choosing && <ChoosePlace close={() => setChoosing(false)} />}
    </aside>
  );
}

/** The signed-in identity and the expiry of its token, if known. */
function SignedIn({ out }: { out: boolean }): JSX.Element {
  const self = useStore(tokenOwner, cachedSelf);
  const token = useStore(place, (value) => value.token);
  useEffect(() => {
    // after a reload the stored token has not been looked up yet, and a policy may forbid the
    // lookup
    if (token !== "" && cachedSelf(tokenOwner.get()) === undefined)
      fetchSelf().catch(() => undefined);
  }, [token]);
  if (out) return <span>Not signed in.</span>;
  if (!self) return <a href={address("access")}>Signed in with a token</a>;
  return (
    <a href={address("access")}>
      Signed in as {visible(loginName(self)) || "an unnamed token"}
      {self.expire_time !== null && `, until ${instant(new Date(self.expire_time))}`}
    </a>
  );
}

/** The sandbox notice, shown above every view of the in-browser CA if a server hosts the page. */
export function Sandbox(): JSX.Element | null {
  const kind = useStore(place, (value) => value.kind);
  if (!sandboxed || kind !== "browser") return null;
  return (
    <p class="strip sandbox">
      Sandbox: this authority lives in this browser only. Nothing here is on{" "}
      {new URL(pageLocation.origin).host}.{" "}
      <Button
        tiny
        press={() =>
          switchPlace(
            { kind: "worker", base: pageLocation.origin, mount: "pki" },
            address("overview"),
          )
        }
      >
        Leave the sandbox
      </Button>
    </p>
  );
}

/** The notice above every view while the server does not respond or has rejected the token. */
export function Strip(): JSX.Element {
  const token = useStore(place, (value) => value.token);
  const refused = useStore(refusedToken, (value) => value.token);
  const since = useStore(connectionLoss, (value) => value.since);
  const kind = useStore(place, (value) => value.kind);
  return (
    <div role="status">
      {since && kind === "worker" && (
        <p class="strip">
          No connection since {clock(since)}. Nothing can be read or changed until the connection is
          restored. The page retries automatically.
        </p>
      )}
      {token !== "" && token === refused && (
        <p class="strip">
          The token is no longer valid.{" "}
          <Button tiny press={signInAgain}>
            Sign in again
          </Button>
        </p>
      )}
    </div>
  );
}

/** The views in the navigation bar of small screens. The others are behind More. */
const tabIds: readonly string[] = ["overview", "certificates", "issue", "inspect"];

/** The navigation bar at the bottom of small screens. */
export function TabBar({ current }: { current: string }): JSX.Element {
  const [more, setMore] = useState(false);
  const waiting = useStore(serviceWorker, (value) => value.waiting);
  const close = (): void => setMore(false);
  const shown = parents[current] ?? current;
  const menus = useMenus().flat();
  const tabs = menus.filter(([view]) => tabIds.includes(view));
  const below = menus.filter(([view]) => !tabIds.includes(view));
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

/** The server and the mount above the title on small screens. */
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
