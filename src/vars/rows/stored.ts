import { withDefaults } from "../../engine/stored.ts";
import type {
  AccessRow,
  InstalledRow,
  KeyRow,
  OrganizationRow,
  TeamRow,
  TokenRow,
  UserRow,
  VariableRow,
  WorkspaceRow,
} from "./rows.ts";

/**
 * Each kind of row of the variables API, as it is read: with defaults under what is stored. Where a
 * default decides about rights it gives none.
 */
export const storedRows = {
  installed: withDefaults<InstalledRow>({ user: "" }),
  user: withDefaults<UserRow>({ id: "", username: "", email: "", admin: false }),
  organization: withDefaults<OrganizationRow>({
    id: "",
    name: "",
    email: "",
    created: 0,
    project: "",
    owners: "",
    settings: {},
  }),
  workspace: withDefaults<WorkspaceRow>({
    id: "",
    organization: "",
    name: "",
    created: 0,
    updated: 0,
    settings: {},
  }),
  team: withDefaults<TeamRow>({
    id: "",
    organization: "",
    name: "",
    owners: false,
    visibility: "secret",
    sso: null,
    tokens: false,
    access: {},
    users: [],
  }),
  access: withDefaults<AccessRow>({
    id: "",
    team: "",
    workspace: "",
    access: "custom",
    variables: "none",
    settings: {},
  }),
  // one that does not say until when it is good has ended
  token: withDefaults<TokenRow>({
    id: "",
    principal: "",
    description: null,
    created: 0,
    expires: 0,
    by: null,
  }),
  variable: withDefaults<VariableRow>({
    id: "",
    workspace: "",
    key: "",
    kind: "provisioning",
    value: "",
    sensitive: false,
    hcl: false,
    description: null,
    version: "",
    created: 0,
  }),
  key: withDefaults<KeyRow>({ id: "", key: "", kind: "provisioning", size: 0 }),
} as const;
