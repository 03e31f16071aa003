import { Fragment, type JSX } from "preact";
import { address } from "../route.ts";
import { visible } from "../words.ts";

/** Names of policies, each a way to it. */
export function Policied({ names }: { names: readonly string[] }): JSX.Element {
  if (names.length === 0) return <>None</>;
  return (
    <>
      {names.map((name, i) => (
        <Fragment key={name}>
          {i > 0 && ", "}
          {name === "root" ? (
            "root"
          ) : (
            <a href={address("access", `policies/${name}`)}>{visible(name)}</a>
          )}
        </Fragment>
      ))}
    </>
  );
}
