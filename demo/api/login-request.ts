import { methodPath, type Credentials } from "../lib/credentials.ts";
import { requestOf, type EndpointRequest } from "./endpoint.ts";
import { loginAppRole, loginJwt, loginUser } from "./endpoints/logins.ts";

/** Returns the login request for credentials of a method other than single sign-on. */
export function loginRequest(credentials: Credentials): EndpointRequest {
  const at = `auth/${methodPath(credentials)}`;
  const { username = "", password = "", ...others } = credentials.values;
  const { role_id = "", secret_id = "", role = "", jwt = "" } = trimmed(others);
  if (credentials.way === "userpass")
    return requestOf(loginUser, { username: username.trim(), password }, at);
  if (credentials.way === "approle")
    return requestOf(loginAppRole, { role_id, secret_id: secret_id || undefined }, at);
  return requestOf(loginJwt, { role: role || undefined, jwt }, at);
}

const trimmed = (values: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.trim()]));
