import { CaError } from "../../base/errors.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { methods } from "../rows/methods.ts";
import { effectiveTtls } from "../../engine/new-mount.ts";
import type { TokenRow } from "../rows/tokens.ts";
import type { Expect } from "../../engine/ports.ts";
import { rowReader } from "../../engine/row-reader.ts";
import { systemTtls, type TtlBounds } from "./lifetime.ts";

/** The settings of a role or user that affect renewals. */
interface Source {
  readonly token_ttl: number;
  readonly token_max_ttl: number;
  readonly token_period: number;
  readonly token_policies: readonly string[];
  readonly token_no_default_policy: boolean;
}
const storedSource = rowReader<Source>({
  token_ttl: 0,
  token_max_ttl: 0,
  token_period: 0,
  token_policies: [],
  token_no_default_policy: false,
});

/**
 * Returns the policies of a token that a login issues, sorted. Throws `malformed` if they include
 * `root`, which no login grants.
 */
export function loginPolicies({
  token_policies: policies,
  token_no_default_policy,
}: Pick<Source, "token_policies" | "token_no_default_policy">): readonly string[] {
  if (policies.includes("root"))
    throw new CaError("malformed", "auth methods cannot create root tokens");
  return [...new Set(token_no_default_policy ? policies : ["default", ...policies])].sort();
}

/** The limits of a renewal, and preconditions on the rows from which they come. */
interface LoginLimits extends Pick<TtlBounds, "ttls" | "ttl" | "period" | "max_ttl"> {
  readonly expect: readonly Expect[];
}
/**
 * Returns the limits for renewing a token that a login issued, from the current settings of its
 * role or user and of the method. Returns undefined if the token does not refer to a role or user.
 * Throws `malformed` if the row was deleted or now grants different policies.
 */
export async function loginLimits(
  { sys }: Deployment,
  { source: key, method, policies }: TokenRow,
): Promise<LoginLimits | undefined> {
  if (key === undefined) return undefined;
  const [[row], enabled] = await Promise.all([sys.store.get([key]), methods(sys)]);
  if (!row)
    throw new CaError(
      "malformed",
      "the role or user that this token was created for no longer exists, not renewing",
    );
  const source = storedSource(row.value);
  if (loginPolicies(source).join() !== policies.join())
    throw new CaError("malformed", "policies have changed, not renewing");
  const origin = [...enabled.values()].find(({ uuid }) => uuid === method);
  return {
    ttls: origin ? effectiveTtls(origin) : systemTtls,
    ttl: source.token_ttl,
    period: source.token_period,
    max_ttl: source.token_max_ttl,
    expect: [[key, row.rev]],
  };
}
