import { useEffect } from "preact/hooks";
import { place } from "../../lib/place.ts";
import { refine, route } from "../../lib/route.ts";
import { useStore } from "../../lib/store.ts";
import type { Choices } from "./directory-choice.tsx";
import type { Directory } from "./directories.ts";

/** The query of the URL that stands for no role. It is not a valid name of a role. */
const noRole = "*";

type Query = Readonly<Record<string, string>>;
/** The last selections of this page, by server and mount. */
const selections = new Map<string, Query>();
const mountKey = (): string => `${place.get().base} ${place.get().mount}`;

/** Returns the query of the URL that stands for a directory and an EAB key. */
const queryFor = ({ role, issuer }: Directory, eab: string): Query => ({
  role: role || noRole,
  issuer,
  eab,
});

/** Returns the directory in a query, or the first role's if the query names none that exists. */
function directoryIn(query: URLSearchParams, { roles, issuers }: Choices): Directory {
  const [role, issuer] = [query.get("role") ?? "", query.get("issuer") ?? ""];
  return {
    role: role === noRole ? "" : roles.includes(role) ? role : (roles[0] ?? ""),
    issuer: issuers.some(([ref]) => ref === issuer) ? issuer : "",
  };
}

/**
 * Returns the selected directory and the ID of the selected EAB key, which are in the URL, and a
 * function that changes them. If the URL names none, the page restores its last selection.
 */
export function useSelection(of: Choices): {
  readonly directory: Directory;
  readonly eab: string;
  readonly select: (directory: Directory, eab: string) => void;
} {
  const query = useStore(route, (value) => value.query);
  useEffect(() => {
    const last = selections.get(mountKey());
    if (last && !query.has("role")) refine(last);
  }, []);
  return {
    directory: directoryIn(query, of),
    eab: query.get("eab") ?? "",
    select: (directory, eab) => {
      const next = queryFor(directory, eab);
      selections.set(mountKey(), next);
      refine(next);
    },
  };
}
