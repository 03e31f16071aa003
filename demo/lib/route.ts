import { createStore } from "./store.ts";
import { looksLikeToken } from "./format.ts";

/**
 * Where the visitor is: `#/certificates/4f61…?status=soon` is view `certificates`, id `4f61…` and
 * one filter; an id may have a slash.
 */
interface Route {
  readonly view: string;
  readonly id: string;
  readonly query: URLSearchParams;
  /** Counts navigations: the first view does not take the focus. */
  readonly turn: number;
}

function read(turn: number): Route {
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

/** The current route. */
export const route = createStore<Route>(read(0));

/**
 * The address of a view. What looks like a token does not get into it: addresses are kept and
 * passed on.
 */
export function address(
  view: string,
  id = "",
  query: Readonly<Record<string, string>> = {},
): string {
  const filters = new URLSearchParams(
    Object.entries(query).filter(([, value]) => value !== "" && !looksLikeToken(value)),
  ).toString();
  return `#/${view}${id && `/${encodeURIComponent(id).replaceAll("%2F", "/")}`}${filters && `?${filters}`}`;
}

/** Opens a view. */
export const open = (to: string): void => void (location.hash = to);

/** Goes to an address of this page without loading it again. */
export function push(to: string): void {
  history.pushState(null, "", to);
  follow();
}

/**
 * Opens a view in the place of the one that is shown, so that the way back does not lead through
 * it.
 */
export function redirect(to: string): void {
  history.replaceState(null, "", to);
  follow();
}

/** Counts as a navigation without one: another view stands at the same address. */
export const arrive = (): void => route.set(read(route.get().turn + 1));

/** Changes the filters in the address without making a history entry or moving the focus. */
export function refine(query: Readonly<Record<string, string>>): void {
  const { view, id, turn } = route.get();
  history.replaceState(null, "", address(view, id, query));
  shown = location.search + location.hash;
  route.set(read(turn));
}

let guard: (() => boolean) | undefined;
let shown = location.search + location.hash;

/** While set, leaving the view asks `mayLeave` first; the answer takes it away again. */
export function guardLeaving(mayLeave: () => boolean): () => void {
  guard = mayLeave;
  const warn = (event: BeforeUnloadEvent): void => {
    if (!mayLeave()) event.preventDefault();
  };
  addEventListener("beforeunload", warn);
  return () => {
    guard = undefined;
    removeEventListener("beforeunload", warn);
  };
}

/**
 * Takes over what the address names now. The query of the page names the authority, so a change of
 * it is a navigation too.
 */
function follow(): void {
  const next = location.search + location.hash;
  if (next === shown) return;
  if (guard && !guard()) {
    history.replaceState(null, "", location.pathname + shown);
    return;
  }
  shown = next;
  route.set(read(route.get().turn + 1));
}
addEventListener("popstate", follow);
addEventListener("hashchange", follow);
