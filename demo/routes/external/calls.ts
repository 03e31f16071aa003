import { ask, mount, request, type Reply } from "../../api/transport.ts";

/** The external policy of a mount, and the results of its latest calls. */
export interface ExternalPolicy extends Readonly<Record<string, unknown>> {
  readonly enabled: boolean;
  readonly external_service_url: string;
  /** Name of a service of the platform; empty for none. */
  readonly service?: string;
  /** Nanoseconds. */
  readonly timeout: number;
  /** RFC 3339; the year 1 where nothing was ever written. */
  readonly external_service_last_updated: string;
  /** Whether the last answer was a valid one. */
  readonly external_service_validated: boolean;
  /** RFC 3339; empty: none since this process began. */
  readonly last_successful_request: string;
}

/** The service's reply to a check. */
export interface PolicyCheck {
  /** It gave a certificate or a refusal. */
  readonly valid: boolean;
  readonly accepted: boolean;
  readonly message: string;
  readonly milliseconds: number;
}

const at = (): string => mount("config/external-policy");

export const externalPolicy = (): Promise<ExternalPolicy> => ask("GET", at());

export const saveExternalPolicy = (fields: object): Promise<Reply<unknown>> =>
  request("POST", at(), fields);

/** Has the service asked now; nothing is issued. */
export const checkExternalPolicy = (policy: string): Promise<PolicyCheck> =>
  ask("POST", `${at()}/check`, policy === "" ? {} : { policy });
