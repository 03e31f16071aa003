import { makeToken, type TokenSpec } from "../../src/auth/token/make.ts";
import { Mounts } from "../../src/engine/mounts.ts";
import { sealedVault } from "../../src/index.ts";
import { seeded, type Authority } from "./authority.ts";

/**
 * Returns a function that creates tokens in an authority's token store, like another engine over
 * its stores: text and accessor.
 */
export function tokensOf({ stores, clock }: Pick<Authority, "stores" | "clock">) {
  const other = new Mounts(
    {
      stores,
      now: () => clock.now,
      random: seeded(77),
      vault: sealedVault({ key: new Uint8Array(32).fill(7) }),
      authenticate: async () => undefined,
    },
    { types: [], jobs: [] },
  );
  return async (policies: readonly string[], more: Partial<TokenSpec> = {}) => {
    const { auth, batch } = await makeToken(other, {
      type: "service",
      policies,
      path: "auth/token/create",
      display_name: "token",
      ...more,
    });
    await other.sys.commit(batch);
    return { token: auth.client_token, accessor: auth.accessor };
  };
}
