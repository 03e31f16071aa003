import type { JSX } from "preact";
import { address } from "../lib/route.ts";
import { terms } from "../lib/terms.ts";

/** A sentence that explains a technical term, with a link to further information. */
export function TermText({ of }: { of: keyof typeof terms }): JSX.Element {
  const [about, endpoint, more] = terms[of];
  return (
    <>
      {about} <a href={address("api", endpoint)}>{more}</a>
    </>
  );
}
