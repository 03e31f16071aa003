import type { Command } from "../command.ts";
import {
  chooseServer,
  connectionFlags,
  connectionTo,
  jsonFlag,
  serverNameOf,
} from "../connection.ts";
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
    const name = serverNameOf(flags, env);
    const token = storedToken(env, name);
    let isRevoked = false;
    if (token !== undefined && !flags.has("--local")) {
      const connection = connectionTo({ ...(await chooseServer(flags, env)), token });
      isRevoked = await revoke(() => callEndpoint(connection, "POST", "auth/token/revoke-self"));
    }
    if (token !== undefined) removeToken(env, name);
    if (flags.has("--json"))
      printJson({ server: name, deleted: token !== undefined, revoked: isRevoked });
    else if (token === undefined) console.log(`No token is stored for ${name}.`);
    else console.log(`Logged out of ${name}${isRevoked ? "; the token is revoked" : ""}.`);
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
