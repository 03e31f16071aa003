import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { lazy } from "../ui/lazy.tsx";
import { Empty, Head } from "../ui/page.tsx";
import { Toast } from "../ui/toast.tsx";
import { WarningDialog } from "../ui/notify.tsx";
import { connectOnly, place, signedOut } from "../lib/place.ts";
import { address, anonymousViews, open, route } from "../lib/route.ts";
import { PlaceLine, Sandbox, Side, Strip, TabBar } from "./navigation.tsx";
import { Top } from "./top-bar.tsx";
import { routes, SignIn } from "./routes.ts";
import { useStore } from "../lib/store.ts";
import { ButtonLink } from "../ui/button.tsx";

/** Pending ACME challenges of the CA in this browser, shown above every view. */
const Challenges = lazy(async () => (await import("./challenges.tsx")).Challenges);

function NoSuchView(): JSX.Element {
  return (
    <>
      <Head title="Nothing here" />
      <div class="card">
        <Empty text="Page not found.">
          <ButtonLink to={address("overview")}>Overview</ButtonLink>
        </Empty>
      </div>
    </>
  );
}

/**
 * Renders the view again twice a minute, so that relative times such as "22 minutes ago" stay
 * correct.
 */
function useClock(): void {
  const [, set] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || set(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
}

/** The console: the navigation and the current view. */
export function App(): JSX.Element {
  const { view: requestedView, id } = useStore(route, (value) => value);
  const where = useStore(place, (value) => value);
  useClock();
  const view = requestedView === "certificates" && id ? "certificate" : requestedView;
  // Like the main token, the token of the variables API is not sent to a server that only the
  // page's URL specifies.
  const entry = routes.find((one) => one.id === view);
  const needsSignIn =
    entry !== undefined &&
    ((signedOut(where) && !anonymousViews.has(view)) || (where.onlyNamed && view === "variables"));
  const View = needsSignIn ? SignIn : (entry?.View ?? NoSuchView);
  document.documentElement.dataset["view"] = needsSignIn ? "signin" : view;
  // A view starts with fresh state when the server, the mount or the object changes.
  const key = `${where.kind} ${where.base} ${where.mount} ${view} ${id} ${needsSignIn}`;
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("main")?.focus();
        }}
      >
        Skip to content
      </a>
      <div class="app">
        <Side current={requestedView} />
        <div>
          <Top />
          <main id="main" tabIndex={-1}>
            <PlaceLine />
            <Sandbox />
            <Strip />
            {where.kind === "browser" && <Challenges />}
            <View key={key} />
          </main>
        </div>
      </div>
      <TabBar current={requestedView} />
      <WarningDialog />
      <Toast />
    </>
  );
}

if (connectOnly && location.hash === "" && place.get().base === "") open(address("settings"));
