import { createStore } from "./store.ts";

/** The authority that the console shows: the one in this browser, or a Worker somewhere. */
export interface Place {
  readonly kind: "browser" | "worker";
  /** Address of the API without `/v1` and without a slash at its end. */
  readonly base: string;
  readonly mount: string;
  /** Memory only, unless somebody chose to keep it until the tab closes. */
  readonly token: string;
}

/** `connect.html` has no authority of its own. */
export const connectOnly = document.documentElement.dataset["page"] === "connect";

/** The page's folder: the service worker answers below it. */
export const folder = new URL("./", location.href).href.replace(/\/$/, "");

const here: Place = { kind: "browser", base: folder, mount: "pki", token: "" };
const kept = "sealwright-connection";

function recall(): Place {
  const nowhere: Place = connectOnly ? { ...here, kind: "worker", base: "" } : here;
  try {
    const saved: unknown = JSON.parse(sessionStorage.getItem(kept) ?? "null");
    if (saved === null || typeof saved !== "object") return nowhere;
    const { base, mount, token } = saved as Record<string, unknown>;
    return typeof base === "string" && typeof mount === "string" && typeof token === "string" ? { kind: "worker", base, mount, token } : nowhere;
  } catch {
    return nowhere;
  }
}

/** The current authority. */
export const place = createStore<Place>(recall());

/** Turns to a Worker. The token stays in memory unless `keep` is chosen. */
export function connect(base: string, mount: string, token: string, keep: boolean): void {
  place.set({ kind: "worker", base, mount, token });
  forget();
  if (keep) sessionStorage.setItem(kept, JSON.stringify({ base, mount, token }));
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
