import type { ReadEstConfigReply, WriteEstConfigInput } from "../../../src/client/pki.ts";
import { call, callWithSettings, readData } from "../../api/call.ts";
import { readEstConfig, writeEstConfig } from "../../api/endpoints/pki.ts";
import { readTune, writeTune } from "../../api/endpoints/sys.ts";
import type { LoginMethod } from "../../api/login-methods.ts";
import type { Reply } from "../../api/transport.ts";
import { place } from "../../lib/place.ts";
import type { SettingChanges } from "../../lib/settings.ts";

/** The EST configuration of the mount. */
export type EstConfig = ReadEstConfigReply;

/** The login methods for EST clients: an accessor for each type. */
export type Authenticators = EstConfig["authenticators"];

/** The props that all sections of the EST view receive. */
export interface OfEst {
  readonly config: EstConfig;
  readonly roles: readonly string[];
}

/** Reads the configuration. The response's warnings explain problems that keep EST from working. */
export const estConfig = (): Promise<Reply<EstConfig>> => call(readEstConfig);

/** Name of an EST setting. */
export type EstSetting = keyof WriteEstConfigInput;

export const saveEstConfig = (changes: SettingChanges<EstSetting>): Promise<Reply<unknown>> =>
  callWithSettings(writeEstConfig, changes);

/** The types of login methods that EST clients can use. */
export const estKinds = ["userpass", "approle", "cert"] as const;

/** Returns the options for the field that selects a login method of the given type. */
export const choicesOf = (
  kind: string,
  methods: readonly LoginMethod[],
): readonly (readonly [accessor: string, text: string])[] => [
  ["", "Not used"],
  ...methods
    .filter(({ type }) => type === kind)
    .map(({ accessor, path }) => [accessor, `auth/${path}`] as const),
];

/**
 * Sets the login methods for EST clients, after allowing the mount to use them. Methods that the
 * mount was allowed to use remain allowed, because they may serve other purposes.
 */
export async function saveAuthenticators(chosen: Authenticators): Promise<Reply<unknown>> {
  const path = place.get().mount;
  const { delegated_auth_accessors: allowed = [] } = await readData(readTune, { path });
  const missing = Object.values(chosen)
    .map(({ accessor = "" }) => accessor)
    .filter((accessor) => !allowed.includes(accessor));
  if (missing.length > 0)
    await call(writeTune, { path, delegated_auth_accessors: [...allowed, ...missing] });
  return call(writeEstConfig, { authenticators: chosen });
}
