import type { EnableMethodInput, WriteMethodTuneInput } from "../../../src/client/sys.ts";
import { call, callWithSettings, findData, listing, readData } from "../../api/call.ts";
import type { Endpoint } from "../../api/endpoint.ts";
import * as logins from "../../api/endpoints/logins.ts";
import {
  disableMethod as disable,
  enableMethod as enable,
  readMethodTune,
  unlockUser,
  writeMethodTune,
} from "../../api/endpoints/sys.ts";
import type { Reply } from "../../api/transport.ts";
import type { SettingChanges } from "../../lib/settings.ts";

/** The configuration or a principal of a login method, as the API returns it. */
export type LoginRecord = Readonly<Record<string, unknown>>;

export const enableMethod = (
  path: string,
  type: NonNullable<EnableMethodInput["type"]>,
  description: string,
): Promise<Reply<unknown>> => call(enable, { path, type, description });

export const disableMethod = (path: string): Promise<Reply<unknown>> => call(disable, { path });

/** Name of a setting that all login methods have in common. */
export type TuneName = keyof WriteMethodTuneInput;

export const methodTune = (path: string): Promise<LoginRecord> =>
  readData(readMethodTune, { path });

export const saveMethodTune = (
  path: string,
  changes: SettingChanges<TuneName>,
): Promise<Reply<unknown>> => callWithSettings(writeMethodTune, changes, { path });

/** The calls that read and write the configuration of a login method at a path. */
export interface ConfigCalls {
  /** Returns the configuration, or an empty record if it has never been written. */
  read(path: string): Promise<LoginRecord>;
  write(path: string, changes: object): Promise<Reply<unknown>>;
}
/**
 * The calls that manage the principals of a login method at a path: its roles, users or
 * certificates.
 */
export interface PrincipalCalls {
  names(path: string): Promise<readonly string[]>;
  /**
   * Returns the principals that the token may read, by name. Older servers return none.
   */
  all(path: string): Promise<Readonly<Record<string, LoginRecord>>>;
  read(path: string, name: string): Promise<LoginRecord>;
  write(path: string, name: string, changes: object): Promise<Reply<unknown>>;
  remove(path: string, name: string): Promise<Reply<unknown>>;
}

const below = (path: string): string => `auth/${path}`;

type NameInput = { readonly name: string };
type List = (input?: { readonly detailed?: boolean | undefined }) => Promise<{
  readonly keys: readonly string[];
  readonly key_info?: Readonly<Record<string, object>>;
}>;
/** Returns the calls that list principals. */
const listCalls = (list: Endpoint<List>): Pick<PrincipalCalls, "names" | "all"> => ({
  names: async (path) => (await listing(list, {}, below(path))).keys,
  all: async (path) => {
    const { info } = await listing(list, { detailed: true }, below(path));
    return Object.fromEntries(Object.entries(info).map(([name, one]) => [name, { ...one }]));
  },
});

/** Returns the calls for principals whose endpoints have the `name` path parameter. */
const byName = (
  list: Endpoint<List>,
  read: Endpoint<(input: NameInput) => Promise<object>>,
  write: Endpoint<(input: NameInput) => Promise<unknown>>,
  remove: Endpoint<(input: NameInput) => Promise<unknown>>,
): PrincipalCalls => ({
  ...listCalls(list),
  read: async (path, name) => ({ ...(await readData(read, { name }, below(path))) }),
  write: (path, name, changes) => call(write, { ...changes, name }, below(path)),
  remove: (path, name) => call(remove, { name }, below(path)),
});

const configCalls = (
  read: Endpoint<(input?: object) => Promise<object>>,
  write: Endpoint<(input?: object) => Promise<unknown>>,
): ConfigCalls => ({
  read: async (path) => ({ ...(await findData(read, {}, below(path))) }),
  write: (path, changes) => call(write, changes, below(path)),
});

export const jwtConfig = configCalls(logins.readJwtConfig, logins.writeJwtConfig);
export const kubernetesConfig = configCalls(
  logins.readKubernetesConfig,
  logins.writeKubernetesConfig,
);

export const appRoles = byName(
  logins.listAppRoles,
  logins.readAppRole,
  logins.writeAppRole,
  logins.deleteAppRole,
);
export const jwtRoles = byName(
  logins.listJwtRoles,
  logins.readJwtRole,
  logins.writeJwtRole,
  logins.deleteJwtRole,
);
export const kubernetesRoles = byName(
  logins.listKubernetesRoles,
  logins.readKubernetesRole,
  logins.writeKubernetesRole,
  logins.deleteKubernetesRole,
);
export const loginCerts = byName(
  logins.listLoginCerts,
  logins.readLoginCert,
  logins.writeLoginCert,
  logins.deleteLoginCert,
);
export const users: PrincipalCalls = {
  ...listCalls(logins.listUsers),
  read: (path, username) => readData(logins.readUser, { username }, below(path)),
  write: (path, username, changes) => call(logins.writeUser, { ...changes, username }, below(path)),
  remove: (path, username) => call(logins.deleteLoginUser, { username }, below(path)),
};

/** Unlocks a user whom failed logins have locked. */
export const unlock = (accessor: string, name: string): Promise<Reply<unknown>> =>
  call(unlockUser, { mount_accessor: accessor, alias_identifier: name });

/** Returns the role ID with which clients of an AppRole role log in. */
export const roleId = async (path: string, name: string): Promise<string> =>
  (await readData(logins.readRoleId, { name }, below(path))).role_id;

/** A new secret ID. The API returns it only once. */
export type SecretId = logins.MakeSecretIdReply;

export const newSecretId = (path: string, name: string): Promise<Reply<SecretId>> =>
  call(logins.makeSecretId, { name }, below(path));

/** Returns the accessors of a role's secret IDs. */
export const secretIds = async (path: string, name: string): Promise<readonly string[]> =>
  (await listing(logins.listSecretIds, { name }, below(path))).keys;

export const destroySecretId = (
  path: string,
  name: string,
  accessor: string,
): Promise<Reply<unknown>> =>
  call(logins.destroySecretAccessor, { name, secret_id_accessor: accessor }, below(path));
