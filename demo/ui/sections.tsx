import type { ComponentType, JSX } from "preact";
import type { Endpoint, Method } from "../api/endpoint.ts";
import { mayCallAny, useAcl } from "../api/permissions.ts";
import { address, route } from "../lib/route.ts";
import { useStore } from "../lib/store.ts";

/**
 * A section of a view, with the URL `#/view/id` and all URLs under it. The section is omitted if
 * the token may not call any of the endpoints in `needs`.
 */
export type Section<P> = readonly [
  id: string,
  title: string,
  shown: ComponentType<P>,
  needs?: readonly Endpoint<Method>[],
];

/** Returns the section with the given ID, or else the first. */
const current = <P,>(of: readonly Section<P>[], id: string): Section<P> | undefined =>
  of.find(([part]) => part === id.split("/")[0]) ?? of[0];

/** The navigation between the sections of a view. */
export function Sections<P>({
  of,
  view,
  label,
}: {
  of: readonly Section<P>[];
  view: string;
  label: string;
}): JSX.Element {
  const id = useStore(route, (value) => value.id);
  useAcl();
  const allowed = of.filter(([, , , needs]) => !needs || mayCallAny(needs));
  return (
    <nav class="tabs" aria-label={label}>
      {allowed.map(([part, title]) => (
        <a
          key={part}
          href={address(view, part)}
          aria-current={part === current(of, id)?.[0] ? "page" : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}

/** Returns the current section. */
export function useSection<P>(of: readonly Section<P>[]): ComponentType<P> | undefined {
  const id = useStore(route, (value) => value.id);
  return current(of, id)?.[2];
}
