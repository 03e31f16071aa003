import { visible } from "./visible-text.ts";

/** An issuer's ID, its name in the API and its common name. Either name may be empty. */
type NamedIssuer = readonly [id: string, name: string, title: string];

/**
 * Returns the display names of issuers by ID: the common name, followed by the API name if several
 * issuers share the common name. If the common name is unknown, the display name is the API name or
 * the beginning of the ID.
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
