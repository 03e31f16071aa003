import { address, anonymousViews, arrive, leaveView, open, push, route } from "./route.ts";
import { createStore } from "./store.ts";
import {
  isOnlyNamed,
  readUsed,
  searchOf,
  serverOf,
  type PageLocation,
  type PageKind,
  type ServerAddress,
} from "./page-location.ts";

/** The server that the console shows: a remote one, or the CA in this browser. */
export interface Place extends ServerAddress, Tokens {
  /**
   * Whether only the page's URL specifies the server, so that the user must confirm it before a
   * token is requested.
   */
  readonly onlyNamed: boolean;
}

interface Tokens {
  /**
   * The token. It is kept only in memory, unless the user chose to store it until the tab is
   * closed.
   */
  readonly token: string;
  /** The token of the variables API. It is stored in the same way as the server's main token. */
  readonly varsToken: string;
}

const kindOfPage = (value: string | undefined): PageKind =>
  value === "connect" || value === "worker" ? value : "index";

/** The kind and location of this page. */
export const pageLocation: PageLocation = {
  page: kindOfPage(document.documentElement.dataset["page"]),
  origin: location.origin,
  folder: new URL("./", location.href).href.replace(/\/$/, ""),
};

/** Whether this page is `connect.html`, which does not have its own CA. */
export const connectOnly = pageLocation.page === "connect";

/** Whether the CA in this browser is only a sandbox, because a server hosts the page. */
export const sandboxed = pageLocation.page === "worker";

const none: Tokens = { token: "", varsToken: "" };
const storageKey = "sealwright-connection";
/** Tokens by server. They are lost when the page is closed. */
const tokensByWorker = new Map<string, Tokens>();

/** Returns the tokens that the tab has stored, and their server. */
function recall(): (Tokens & { readonly base: string }) | undefined {
  try {
    const saved: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? "null");
    if (saved === null || typeof saved !== "object") return undefined;
    const { base, token, varsToken = "" } = saved as Record<string, unknown>;
    return typeof base === "string" && typeof token === "string" && typeof varsToken === "string"
      ? { base, token, varsToken }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the server that the page opens, with its tokens. */
function readPlace(): Place {
  const where = serverOf(location.search, pageLocation);
  return {
    ...where,
    ...(where.kind === "worker" ? (tokensByWorker.get(where.base) ?? none) : none),
    onlyNamed: isOnlyNamed(where, pageLocation, used),
  };
}

const before = recall();
if (before) tokensByWorker.set(before.base, { token: before.token, varsToken: before.varsToken });

const usedServersKey = "sealwright-used";
/** The servers that the user has signed in to or confirmed in this tab. */
const used = new Set([...tokensByWorker.keys(), ...recallUsed()]);
function recallUsed(): readonly string[] {
  try {
    return readUsed(sessionStorage.getItem(usedServersKey));
  } catch {
    return [];
  }
}
function noteUsed(base: string): void {
  used.add(base);
  try {
    sessionStorage.setItem(usedServersKey, JSON.stringify([...used]));
  } catch {
    // The browser may block storage; then the user must confirm the server again after a reload.
  }
}

/** The server that the console currently shows, with its tokens. */
export const place = createStore<Place>(readPlace());
let shown = location.search;

// Back and Forward may switch to another server.
route.subscribe(() => {
  if (location.search === shown) return;
  shown = location.search;
  place.set(readPlace());
});

/**
 * Reports whether a remote server is shown without a token. The page then asks for one before it
 * reads anything.
 */
export const signedOut = ({ kind, token }: Place): boolean => kind === "worker" && token === "";

/**
 * Returns the server that hosts this page, if any, and the servers for which the page has tokens.
 */
export const connectedWorkers = (): readonly string[] => [
  ...new Set([...(sandboxed ? [pageLocation.origin] : []), ...tokensByWorker.keys()]),
];

/**
 * Switches to another server and updates the page's URL. Keeps the tokens of the previous server.
 */
export function switchPlace(where: ServerAddress, hash = location.hash): void {
  push(`${location.pathname}${searchOf(where, pageLocation)}${hash}`);
}

/** The CA in this browser. */
export const here: ServerAddress = { kind: "browser", base: pageLocation.folder, mount: "pki" };

/**
 * Records that the user has confirmed the server in the page's URL, which may then receive a token.
 */
export function confirmPlace(): void {
  noteUsed(place.get().base);
  place.set({ onlyNamed: false });
}

/**
 * Signs in to a server and switches to it. Stores the tokens in this tab if `keep` is set;
 * otherwise they stay in memory. Returns false if they could not be stored.
 */
export function connect(
  { base, mount, token, varsToken }: Omit<Place, "kind" | "onlyNamed">,
  keep: boolean,
): boolean {
  tokensByWorker.set(base, { token, varsToken });
  noteUsed(base);
  const search = searchOf({ kind: "worker", base, mount }, pageLocation);
  history.replaceState(history.state, "", `${location.pathname}${search}${location.hash}`);
  shown = location.search;
  place.set({ kind: "worker", base, mount, token, varsToken, onlyNamed: false });
  // The focused element has disappeared, so move the focus to the title of the requested view.
  arrive();
  drop(storageKey, refusedTokenKey);
  return !keep || storeTokens(base, { token, varsToken });
}

function storeTokens(base: string, tokens: Tokens): boolean {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify({ base, ...tokens }));
    return true;
  } catch {
    return false;
  }
}

/**
 * Sets the token for the variables API of the current server, and stores it in the same way as the
 * server's main token.
 */
export function setVarsToken(varsToken: string): void {
  const { base, token } = place.get();
  tokensByWorker.set(base, { token, varsToken });
  place.set({ varsToken });
  if (recall()?.base === base) storeTokens(base, { token, varsToken });
}

/** Deletes a token that the variables API rejected, unless it has been replaced meanwhile. */
export function dropVarsToken(refused: string): void {
  if (place.get().varsToken === refused) setVarsToken("");
}

/** Signs out of the current server by deleting its tokens everywhere. The server stays selected. */
export function signOut(): void {
  tokensByWorker.delete(place.get().base);
  // Nothing that is stored may reveal where the user was signed in. Until the page is closed, the
  // server needs no new confirmation.
  drop(storageKey, refusedTokenKey, usedServersKey, recentEntriesKey);
  place.set(none);
}

/**
 * Discards the token and asks for another one over the current view. If input would be lost, asks
 * the user first.
 */
export const signInAgain = (): void =>
  leaveView(() => {
    tokensByWorker.delete(place.get().base);
    place.set({ token: "" });
    if (anonymousViews.has(route.get().view)) open(address("overview"));
  });

/** The session storage key of the palette's recent choices. */
export const recentEntriesKey = "sealwright-recent";
const refusedTokenKey = "sealwright-refused";
/**
 * Deletes a stored token that its server rejected, and records the rejection, so that the page can
 * still report it after a reload.
 */
export function forgetRefused(): void {
  const { base } = place.get();
  const wasStored = recall()?.base === base;
  drop(storageKey);
  try {
    if (wasStored) sessionStorage.setItem(refusedTokenKey, base);
  } catch {
    // The browser may block storage; then nothing was stored.
  }
}
/** Reports whether the current server has rejected its stored token. */
export function wasRefused(): boolean {
  try {
    return sessionStorage.getItem(refusedTokenKey) === place.get().base;
  } catch {
    return false;
  }
}

/** Deletes items from the tab's storage. */
function drop(...names: readonly string[]): void {
  try {
    for (const name of names) sessionStorage.removeItem(name);
  } catch {
    // The browser may block storage; then nothing was stored.
  }
}

/** Returns the name of a server: its host, or a label such as "This browser". */
export const placeName = ({ kind, base }: ServerAddress): string => {
  if (kind === "browser") return sandboxed ? "Browser sandbox" : "This browser";
  return base === "" ? "Not connected" : new URL(base).host;
};
