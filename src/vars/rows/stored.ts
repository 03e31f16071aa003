import { rowReader } from "../../engine/row-reader.ts";
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
 * Parsers for each kind of stored row, with defaults for missing fields. The defaults of rights
 * grant nothing.
 */
export const storedRows = {
  installed: rowReader<InstalledRow>({ user: "" }),
  user: rowReader<UserRow>({ id: "", username: "", email: "", admin: false }),
  organization: rowReader<OrganizationRow>({
    id: "",
    name: "",
    email: "",
    created: 0,
    project: "",
    owners: "",
    settings: {},
  }),
  workspace: rowReader<WorkspaceRow>({
    id: "",
    organization: "",
    name: "",
    created: 0,
    updated: 0,
    settings: {},
  }),
  team: rowReader<TeamRow>({
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
  access: rowReader<AccessRow>({
    id: "",
    team: "",
    workspace: "",
    access: "custom",
    variables: "none",
    settings: {},
  }),
  // a token without an expiry counts as expired
  token: rowReader<TokenRow>({
    id: "",
    principal: "",
    description: null,
    created: 0,
    expires: 0,
    by: null,
  }),
  variable: rowReader<VariableRow>({
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
  key: rowReader<KeyRow>({ id: "", key: "", kind: "provisioning", size: 0 }),
} as const;
