import * as clusters from "./config.ts";
import { loginKubernetes } from "./login.ts";
import * as roles from "./role.ts";
import { roleNameForms, roleNamePattern } from "../method/roles.ts";

/** The endpoints of the login method for Kubernetes service accounts. */
const kubernetes = [
  loginKubernetes,
  clusters.readKubernetesConfig,
  clusters.writeKubernetesConfig,
  roles.listKubernetesRoles,
  roles.readKubernetesRole,
  roles.writeKubernetesRole,
  roles.deleteKubernetesRole,
] as const;

/** Endpoints and path parameters of the Kubernetes login method type. */
export const kubernetesMethod = {
  endpoints: kubernetes,
  parameters: { name: roleNamePattern },
  forms: roleNameForms,
} as const;
