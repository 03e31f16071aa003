import { malformed } from "../../base/errors.ts";
import { compileGlob } from "../../base/glob.ts";
import type { Method } from "../rows/methods.ts";
import { unauthenticatedError } from "../../wire/access.ts";
import { methodEndpoint, type Caller } from "../../wire/endpoint.ts";
import { secret, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { audiencesOf, claimAt, validateTimes } from "../jwt/claims.ts";
import { JwtFault, maxJwt } from "../../jose/compact.ts";
import type { JsonMembers } from "../../jose/jwk.ts";
import { verifiedClaims } from "../jwt/verify.ts";
import { login, type Login } from "../method/login.ts";
import { findRole } from "../method/roles.ts";
import {
  kubernetesConfig,
  kubernetesSource,
  requiredIssuer,
  type KubernetesConfig,
} from "./config.ts";
import { kubernetesRoles, type KubernetesRole } from "./role.ts";

export const loginKubernetes = methodEndpoint({
  id: "loginKubernetes",
  audits: { always: true },
  at: ["POST /login"],
  access: "open",
  style: envelope,
  doc: "Logs in with a service account token.",
  bodyLimits: { bytes: 4 * maxJwt, members: 100 },
  body: {
    role: text.default("", "Name of the role."),
    jwt: secret.default("", "The service account token."),
  },
  reply: {},
  nullable: true,
  refuses: ["malformed", "forbidden", "busy"],
  run: (method, input, caller) => login(method, caller, () => loginBy(method, input, caller)),
});

async function loginBy(
  method: Method,
  { role: named, jwt }: { readonly role: string; readonly jwt: string },
  { audit }: Pick<Caller, "audit">,
): Promise<Login> {
  if (named === "") throw malformed("missing role");
  if (jwt === "") throw malformed("missing jwt");
  const stored = await findRole(method, kubernetesRoles, named);
  if (!stored) throw malformed(`invalid role name "${named.slice(0, 128)}"`);
  const { name: roleName, role, key, rev } = stored;
  const config = await kubernetesConfig(method);
  if (!config) throw malformed("could not load backend configuration");
  const account = await accountOf(method, { config, role, jwt }).catch((error: unknown) => {
    if (!(error instanceof JwtFault)) throw error;
    // the reason is only in the audit log, and not in the response (P 9.7)
    audit.note({ reason: error.message });
    throw unauthenticatedError(undefined);
  });
  const { name, namespace, uid, secretName } = account;
  const metadata = {
    service_account_name: name,
    service_account_namespace: namespace,
    service_account_secret_name: secretName,
    service_account_uid: uid,
  };
  const byName = role.alias_name_source === "serviceaccount_name";
  return {
    alias: { name: byName ? `${namespace}/${name}` : uid, metadata },
    metadata: { ...metadata, role: roleName },
    display_name: `${namespace}-${name}`,
    role: roleName,
    source: key,
    token: role,
    more: { expect: [[key, rev]] },
  };
}

/** The service account in a token. */
interface Account {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** Name of the Secret that holds a legacy token; empty for other tokens. */
  readonly secretName: string;
}
const leeways = { expiration_leeway: 0, not_before_leeway: 0, clock_skew_leeway: 0, max_age: 0 };

/**
 * Verifies a token and returns its service account. Throws {@link JwtFault} if the token is not
 * valid, or if the role does not accept it.
 */
async function accountOf(
  { sys }: Method,
  {
    config,
    role,
    jwt,
  }: { readonly config: KubernetesConfig; readonly role: KubernetesRole; readonly jwt: string },
): Promise<Account> {
  const claims = await verifiedClaims(sys.ports, kubernetesSource({ sys }, config), [], jwt);
  const issuer = requiredIssuer(config);
  if (issuer !== undefined && claimAt(claims, "iss") !== issuer)
    throw new JwtFault("the token was issued by a different issuer (iss)");
  // the TokenReview API is not used, so a token without an expiry would outlive its account
  if (claimAt(claims, "exp") === undefined) throw new JwtFault("the token has no expiry (exp)");
  validateTimes(claims, leeways, Math.floor(sys.ports.now() / 1000));
  if (role.audience !== "" && !audiencesOf(claims).includes(role.audience))
    throw new JwtFault("the token does not have the audience (aud) that the role requires");
  const account = accountIn(claims);
  if (!role.bound_service_account_namespaces.some((one) => compileGlob(one)(account.namespace)))
    throw new JwtFault("namespace not authorized");
  if (!role.bound_service_account_names.some((one) => compileGlob(one)(account.name)))
    throw new JwtFault("service account name not authorized");
  return account;
}

/**
 * Returns the service account in a token's current or legacy claims. Throws {@link JwtFault} if
 * there is none.
 */
function accountIn(claims: JsonMembers): Account {
  const today = claimAt(claims, "kubernetes.io") !== undefined;
  const claimText = (pointer: string, before: string): string => {
    const value = claimAt(claims, today ? `/kubernetes.io/${pointer}` : before);
    return typeof value === "string" ? value : "";
  };
  const account: Account = {
    namespace: claimText("namespace", "kubernetes.io/serviceaccount/namespace"),
    name: claimText("serviceaccount/name", "kubernetes.io/serviceaccount/service-account.name"),
    uid: claimText("serviceaccount/uid", "kubernetes.io/serviceaccount/service-account.uid"),
    secretName: claimText("secret/name", "kubernetes.io/serviceaccount/secret.name"),
  };
  const { namespace, name, uid } = account;
  if (namespace === "" || name === "" || uid === "")
    throw new JwtFault("the token is not a service account token");
  if (claimAt(claims, "sub") !== `system:serviceaccount:${namespace}:${name}`)
    throw new JwtFault(
      "the token's sub claim and its service account claims are for different accounts",
    );
  return account;
}
