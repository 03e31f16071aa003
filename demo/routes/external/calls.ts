import type {
  CheckExternalPolicyReply,
  ReadExternalPolicyReply,
  WriteExternalPolicyInput,
} from "../../../src/client/pki.ts";
import { callWithSettings, readData } from "../../api/call.ts";
import * as pki from "../../api/endpoints/pki.ts";
import type { Reply } from "../../api/transport.ts";
import type { SettingChanges } from "../../lib/settings.ts";

/** The external policy of a mount, and the results of the latest calls to the service. */
export type ExternalPolicy = ReadExternalPolicyReply;

export const externalPolicy = (): Promise<ExternalPolicy> => readData(pki.readExternalPolicy);

/** Name of an external policy setting. */
export type ExternalSetting = keyof WriteExternalPolicyInput;

export const saveExternalPolicy = (
  changes: SettingChanges<ExternalSetting>,
): Promise<Reply<unknown>> => callWithSettings(pki.writeExternalPolicy, changes);

/** Calls the policy service without issuing anything. */
export const checkExternalPolicy = (policy: string): Promise<CheckExternalPolicyReply> =>
  readData(pki.checkExternalPolicy, policy === "" ? {} : { policy });
