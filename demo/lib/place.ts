import { arrive, push, route } from "./route.ts";
import { createStore } from "./store.ts";
import {
  isOnlyNamed,
  readUsed,
  searchOf,
  whereOf,
  type Lying,
  type PageKind,
  type Where,
} from "./page-location.ts";

/** The authority that the console shows: the one in this browser, or a Worker somewhere. */
export interface Place extends Where, Tokens {
  /** A link may have named it: it is confirmed before a token is asked for. */
  readonly onlyNamed: boolean;
}

interface Tokens {
  /** Memory only, unless somebody chose to keep it until the tab closes. */
  readonly token: string;
  /** Token of the variables API, which has its own; held like the other. */
  readonly varsToken: string;
}

const kindOfPage = (value: string | undefined): PageKind =>
  value === "connect" || value === "worker" ? value : "index";

/** Which page this is and where it lies. */
export const lying: Lying = {
  page: kindOfPage(document.documentElement.dataset["page"]),
  origin: location.origin,
  folder: new URL("./", location.href).href.replace(/\/$/, ""),
};

/** `connect.html` has no authority of its own. */
export const connectOnly = lying.page === "connect";

/** Whether the browser's own authority is a sandbox here: the page comes from a Worker. */
export const sandboxed = lying.page === "worker";

const none: Tokens = { token: "", varsToken: "" };
const kept = "sealwright-connection";
/** Tokens by the Worker that they are for, as long as the page lives. */
const held = new Map<string, Tokens>();

/** The tokens that were kept over a reload, and the Worker they are for. */
function recall(): (Tokens & { readonly base: string }) | undefined {
  try {
    const saved: unknown = JSON.parse(sessionStorage.getItem(kept) ?? "null");
    if (saved === null || typeof saved !== "object") return undefined;
    const { base, token, varsToken = "" } = saved as Record<string, unknown>;
    return typeof base === "string" && typeof token === "string" && typeof varsToken === "string"
      ? { base, token, varsToken }
      : undefined;
  } catch {
    return undefined;
  }
}

/** The authority that the page's address names, with the tokens that are held for it. */
function read(): Place {
  const where = whereOf(location.search, lying);
  return {
    ...where,
    ...(where.kind === "worker" ? (held.get(where.base) ?? none) : none),
    onlyNamed: isOnlyNamed(where, lying, used),
  };
}

const before = recall();
if (before) held.set(before.base, { token: before.token, varsToken: before.varsToken });

const keptUsed = "sealwright-used";
/** The Workers that were signed in to or confirmed in this tab. */
const used = new Set([...held.keys(), ...recallUsed()]);
function recallUsed(): readonly string[] {
  try {
    return readUsed(sessionStorage.getItem(keptUsed));
  } catch {
    return [];
  }
}
function noteUsed(base: string): void {
  used.add(base);
  try {
    sessionStorage.setItem(keptUsed, JSON.stringify([...used]));
  } catch {
    // Storage can be forbidden; then a reload asks again.
  }
}

/** The current authority. */
export const place = createStore<Place>(read());
let shown = location.search;

// Back and forward can lead to another authority.
route.subscribe(() => {
  if (location.search === shown) return;
  shown = location.search;
  place.set(read());
});

/**
 * Reports whether a Worker is shown that no token was given for: it is asked for before anything is
 * read.
 */
export const signedOut = ({ kind, token }: Place): boolean => kind === "worker" && token === "";

/** The Workers that tokens are held for, and the one that this page comes from. */
export const knownWorkers = (): readonly string[] => [
  ...new Set([...(sandboxed ? [lying.origin] : []), ...held.keys()]),
];

/**
 * Turns to another authority, which then stands in the address. The tokens of the one before stay
 * held.
 */
export function switchPlace(where: Where, hash = location.hash): void {
  push(`${location.pathname}${searchOf(where, lying)}${hash}`);
}

/** This browser's own authority. */
export const here: Where = { kind: "browser", base: lying.folder, mount: "pki" };

/** Says that the Worker that the page's address names is the right one to give a token to. */
export function confirmPlace(): void {
  noteUsed(place.get().base);
  place.set({ onlyNamed: false });
}

/**
 * Signs in to a Worker and turns to it. The tokens stay in memory unless `keep` is chosen; tells
 * whether that was done.
 */
export function connect(
  { base, mount, token, varsToken }: Omit<Place, "kind" | "onlyNamed">,
  keep: boolean,
): boolean {
  held.set(base, { token, varsToken });
  noteUsed(base);
  const search = searchOf({ kind: "worker", base, mount }, lying);
  history.replaceState(null, "", `${location.pathname}${search}${location.hash}`);
  shown = location.search;
  place.set({ kind: "worker", base, mount, token, varsToken, onlyNamed: false });
  // The focused element is gone; the title of the requested view takes the focus.
  arrive();
  drop(kept, keptRefused);
  return !keep || keepTokens(base, { token, varsToken });
}

function keepTokens(base: string, tokens: Tokens): boolean {
  try {
    sessionStorage.setItem(kept, JSON.stringify({ base, ...tokens }));
    return true;
  } catch {
    return false;
  }
}

/**
 * Speaks to the variables API of the same Worker with a token of its own, held like the connection.
 */
export function takeVarsToken(varsToken: string): void {
  const { base, token } = place.get();
  held.set(base, { token, varsToken });
  place.set({ varsToken });
  if (recall()?.base === base) keepTokens(base, { token, varsToken });
}

/** Drops a token that the variables API refused, unless another one took its place meanwhile. */
export function dropVarsToken(refused: string): void {
  if (place.get().varsToken === refused) takeVarsToken("");
}

/**
 * Signs out of the Worker that is shown: its tokens are dropped everywhere. It stays the one that
 * is shown.
 */
export function signOut(): void {
  held.delete(place.get().base);
  // Where somebody was signed in is nobody's business after that; until the page is left it need
  // not be confirmed again.
  drop(kept, keptRefused, keptUsed);
  place.set(none);
}

const keptRefused = "sealwright-refused";
/**
 * Keeps a token no longer that its Worker does not know; that it was kept is remembered, to say so
 * also after a reload.
 */
export function forgetRefused(): void {
  const { base } = place.get();
  const told = recall()?.base === base;
  drop(kept);
  try {
    if (told) sessionStorage.setItem(keptRefused, base);
  } catch {
    // Storage can be forbidden; then nothing was kept.
  }
}
/** Reports whether the token that was kept for the Worker that is shown was refused. */
export function wasRefused(): boolean {
  try {
    return sessionStorage.getItem(keptRefused) === place.get().base;
  } catch {
    return false;
  }
}

/** Takes away what is kept in the tab under these names. */
function drop(...names: readonly string[]): void {
  try {
    for (const name of names) sessionStorage.removeItem(name);
  } catch {
    // Storage can be forbidden; then nothing was kept.
  }
}

/** Returns the name of a server: its host, or "This browser". */
export const placeName = ({ kind, base }: Where): string => {
  if (kind === "browser") return sandboxed ? "Browser sandbox" : "This browser";
  return base === "" ? "Not connected" : new URL(base).host;
};
