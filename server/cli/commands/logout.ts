import type { Command } from "../command.ts";
import { chooseServer, connectionFlags, connectionTo, jsonFlag } from "../connection.ts";
import { printJson } from "../output.ts";
import { callEndpoint } from "../raw-call.ts";
import { removeToken, storedToken } from "../token-store.ts";
import { RefusedError } from "../../../src/client/index.ts";

/** Revokes and deletes the stored token. */
export const logout: Command = {
  name: "logout",
  summary: "revoke the stored token and delete it",
  flags: [
    ...connectionFlags.filter(({ flag }) => flag !== "--token-file"),
    {
      flag: "--local",
      meaning: "only delete the token, also if the server cannot be reached",
      default: "revoke it first",
      isSwitch: true,
    },
    jsonFlag,
  ],
  about: [
    "Revokes the token that login has stored for this server, and deletes it from this machine.",
    "Tokens of the environment and of the data directory are not changed.",
  ],
  otherExamples: { notRun: "needs a stored token", lines: ["sealwright logout"] },
  async run({ flags }, { env }) {
    const server = await chooseServer(flags, env);
    const token = storedToken(env, server.name);
    const isRevoked =
      token !== undefined &&
      !flags.has("--local") &&
      (await revoke(() =>
        callEndpoint(connectionTo({ ...server, token }), "POST", "auth/token/revoke-self"),
      ));
    if (token !== undefined) removeToken(env, server.name);
    if (flags.has("--json"))
      printJson({ server: server.name, deleted: token !== undefined, revoked: isRevoked });
    else if (token === undefined) console.log(`No token is stored for ${server.name}.`);
    else console.log(`Logged out of ${server.name}${isRevoked ? "; the token is revoked" : ""}.`);
    return 0;
  },
};

/** Reports whether a revocation succeeds; a token that the server rejects has none to revoke. */
async function revoke(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    if (error instanceof RefusedError && error.status === 403) return false;
    throw error;
  }
}
