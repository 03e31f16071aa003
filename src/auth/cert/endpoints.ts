import * as entries from "./entry.ts";
import { loginCert } from "./login.ts";
import { roleNameForms, roleNamePattern } from "../method/roles.ts";

/** The endpoints of the login method for client certificates. */
const cert = [
  loginCert,
  entries.listLoginCerts,
  entries.readLoginCert,
  entries.writeLoginCert,
  entries.deleteLoginCert,
] as const;

/** Endpoints and path parameters of the login method type for client certificates. */
export const certMethod = {
  endpoints: cert,
  parameters: { name: roleNamePattern },
  forms: roleNameForms,
} as const;
