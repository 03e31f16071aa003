import { call, callWithSettings, readBytes, readData } from "./call.ts";
import * as pki from "./endpoints/pki.ts";
import { missingPermission } from "./permissions.ts";
import type { Reply } from "./transport.ts";
import type { SettingChanges } from "../lib/settings.ts";
import type { CrlConfig, CrlSetting } from "../lib/crl-config.ts";

/** Returns a CRL of an issuer in DER, or undefined if there is none. */
export function crl(
  id: string,
  kind: { readonly shard: string; readonly delta: boolean },
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { shard, delta } = kind;
  const issuer = { issuer_ref: id };
  if (shard === "")
    return readBytes(delta ? pki.readIssuerDeltaCrlDer : pki.readIssuerCrlDer, issuer);
  return readBytes(delta ? pki.readIssuerShardDelta : pki.readIssuerShardCrl, { ...issuer, shard });
}

export const rotateCrls = (): Promise<Reply<unknown>> => call(pki.rotateCrl);

export const crlConfig = (): Promise<CrlConfig> => readData(pki.readCrlConfig);

/** Returns the settings of CRLs and OCSP, or null if they cannot be read with the token. */
export const readableCrlConfig = async (): Promise<CrlConfig | null> =>
  missingPermission(pki.readCrlConfig) === "" ? crlConfig().catch(() => null) : null;

export const saveCrlConfig = (changes: SettingChanges<CrlSetting>): Promise<Reply<CrlConfig>> =>
  callWithSettings(pki.writeCrlConfig, changes);
