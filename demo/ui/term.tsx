import type { JSX } from "preact";
import { address } from "../lib/route.ts";
import { terms } from "../lib/terms.ts";

/** Explains a technical term in one sentence, with a link to more. */
export function TermText({ of }: { of: keyof typeof terms }): JSX.Element {
  const [about, endpoint, more] = terms[of];
  return (
    <>
      {about} <a href={address("api", endpoint)}>{more}</a>
    </>
  );
}
