import { createStore } from "./store.ts";
import { isTokenLike } from "./token-syntax.ts";

/**
 * The current view, ID and filters: `#/certificates/4f61…?status=soon` is the view `certificates`
 * with the ID `4f61…` and one filter. IDs can contain slashes.
 */
interface Route {
  readonly view: string;
  readonly id: string;
  readonly query: URLSearchParams;
  /** Number of navigations so far. It is 0 for the first view, which does not take the focus. */
  readonly turn: number;
}

function readRoute(turn: number): Route {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [view = "", ...rest] = path.split("/");
  return {
    view: view || "overview",
    id: decode(rest.join("/")),
    query: new URLSearchParams(query),
    turn,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The route that is parsed from the URL fragment. */
export const route = createStore<Route>(readRoute(0));

/**
 * Returns the URL fragment of a view. Omits query values that look like tokens, because URLs are
 * kept in the browser's history and shared.
 */
export function address(
  view: string,
  id = "",
  query: Readonly<Record<string, string>> = {},
): string {
  const filters = new URLSearchParams(
    Object.entries(query).filter(([, value]) => value !== "" && !isTokenLike(value)),
  ).toString();
  return `#/${view}${id && `/${encodeURIComponent(id).replaceAll("%2F", "/")}`}${filters && `?${filters}`}`;
}

/** IDs of the views that require no token, because they read nothing from the mount. */
export const anonymousViews: ReadonlySet<string> = new Set([
  "inspect",
  "variables",
  "api",
  "settings",
]);

/** Opens the view at a URL fragment. */
export const open = (to: string): void => void (location.hash = to);

/** Returns the position of an entry in the browser's history, which is stored with the entry. */
const positionOf = (state: unknown): number | undefined =>
  typeof state === "object" && state !== null && "at" in state && typeof state.at === "number"
    ? state.at
    : undefined;
let position = positionOf(history.state) ?? 0;
history.replaceState({ at: position }, "");

/** Opens a URL of this page without reloading it. */
export function push(to: string): void {
  history.pushState({ at: position + 1 }, "", to);
  follow();
}

/**
 * Opens a URL in place of the current entry in the browser's history, so that Back does not return
 * to it.
 */
export function redirect(to: string): void {
  history.replaceState(history.state, "", to);
  follow();
}

/** Counts a navigation although the URL is the same. Call it when another view has appeared. */
export const arrive = (): void => route.set(readRoute(route.get().turn + 1));

/** Changes the filters in the URL, without a new history entry and without moving the focus. */
export function refine(query: Readonly<Record<string, string>>): void {
  const { view, id, turn } = route.get();
  history.replaceState(history.state, "", address(view, id, query));
  shown = location.search + location.hash;
  route.set(readRoute(turn));
}

/** Returns the name of the dialog that the URL opens, and removes it from the URL. */
export function requestedDialog(): string {
  const { do: name = "", ...filters } = Object.fromEntries(route.get().query);
  if (name !== "") refine(filters);
  return name;
}

/**
 * A function that reports whether the user may leave the view. A guard that asks the user can later
 * call `again` to repeat the navigation. If `again` is absent, the window is being closed and the
 * browser asks.
 */
type Guard = (again?: () => void) => boolean;
const guards = new Set<Guard>();
let shown = location.search + location.hash;

/**
 * Registers a guard against leaving the view, and returns a function that removes it. Of several
 * guards, the first that objects asks the user.
 */
export function guardLeaving(mayLeave: Guard): () => void {
  guards.add(mayLeave);
  const warn = (event: BeforeUnloadEvent): void => {
    if (!mayLeave()) event.preventDefault();
  };
  addEventListener("beforeunload", warn);
  return () => {
    guards.delete(mayLeave);
    removeEventListener("beforeunload", warn);
  };
}

/** Runs `act`, which removes the view. If a guard asks the user first, `act` may run later. */
export function leaveView(act: () => void): void {
  if ([...guards].every((mayLeave) => mayLeave(act))) act();
}

/** A navigation that a guard has stopped and from which the browser has not yet returned. */
interface RefusedNavigation {
  readonly at: number;
  readonly to: string;
  /** Repeats the navigation once the browser has returned. */
  repeat?: () => void;
}
let refused: RefusedNavigation | undefined;

/**
 * Handles a change of the URL. The query specifies the server, so a change of the query is a
 * navigation too. If a guard stops a navigation, returns to the previous entry in the browser's
 * history.
 */
function follow(): void {
  const next = location.search + location.hash;
  if (next === shown) {
    const repeat = refused?.repeat;
    refused = undefined;
    return repeat?.();
  }
  const at = positionOf(history.state) ?? position + 1;
  // a navigation fires two events, popstate and hashchange
  if (refused?.at === at && refused.to === next) return;
  const go = (): void => (at > position ? push(next) : history.go(at - position));
  // while the browser is still returning, another step would start from the wrong entry
  const repeat = (): void => {
    if (refused) refused.repeat = go;
    else go();
  };
  if (![...guards].every((mayLeave) => mayLeave(repeat))) {
    if (at === position) return history.replaceState(history.state, "", location.pathname + shown);
    refused = { at, to: next };
    return history.go(position - at);
  }
  refused = undefined;
  position = at;
  history.replaceState({ at }, "");
  shown = next;
  route.set(readRoute(route.get().turn + 1));
}
addEventListener("popstate", follow);
addEventListener("hashchange", follow);
