import { ask, mount, request, type Reply } from "../../api/transport.ts";

/** The progress of tidy, or its last result. */
export interface TidyStatus extends Readonly<Record<string, unknown>> {
  readonly state: string;
  readonly message: string | null;
  readonly error: string | null;
  readonly time_started: string | null;
  readonly time_finished: string | null;
  readonly last_auto_tidy_finished: string | null;
}

export const tidyStatus = (): Promise<TidyStatus> => ask("GET", mount("tidy-status"));

export const startTidy = (fields: object): Promise<Reply<unknown>> =>
  request("POST", mount("tidy"), fields);

export const cancelTidy = (): Promise<Reply<unknown>> => request("POST", mount("tidy-cancel"), {});

export const autoTidy = (): Promise<Readonly<Record<string, unknown>>> =>
  ask("GET", mount("config/auto-tidy"));

export const saveAutoTidy = (fields: object): Promise<Reply<unknown>> =>
  request("POST", mount("config/auto-tidy"), fields);
