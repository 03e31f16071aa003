import * as appRoleLogin from "../auth/approle/login.ts";
import * as appRoles from "../auth/approle/roles.ts";
import * as secretIds from "../auth/approle/secret-ids.ts";
import { loginCert } from "../auth/cert/login.ts";
import * as loginCerts from "../auth/cert/entry.ts";
import * as jwtSources from "../auth/jwt/config.ts";
import { loginJwt } from "../auth/jwt/login.ts";
import * as jwtRoles from "../auth/jwt/role.ts";
import * as clusters from "../auth/kubernetes/config.ts";
import { loginKubernetes } from "../auth/kubernetes/login.ts";
import * as accountRoles from "../auth/kubernetes/role.ts";
import { forms, roleNamePattern } from "../auth/method/roles.ts";
import { loginUser } from "../auth/userpass/login.ts";
import * as users from "../auth/userpass/users.ts";
import type { Method } from "../engine/methods.ts";
import type { AnyEndpoint } from "../wire/endpoint.ts";
import type { EndpointList } from "../wire/endpoint-list.ts";

/** Every endpoint of the login method AppRole. */
export const approle = [
  appRoleLogin.loginAppRole,
  appRoles.listAppRoles,
  appRoles.readRoleId,
  appRoles.writeRoleId,
  secretIds.makeSecretId,
  secretIds.makeCustomSecretId,
  secretIds.listSecretIds,
  secretIds.lookupSecretId,
  secretIds.lookupSecretAccessor,
  secretIds.destroySecretId,
  secretIds.destroySecretAccessor,
  appRoleLogin.tidySecretIds,
  appRoles.readRoleSetting,
  appRoles.writeRoleSetting,
  appRoles.deleteRoleSetting,
  appRoles.readAppRole,
  appRoles.writeAppRole,
  appRoles.deleteAppRole,
] as const;

/** Every endpoint of the login method JWT. */
export const jwt = [
  loginJwt,
  jwtSources.readJwtConfig,
  jwtSources.writeJwtConfig,
  jwtRoles.listJwtRoles,
  jwtRoles.readJwtRole,
  jwtRoles.writeJwtRole,
  jwtRoles.deleteJwtRole,
] as const;

/** Every endpoint of the login method of a Kubernetes cluster's service accounts. */
export const kubernetes = [
  loginKubernetes,
  clusters.readKubernetesConfig,
  clusters.writeKubernetesConfig,
  accountRoles.listKubernetesRoles,
  accountRoles.readKubernetesRole,
  accountRoles.writeKubernetesRole,
  accountRoles.deleteKubernetesRole,
] as const;

/** Every endpoint of the login method by client certificates. */
export const cert = [
  loginCert,
  loginCerts.listLoginCerts,
  loginCerts.readLoginCert,
  loginCerts.writeLoginCert,
  loginCerts.deleteLoginCert,
] as const;

/** Every endpoint of the login method for names and passwords. */
export const userpass = [
  loginUser,
  users.listUsers,
  users.readUser,
  users.writeUser,
  users.deleteUser,
  users.writePassword,
  users.writeUserPolicies,
] as const;

const ofRoles = { parameters: { name: roleNamePattern }, forms };

/** The types of login methods: what they answer, and what parameters of their paths look like. */
export const loginTypes = {
  approle: { endpoints: approle, parameters: appRoles.parameters, forms },
  jwt: { endpoints: jwt, ...ofRoles },
  // what clients call it that want its roles of type jwt
  oidc: { endpoints: jwt, ...ofRoles },
  kubernetes: { endpoints: kubernetes, ...ofRoles },
  cert: { endpoints: cert, ...ofRoles },
  userpass: { endpoints: userpass, parameters: users.parameters, forms },
} as const satisfies Readonly<Record<string, EndpointList<AnyEndpoint<Method>>>>;
