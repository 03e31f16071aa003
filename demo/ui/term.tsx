import type { JSX } from "preact";
import { address } from "../lib/route.ts";
import { terms } from "../lib/terms.ts";

/** What a word of the field means, in one sentence, and where more is said. */
export function Explained({ of }: { of: keyof typeof terms }): JSX.Element {
  const [about, endpoint, more] = terms[of];
  return (
    <>
      {about} <a href={address("api", endpoint)}>{more}</a>
    </>
  );
}
