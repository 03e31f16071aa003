import { Fragment, type JSX } from "preact";
import { readPolicy } from "../../api/endpoints/sys.ts";
import { missingPermission, useAcl } from "../../api/permissions.ts";
import { address } from "../../lib/route.ts";
import { visible } from "../../lib/visible-text.ts";

/**
 * Names that are not links: the built-in policy `root`, which has no text, and `draft`, an unsaved
 * policy.
 */
const linkless = new Set(["root", "draft"]);

/** Names of policies, each of which is a link if the token may read the policy. */
export function PolicyLinks({ names }: { names: readonly string[] }): JSX.Element {
  useAcl();
  if (names.length === 0) return <>None</>;
  return (
    <>
      {names.map((name, i) => (
        <Fragment key={name}>
          {i > 0 && ", "}
          {linkless.has(name) || missingPermission(readPolicy, { name }) !== "" ? (
            visible(name)
          ) : (
            <a href={address("access", `policies/${name}`)}>{visible(name)}</a>
          )}
        </Fragment>
      ))}
    </>
  );
}
