import type { LoginMethodType } from "./login-method-type.ts";

/** Logins of the service accounts of a Kubernetes cluster. */
export const kubernetes = {
  type: "kubernetes",
  title: "Kubernetes logins",
  about: "Tokens for Kubernetes service accounts.",
  rows: { config: "config", roles: "kubernetesrole/" },
} as const satisfies LoginMethodType;
