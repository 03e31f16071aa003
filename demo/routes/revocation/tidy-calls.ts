import type {
  ReadAutoTidyReply,
  TidyInput,
  TidyStatusReply,
  WriteAutoTidyInput,
} from "../../../src/client/pki.ts";
import { call, callWithSettings, readData } from "../../api/call.ts";
import * as pki from "../../api/endpoints/pki.ts";
import type { Reply } from "../../api/transport.ts";
import type { SettingChanges } from "../../lib/settings.ts";

/** The progress of the current tidy run, or the result of the last run. */
export type TidyStatus = TidyStatusReply;

export const tidyStatus = (): Promise<TidyStatus> => readData(pki.tidyStatus);

/** Name of a tidy setting. */
export type TidySetting = keyof TidyInput;
/** Name of a setting for automatic tidy runs. */
export type AutoTidySetting = keyof WriteAutoTidyInput;

export const startTidy = (changes: SettingChanges<TidySetting>): Promise<Reply<unknown>> =>
  callWithSettings(pki.tidy, changes);

export const cancelTidy = (): Promise<Reply<unknown>> => call(pki.tidyCancel, {});

/** The settings of automatic tidy runs. Older servers omit some members. */
export type AutoTidy = Partial<ReadAutoTidyReply>;

export const autoTidy = (): Promise<AutoTidy> => readData(pki.readAutoTidy);

export const saveAutoTidy = (changes: SettingChanges<AutoTidySetting>): Promise<Reply<unknown>> =>
  callWithSettings(pki.writeAutoTidy, changes);
