import { Fragment, type JSX } from "preact";
import { address } from "../../lib/route.ts";
import { visible } from "../../lib/format.ts";

/** One that has no text, and what a text that is not saved is called. */
const linkless = new Set(["root", "draft"]);

/** Names of policies, each a way to it. */
export function PolicyLinks({ names }: { names: readonly string[] }): JSX.Element {
  if (names.length === 0) return <>None</>;
  return (
    <>
      {names.map((name, i) => (
        <Fragment key={name}>
          {i > 0 && ", "}
          {linkless.has(name) ? (
            visible(name)
          ) : (
            <a href={address("access", `policies/${name}`)}>{visible(name)}</a>
          )}
        </Fragment>
      ))}
    </>
  );
}
