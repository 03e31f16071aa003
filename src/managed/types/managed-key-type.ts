import { CaError } from "../../base/errors.ts";
import type { Ports } from "../../engine/ports.ts";
import { urlFault } from "../../net/url-fault.ts";
import type { ManagedKeyRow } from "../records.ts";
import type { KmsProvider } from "../remote.ts";

/** Texts by name. */
export type Texts = Readonly<Record<string, string>>;
/** A type of external key service. */
export interface ManagedKeyType<Name extends string = string> {
  /** Its name in paths and rows. */
  readonly type: Name;
  readonly settings: readonly string[];
  readonly secrets: readonly string[];
  /** Settings and secrets that every key needs. */
  readonly needs: readonly string[];
  /**
   * Settings that identify the key; the cached public key is valid only while they stay the same.
   */
  readonly identity: readonly string[];
  /** A secret that is sent unchanged, and the settings that determine the recipient. */
  readonly sendsSecret?: { readonly secret: string; readonly to: readonly string[] };
  /** Validates the settings and secrets of a key. Rejects with CaError `malformed`. */
  check(settings: Texts, secrets: Texts): Promise<void>;
  /** Returns the provider of a key; its module is loaded on first use. */
  open(ports: Ports, row: ManagedKeyRow, secrets: Texts): Promise<KmsProvider>;
}

/** Returns the error for settings that cannot be used. */
export const malformedSetting = (message: string): CaError => new CaError("malformed", message);
/** Rejects the URL of a service that is not a plain HTTPS URL. */
export function checkUrl(name: string, url: string): void {
  const fault = urlFault(url) ?? (url.includes("?") ? "must not have a query" : undefined);
  if (fault !== undefined) throw malformedSetting(`${name} ${fault}`);
}
