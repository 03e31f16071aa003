import { methodPath, type Credentials, type SignInType } from "../lib/credentials.ts";
import { requestOf, type EndpointRequest } from "./endpoint.ts";
import { loginAppRole, loginJwt, loginUser } from "./endpoints/logins.ts";

type Values = Readonly<Record<string, string>>;
type RequestOf = (values: Values, at: string) => EndpointRequest;

/**
 * For each way to sign in, a function that returns the login request; undefined for a token and for
 * an identity provider, which need no such request.
 */
const requests: Readonly<Record<SignInType, RequestOf | undefined>> = {
  token: undefined,
  userpass: ({ username = "", password = "" }, at) =>
    requestOf(loginUser, { username: username.trim(), password }, at),
  oidc: undefined,
  approle(values, at) {
    const { role_id = "", secret_id = "" } = trimmed(values);
    return requestOf(loginAppRole, { role_id, secret_id: secret_id || undefined }, at);
  },
  jwt(values, at) {
    const { role = "", jwt = "" } = trimmed(values);
    return requestOf(loginJwt, { role: role || undefined, jwt }, at);
  },
};

/** Returns the login request for credentials, or undefined if signing in needs none. */
export const loginRequest = (credentials: Credentials): EndpointRequest | undefined =>
  requests[credentials.way]?.(credentials.values, `auth/${methodPath(credentials)}`);

const trimmed = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.trim()]));
