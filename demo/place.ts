import { createStore } from "./store.ts";

/** The authority that the console shows: the one in this browser, or a Worker somewhere. */
export interface Place {
  readonly kind: "browser" | "worker";
  /** Address of the API without `/v1` and without a slash at its end. */
  readonly base: string;
  readonly mount: string;
  /** Memory only, unless somebody chose to keep it until the tab closes. */
  readonly token: string;
  /** Token of the variables API, which has its own; held like the other. */
  readonly varsToken: string;
}

/** `connect.html` has no authority of its own. */
export const connectOnly = document.documentElement.dataset["page"] === "connect";

/** The page's folder: the service worker answers below it. */
export const folder = new URL("./", location.href).href.replace(/\/$/, "");

const here: Place = { kind: "browser", base: folder, mount: "pki", token: "", varsToken: "" };
const kept = "sealwright-connection";

function recall(): Place {
  const nowhere: Place = connectOnly ? { ...here, kind: "worker", base: "" } : here;
  try {
    const saved: unknown = JSON.parse(sessionStorage.getItem(kept) ?? "null");
    if (saved === null || typeof saved !== "object") return nowhere;
    const { base, mount, token, varsToken = "" } = saved as Record<string, unknown>;
    const known = typeof base === "string" && typeof mount === "string" && typeof token === "string" && typeof varsToken === "string";
    return known ? { kind: "worker", base, mount, token, varsToken } : nowhere;
  } catch {
    return nowhere;
  }
}

/** The current authority. */
export const place = createStore<Place>(recall());

/** Turns to a Worker. The tokens stay in memory unless `keep` is chosen; tells whether that was done. */
export function connect(to: Omit<Place, "kind">, keep: boolean): boolean {
  place.set({ ...to, kind: "worker" });
  forget();
  if (!keep) return true;
  try {
    sessionStorage.setItem(kept, JSON.stringify(to));
    return true;
  } catch {
    return false;
  }
}

/** Whether the connection lasts over a reload. */
const isKept = (): boolean => {
  try {
    return sessionStorage.getItem(kept) !== null;
  } catch {
    return false;
  }
};

/** Speaks to the variables API of the same Worker with a token of its own, held like the connection. */
export function takeVarsToken(varsToken: string): void {
  const { kind: _, ...to } = place.get();
  connect({ ...to, varsToken }, isKept());
}

/** Drops a token that the variables API refused, unless another one took its place meanwhile. */
export function dropVarsToken(refused: string): void {
  if (place.get().varsToken === refused) takeVarsToken("");
}

/** Turns back to this browser (on `connect.html`: to nothing) and drops the token everywhere. */
export function disconnect(): void {
  forget();
  place.set(connectOnly ? { ...here, kind: "worker", base: "" } : here);
}

function forget(): void {
  try {
    sessionStorage.removeItem(kept);
  } catch {
    // Storage can be forbidden; then nothing was kept.
  }
}

/** What to call the authority: its host, or "This browser". */
export const placeName = ({ kind, base }: Place): string => (kind === "browser" ? "This browser" : base === "" ? "Not connected" : new URL(base).host);
