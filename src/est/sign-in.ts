import { estConfig, type EstAuthenticators } from "./settings.ts";
import { byCertificate } from "../auth/cert/login.ts";
import { bySecret } from "../auth/approle/login.ts";
import { delegatedLogin } from "../auth/method/delegated.ts";
import { byPassword } from "../auth/userpass/login.ts";
import { parameters as userParameters } from "../auth/userpass/users.ts";
import { CaError } from "../base/errors.ts";
import { type Method, methodOn, methods } from "../auth/rows/methods.ts";
import type { Identity } from "../engine/ports.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import type { Caller } from "../wire/endpoint.ts";
import type { Basic } from "../wire/call.ts";

type Kind = keyof EstAuthenticators;
/** The authenticated client, and its login method. */
interface EstClient {
  readonly identity: Identity;
  readonly kind: Kind;
  readonly accessor: string;
  /** Configured role of the login method, or "" for any role. */
  readonly role?: string;
}

const unauthorized = (why: string): CaError => new CaError("unauthorized", why);
/** A name that no user can have. */
const impossibleUser = "-";

/**
 * Authenticates the client with its HTTP Basic credentials if it sends them, and otherwise with the
 * TLS client certificate (B 6.1). Throws `unauthorized` if the client sends no credentials that the
 * mount accepts, and the errors of the login.
 */
export async function signIn(config: Snapshot, caller: Caller): Promise<EstClient> {
  const basic = caller.basic();
  if (basic) return byBasic(config, caller, basic);
  if (!caller.tlsChain?.length)
    throw unauthorized("log in with a user name and a password, or with a TLS client certificate");
  const method = await methodOf(config, caller, "cert");
  if (!method) throw unauthorized("this mount does not accept TLS client certificates");
  const role = config.get(estConfig).authenticators.cert?.cert_role ?? "";
  const identity = await delegatedLogin(method, caller, {
    as: { path: "login", parameters: { name: role } },
    decide: byCertificate(method, role, caller.tlsChain),
  });
  return { identity, kind: "cert", accessor: method.accessor, role };
}

/**
 * Authenticates the client with HTTP Basic. Tries AppRole first, because it is cheap. Credentials
 * that match neither method take as long as a wrong password.
 */
async function byBasic(
  config: Snapshot,
  caller: Caller,
  { name, password }: Basic,
): Promise<EstClient> {
  const [roles, users] = [
    await methodOf(config, caller, "approle"),
    await methodOf(config, caller, "userpass"),
  ];
  if (!roles && !users) throw unauthorized("this mount does not accept user names and passwords");
  if (roles)
    try {
      const credentials = { role_id: name, secret_id: password };
      const identity = await delegatedLogin(roles, caller, {
        as: { path: "login", parameters: credentials },
        decide: bySecret(roles, caller, credentials),
        shown: [name, password],
      });
      return { identity, kind: "approle", accessor: roles.accessor };
    } catch (error) {
      if (!users || !(error instanceof CaError) || error.code !== "unauthorized") throw error;
    }
  // `users` exists: otherwise, an error has been thrown above
  const method = users as Method;
  const user = userParameters.username.test(name) ? name : impossibleUser;
  const identity = await delegatedLogin(method, caller, {
    as: { path: `login/${user}`, parameters: {} },
    decide: byPassword(method, { username: user, password }, caller.address),
  });
  return { identity, kind: "userpass", accessor: method.accessor };
}

/** Returns the login method of the given kind, or undefined if this mount may use none. */
async function methodOf(config: Snapshot, caller: Caller, kind: Kind): Promise<Method | undefined> {
  const accessor = config.get(estConfig).authenticators[kind]?.accessor;
  if (accessor === undefined || !isAccepted(config, kind, accessor)) return undefined;
  const deployment = caller.detached();
  for (const row of (await methods(deployment.sys)).values())
    if (row.accessor === accessor && row.type === kind) return methodOn(deployment, row);
  return undefined;
}

/** Reports whether a configuration still accepts an authenticated client. */
export const isStillAccepted = (config: Snapshot, { kind, accessor, role }: EstClient): boolean =>
  isAccepted(config, kind, accessor) &&
  (kind !== "cert" || (config.get(estConfig).authenticators.cert?.cert_role ?? "") === role);

/** Reports whether a configuration accepts a login method, and the mount may use it. */
const isAccepted = (config: Snapshot, kind: Kind, accessor: string): boolean =>
  config.get(estConfig).authenticators[kind]?.accessor === accessor &&
  config.mount.config.delegated_auth_accessors?.includes(accessor) === true;
