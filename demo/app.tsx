import type { ComponentType, JSX } from "preact";
import { lazy } from "./lazy.tsx";
import { Empty, Head } from "./parts/page.tsx";
import { Toast } from "./parts/toast.tsx";
import { connectOnly, place } from "./place.ts";
import { address, open, route } from "./route.ts";
import { Side, Strip, TabBar, Top, PlaceLine } from "./shell.tsx";
import { useStore } from "./store.ts";
import { ButtonLink } from "./parts/button.tsx";
import { Start } from "./views/start.tsx";

const more = (): Promise<typeof import("./views/more.ts")> => import("./views/more.ts");
const views: Readonly<Record<string, ComponentType>> = {
  start: Start,
  overview: lazy(async () => (await more()).Overview),
  authorities: lazy(async () => (await more()).Authority),
  certificates: lazy(async () => (await more()).Certificates),
  certificate: lazy(async () => (await more()).Certificate),
  issue: lazy(async () => (await import("./views/issue.tsx")).Issue),
  inspect: lazy(async () => (await import("./views/inspect.tsx")).Inspect),
  roles: lazy(async () => (await import("./views/roles.tsx")).Roles),
  keys: lazy(async () => (await import("./views/keys.tsx")).Keys),
  revocation: lazy(async () => (await import("./views/revocation.tsx")).Revocation),
  variables: lazy(async () => (await import("./views/variables.tsx")).Variables),
  settings: lazy(async () => (await import("./views/settings.tsx")).Settings),
  api: lazy(async () => (await import("./views/reference.tsx")).Reference),
};

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
  const View = views[view] ?? NoSuchView;
  document.documentElement.dataset["view"] = view;
  document.documentElement.dataset["place"] = where.kind;
  // A view of another authority or another object starts afresh.
  const key = `${where.kind} ${where.base} ${where.mount} ${view} ${id}`;
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
            <Strip />
            <View key={key} />
          </main>
        </div>
      </div>
      <TabBar current={asked} />
      <Toast />
    </>
  );
}

if (connectOnly && location.hash === "" && place.get().base === "") open(address("settings"));
