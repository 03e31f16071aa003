import { malformed } from "../../base/errors.ts";
import type { Ports } from "../../engine/ports.ts";
import { urlFault } from "../../net/url-fault.ts";
import type { ManagedKeyRow } from "../records.ts";
import type { KmsProvider } from "../remote.ts";

/** Strings by name. */
export type Texts = Readonly<Record<string, string>>;
/** A type of external key service. */
export interface ManagedKeyType<Name extends string = string> {
  /** Name of the type in paths and rows. */
  readonly type: Name;
  readonly settings: readonly string[];
  readonly secrets: readonly string[];
  /** Names of the settings and secrets that every key requires. */
  readonly needs: readonly string[];
  /**
   * Names of the settings that identify the key. The stored public key is valid only while they
   * stay the same.
   */
  readonly identity: readonly string[];
  /**
   * Name of a secret that is sent to the service unchanged, and of the settings that determine its
   * recipient.
   */
  readonly sendsSecret?: { readonly secret: string; readonly to: readonly string[] };
  /** Validates the settings and secrets of a key. Rejects with CaError `malformed`. */
  check(settings: Texts, secrets: Texts): Promise<void>;
  /** Returns the provider of a key, whose module is imported on first use. */
  open(ports: Ports, row: ManagedKeyRow, secrets: Texts): Promise<KmsProvider>;
}

/** Throws `malformed` unless the URL of a service is a plain https URL. */
export function checkUrl(name: string, url: string): void {
  const fault = urlFault(url) ?? (url.includes("?") ? "must not have a query" : undefined);
  if (fault !== undefined) throw malformed(`${name} ${fault}`);
}
