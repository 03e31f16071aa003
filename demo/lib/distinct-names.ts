import { visible } from "./format.ts";

/** An issuer's id, its name in the API and its common name; either name may be empty. */
type NamedIssuer = readonly [id: string, name: string, title: string];

/**
 * Returns the display names of issuers by id: the common name, followed by the API name where
 * several issuers share it. If the common name is unknown, returns the API name or the beginning of
 * the id.
 */
export function distinctNames(all: readonly NamedIssuer[]): ReadonlyMap<string, string> {
  return new Map(
    all.map(([id, name, title]) => {
      const short = visible(name) || id.slice(0, 8);
      const isShared = all.filter(([, , other]) => other === title).length > 1;
      return [id, title === "" ? short : isShared ? `${title} (${short})` : title];
    }),
  );
}
