import type { LoginMethodType } from "./login-method-type.ts";

/**
 * The `kubernetes` login method type: service accounts of a Kubernetes cluster log in with their
 * tokens.
 */
export const kubernetes = {
  type: "kubernetes",
  title: "Kubernetes logins",
  about: "Tokens for Kubernetes service accounts.",
  rows: { config: "config", roles: "kubernetesrole/" },
} as const satisfies LoginMethodType;
