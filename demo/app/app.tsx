import type { ComponentType, JSX } from "preact";
import { lazy } from "../ui/lazy.tsx";
import { Empty, Head } from "../ui/page.tsx";
import { Toast } from "../ui/toast.tsx";
import { Told } from "../ui/notify.tsx";
import { connectOnly, place, signedOut } from "../lib/place.ts";
import { address, open, route } from "../lib/route.ts";
import { Sandbox, Side, Strip, TabBar } from "./navigation.tsx";
import { Top } from "./top-bar.tsx";
import { PlaceLine } from "./choose-server.tsx";
import { useStore } from "../lib/store.ts";
import { ButtonLink } from "../ui/button.tsx";

// Who opens one view of a group soon opens another, and these are small.
const beside = (): Promise<typeof import("./standalone-routes.ts")> =>
  import("./standalone-routes.ts");
const views: Readonly<Record<string, ComponentType>> = {
  start: lazy(async () => (await import("../routes/start/start.tsx")).Start),
  overview: lazy(async () => (await import("../routes/overview/overview.tsx")).Overview),
  authorities: lazy(async () => (await import("../routes/authorities/authorities.tsx")).Authority),
  certificates: lazy(
    async () => (await import("../routes/certificates/certificates.tsx")).Certificates,
  ),
  certificate: lazy(
    async () => (await import("../routes/certificates/certificate.tsx")).Certificate,
  ),
  issue: lazy(async () => (await import("../routes/issue/issue.tsx")).Issue),
  inspect: lazy(async () => (await import("../routes/inspect/inspect.tsx")).Inspect),
  roles: lazy(async () => (await import("../routes/roles/roles.tsx")).Roles),
  keys: lazy(async () => (await import("../routes/keys/keys.tsx")).Keys),
  revocation: lazy(async () => (await import("../routes/revocation/revocation.tsx")).Revocation),
  acme: lazy(async () => (await import("../routes/acme/acme.tsx")).Acme),
  est: lazy(async () => (await import("../routes/est/est.tsx")).Est),
  external: lazy(async () => (await import("../routes/external/external.tsx")).External),
  access: lazy(async () => (await import("../routes/access/access.tsx")).Access),
  system: lazy(async () => (await import("../routes/system/system.tsx")).System),
  variables: lazy(async () => (await beside()).Variables),
  settings: lazy(async () => (await beside()).Settings),
  api: lazy(async () => (await beside()).Reference),
};

const SignIn = lazy(async () => (await beside()).SignIn);
/** What is there without a token: it reads nothing of the mount. */
const withoutToken = new Set(["inspect", "settings", "variables", "api"]);

/** What the authority of this browser asks whoever looks, above every view of it. */
const Challenges = lazy(async () => (await import("./challenges.tsx")).Challenges);

function NoSuchView(): JSX.Element {
  return (
    <>
      <Head title="Nothing here" />
      <div class="card">
        <Empty text="No view has this address.">
          <ButtonLink to={address("overview")}>Overview</ButtonLink>
        </Empty>
      </div>
    </>
  );
}

/** The console: navigation around one view, or the first run alone. */
export function App(): JSX.Element {
  const { view: asked, id } = useStore(route, (value) => value);
  const where = useStore(place, (value) => value);
  const view = asked === "certificates" && id ? "certificate" : asked;
  // The variables have a token of their own, which goes nowhere that a link alone has named either.
  const asks =
    view in views &&
    ((signedOut(where) && !withoutToken.has(view)) || (where.onlyNamed && view === "variables"));
  const View = asks ? SignIn : (views[view] ?? NoSuchView);
  document.documentElement.dataset["view"] = asks ? "signin" : view;
  // A view of another authority or another object starts afresh.
  const key = `${where.kind} ${where.base} ${where.mount} ${view} ${id} ${asks}`;
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
        <Side current={asked} />
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
      <TabBar current={asked} />
      <Told />
      <Toast />
    </>
  );
}

if (connectOnly && location.hash === "" && place.get().base === "") open(address("settings"));
