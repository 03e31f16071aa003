import { kubernetes } from "../types/kubernetes.ts";
import { malformed } from "../../base/errors.ts";
import { rowReader } from "../../engine/row-reader.ts";
import { methodEndpoint } from "../../wire/endpoint.ts";
import { list, text, type Parsed } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import {
  deleteRoleEndpoint,
  listRolesEndpoint,
  readRoleEndpoint,
} from "../method/role-endpoints.ts";
import { changeStoredRole, type RoleKind } from "../method/roles.ts";
import {
  plainTokens,
  tokenFields,
  tokenReply,
  tokenSettingsOf,
  withTokenFields,
  type TokenSettings,
} from "../method/token-fields.ts";

/** A stored role: the accepted service accounts, and the settings of their tokens. */
export interface KubernetesRole extends TokenSettings {
  readonly bound_service_account_names: readonly string[];
  readonly bound_service_account_namespaces: readonly string[];
  readonly audience: string;
  readonly alias_name_source: string;
}
/** The roles of Kubernetes login methods. */
export const kubernetesRoles: RoleKind<KubernetesRole> = {
  below: kubernetes.rows.roles,
  read: rowReader<KubernetesRole>({
    ...plainTokens,
    bound_service_account_names: [],
    bound_service_account_namespaces: [],
    audience: "",
    alias_name_source: "serviceaccount_uid",
  }),
};

const aliasSources = ["serviceaccount_uid", "serviceaccount_name"];
const texts = {
  names: "Allowed service account names; `*` matches any characters.",
  namespaces: "Allowed service account namespaces; `*` matches any characters.",
  selector: "Not supported: tokens do not contain namespace labels.",
  audience: "Required audience (`aud`) of tokens; if empty, any audience is accepted.",
  source:
    "Source of the alias name: `serviceaccount_uid`, or `serviceaccount_name` (includes the namespace).",
} as const;
const reply = {
  bound_service_account_names: list.required(texts.names),
  bound_service_account_namespaces: list.required(texts.namespaces),
  bound_service_account_namespace_selector: text.required(texts.selector),
  audience: text.required(texts.audience),
  alias_name_source: text.required(texts.source, aliasSources),
  ...tokenReply,
} as const;
const roleOutput = (role: KubernetesRole): Parsed<typeof reply> => ({
  bound_service_account_names: role.bound_service_account_names,
  bound_service_account_namespaces: role.bound_service_account_namespaces,
  bound_service_account_namespace_selector: "",
  audience: role.audience,
  alias_name_source: role.alias_name_source,
  ...tokenSettingsOf(role),
});

function check(role: KubernetesRole): void {
  for (const name of ["bound_service_account_names", "bound_service_account_namespaces"] as const) {
    if (role[name].length === 0) throw malformed(`"${name}" can not be empty`);
    if (role[name].length > 1 && role[name].includes("*"))
      throw malformed(`"${name}": can not mix "*" with values`);
  }
  if (!aliasSources.includes(role.alias_name_source))
    throw malformed(
      "invalid alias_name_source, must be one of: serviceaccount_uid, serviceaccount_name",
    );
}

const roles = { kind: kubernetesRoles, path: "/role" } as const;
export const listKubernetesRoles = listRolesEndpoint("listKubernetesRoles", roles);

export const readKubernetesRole = readRoleEndpoint("readKubernetesRole", roles, {
  reply,
  shown: roleOutput,
});

export const writeKubernetesRole = methodEndpoint({
  id: "writeKubernetesRole",
  at: ["POST /role/:name"],
  access: "token",
  style: envelope,
  doc: "Creates a role, or updates the given fields of an existing role.",
  body: {
    bound_service_account_names: list.optional(texts.names),
    bound_service_account_namespaces: list.optional(texts.namespaces),
    bound_service_account_namespace_selector: text.default("", texts.selector),
    audience: text.optional(texts.audience),
    alias_name_source: text.optional(texts.source, aliasSources),
    ...tokenFields,
  },
  reply: {},
  refuses: ["malformed", "invalid_field"],
  run: async (method, { name, bound_service_account_namespace_selector: selector, ...changes }) => {
    if (selector !== "")
      throw malformed(
        "bound_service_account_namespace_selector is not supported, because tokens do not contain the labels of namespaces",
      );
    await changeStoredRole(method, kubernetesRoles, name, (current) => {
      const old = current ?? kubernetesRoles.read({});
      const role: KubernetesRole = {
        ...withTokenFields(old, changes),
        bound_service_account_names:
          changes.bound_service_account_names ?? old.bound_service_account_names,
        bound_service_account_namespaces:
          changes.bound_service_account_namespaces ?? old.bound_service_account_namespaces,
        audience: changes.audience ?? old.audience,
        alias_name_source: changes.alias_name_source || old.alias_name_source,
      };
      check(role);
      return role;
    });
    return undefined;
  },
});

export const deleteKubernetesRole = deleteRoleEndpoint("deleteKubernetesRole", roles);
