import type { Command } from "../command.ts";
import {
  chooseServer,
  connectionFlags,
  connectionTo,
  withToken,
  jsonFlag,
  serverNameOf,
} from "../connection.ts";
import { oneLine } from "../failure.ts";
import { printJson } from "../output.ts";
import { callEndpoint } from "../raw-call.ts";
import { isInvalidToken } from "../token-renewal.ts";
import { removeToken, storedToken } from "../token-store.ts";
import { RefusedError } from "../../../src/client/index.ts";

/** Declares `logout`, which revokes and deletes the stored token. */
export const logout: Command = {
  name: "logout",
  summary: "revoke the stored token and delete it",
  flags: [
    ...connectionFlags.filter(({ flag }) => flag !== "--token-file"),
    {
      flag: "--local",
      meaning: "only delete the token from this machine, without contacting the server",
      default: "revoke the token first",
      isSwitch: true,
    },
    jsonFlag,
  ],
  about: [
    "Revokes the token that login has stored for this server, and deletes it from this machine.",
    "Tokens in the environment and in the data directory are not changed.",
  ],
  otherExamples: { notRun: "needs a stored token", lines: ["sealwright logout"] },
  async run({ flags }, { env }) {
    const name = serverNameOf(flags, env);
    const token = storedToken(env, name);
    let refusal: string | undefined;
    let isRevoked = false;
    if (token !== undefined && !flags.has("--local")) {
      const connection = connectionTo(withToken(await chooseServer(flags, env), token));
      refusal = await refusalOf(() => callEndpoint(connection, "POST", "auth/token/revoke-self"));
      isRevoked = refusal === undefined;
    }
    if (token !== undefined) removeToken(env, name);
    if (refusal !== undefined && !isInvalidToken(refusal))
      console.error(`${name} did not revoke the token, which is still valid: ${oneLine(refusal)}.`);
    if (flags.has("--json"))
      printJson({ server: name, deleted: token !== undefined, revoked: isRevoked });
    else if (token === undefined) console.log(`No token is stored for ${name}.`);
    else console.log(`Logged out of ${name}${isRevoked ? "; the token is revoked" : ""}.`);
    return 0;
  },
};

/**
 * Returns the message of a 403 response to a revocation, or undefined if the revocation succeeds.
 */
async function refusalOf(call: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    if (error instanceof RefusedError && error.status === 403) return error.message;
    throw error;
  }
}
