import { CaError } from "../../base/errors.ts";
import type { Method } from "../rows/methods.ts";
import { methodEndpoint, type Caller } from "../../wire/endpoint.ts";
import { text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { login, type Login } from "../method/login.ts";
import { loginByChain } from "./by-chain.ts";

export const loginCert = methodEndpoint({
  id: "loginCert",
  audits: { always: true },
  at: ["POST /login"],
  access: "open",
  style: envelope,
  doc: "Logs in with the client certificate of the TLS connection.",
  bodyLimits: { bytes: 16 * 1024, members: 100 },
  body: { name: text.default("", "Name of the role; by default, the first role that matches.") },
  reply: {},
  nullable: true,
  refuses: ["malformed", "forbidden", "busy"],
  run: (method, { name }, caller) =>
    login(method, caller, byCertificate(method, name, caller.tlsChain)),
});

/**
 * Returns a function that verifies the certificates of a TLS connection, and returns the login. An
 * empty `role` selects the first matching role.
 */
export const byCertificate =
  (method: Method, role: string, chain: Caller["tlsChain"]) => (): Promise<Login> =>
    loginBy(method, role, chain);
async function loginBy(
  method: Method,
  name: string,
  chain: readonly Uint8Array[] | undefined,
): Promise<Login> {
  if (chain) return await loginByChain(method, name, chain);
  throw new CaError(
    "malformed",
    "invalid certificate or no client certificate supplied: this server does not receive client certificates from its platform",
  );
}
