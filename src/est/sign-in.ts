import { byCertificate } from "../auth/cert/login.ts";
import { bySecret } from "../auth/approle/login.ts";
import { delegatedLogin } from "../auth/method/delegated.ts";
import { byPassword } from "../auth/userpass/login.ts";
import { parameters as userParameters } from "../auth/userpass/users.ts";
import { CaError } from "../base/errors.ts";
import { type Method, methodOn, methods } from "../engine/methods.ts";
import type { Identity } from "../engine/ports.ts";
import type { EstAuthenticators } from "../engine/settings.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import type { Caller } from "../wire/endpoint.ts";
import type { Basic } from "../wire/call.ts";

type Kind = keyof EstAuthenticators;
/** Who has signed in, and by which login method. */
interface EstClient {
  readonly identity: Identity;
  readonly kind: Kind;
  readonly accessor: string;
  /** The role of the method that the configuration demanded. */
  readonly role?: string;
}

const unauthorized = (why: string): CaError => new CaError("unauthorized", why);
/** Nobody has such a name: names of users begin otherwise. */
const nobody = "-";

/**
 * Finds out who enrols: by HTTP Basic where it came, else by the TLS client certificate (B 6.1).
 * Throws `unauthorized`, and what a login throws.
 */
export async function signIn(config: Snapshot, caller: Caller): Promise<EstClient> {
  const basic = caller.basic();
  if (basic) return byBasic(config, caller, basic);
  if (!caller.tlsChain?.length)
    throw unauthorized("sign in with a user name and a password, or a TLS client certificate");
  const method = await methodOf(config, caller, "cert");
  if (!method) throw unauthorized("TLS client certificates are not taken here");
  const role = config.est.authenticators.cert?.cert_role ?? "";
  const identity = await delegatedLogin(method, caller, {
    as: { path: "login", said: { name: role } },
    decide: byCertificate(method, role, caller.tlsChain),
  });
  return { identity, kind: "cert", accessor: method.accessor, role };
}

/**
 * The ids of a role and its secret are tried first: they cost little, and what is none of them then
 * costs what every wrong password costs.
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
  if (!roles && !users) throw unauthorized("user names and passwords are not taken here");
  if (roles)
    try {
      const sent = { role_id: name, secret_id: password };
      const identity = await delegatedLogin(roles, caller, {
        as: { path: "login", said: sent },
        decide: bySecret(roles, caller, sent),
        shown: [name, password],
      });
      return { identity, kind: "approle", accessor: roles.accessor };
    } catch (error) {
      if (!users || !(error instanceof CaError) || error.code !== "unauthorized") throw error;
    }
  // one of the two is there
  const method = users as Method;
  const user = userParameters.username.test(name) ? name : nobody;
  const identity = await delegatedLogin(method, caller, {
    as: { path: `login/${user}`, said: {} },
    decide: byPassword(method, { username: user, password }, caller.address),
  });
  return { identity, kind: "userpass", accessor: method.accessor };
}

/** The login method of a kind; undefined where there is none that this mount may use. */
async function methodOf(config: Snapshot, caller: Caller, kind: Kind): Promise<Method | undefined> {
  const accessor = config.est.authenticators[kind]?.accessor;
  if (accessor === undefined || !isAccepted(config, kind, accessor)) return undefined;
  const deployment = caller.apart();
  for (const row of (await methods(deployment.sys)).values())
    if (row.accessor === accessor && row.type === kind) return methodOn(deployment, row);
  return undefined;
}

/** Whether somebody who has signed in could do so by a configuration. */
export const isStillIn = (config: Snapshot, { kind, accessor, role }: EstClient): boolean =>
  isAccepted(config, kind, accessor) &&
  (kind !== "cert" || (config.est.authenticators.cert?.cert_role ?? "") === role);

/** Whether a configuration lets clients sign in by a login method, and the mount may use it. */
const isAccepted = ({ est, mount }: Snapshot, kind: Kind, accessor: string): boolean =>
  est.authenticators[kind]?.accessor === accessor &&
  mount.config.delegated_auth_accessors?.includes(accessor) === true;
