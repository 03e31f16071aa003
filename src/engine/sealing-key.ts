import { isInstalled } from "./sys-format.ts";
import { CaError } from "../base/errors.ts";
import { freshFor } from "./store-context.ts";
import type { Deployment } from "./deployment.ts";
import { keyFits, type SealedSecret } from "./sealing.ts";
import { belowSys, storedRoute } from "./sys-records.ts";

/** Whether the sealing key of a deployment opens what is stored, found out once. */
export class SealingKey {
  readonly #deployment: Deployment;
  #fits = false;
  /**
   * When it was last found to be another one, or mounts could not be read that tell so (`cause`):
   * Unix milliseconds.
   */
  #refused: { readonly at: number; readonly cause?: Error } = { at: -Infinity };

  /** Asks nothing yet. */
  constructor(deployment: Deployment) {
    this.#deployment = deployment;
  }

  /** Whether it has been found to be right. */
  get isKnown(): boolean {
    return this.#fits;
  }

  /** Whether it opens what is stored. Rejects where that cannot be found out. */
  async isRight(): Promise<boolean> {
    if (this.#fits) return true;
    const { ports, sys } = this.#deployment;
    if (ports.vault.lacking !== undefined) return false;
    const now = ports.now();
    const { at, cause } = this.#refused;
    // strangers may ask, and may not make the storage work for each call
    if (now - at < freshFor && now >= at) {
      if (cause) throw cause;
      return false;
    }
    if (!(await isInstalled(sys.store))) return true;
    this.#fits = await keyFits(sys.store, ports.vault, () => this.#secrets());
    if (!this.#fits) this.#refused = { at: now };
    return this.#fits;
  }

  /**
   * Of each mount the secret that every one of its type has, and what the other APIs keep.
   * Rejects at the end where a mount could not be read.
   */
  async *#secrets(): AsyncIterable<SealedSecret> {
    const { ports, sys, secretOwners } = this.#deployment;
    let failure: Error | undefined;
    for (const [, row] of await sys.store.list(belowSys.routes)) {
      const { uuid, type } = storedRoute(row.value);
      const secret = this.#deployment.types.get(type)?.secret;
      if (!secret) continue;
      const [held] = await this.#deployment
        .storeContext(uuid)
        .store.get([secret.key])
        .catch((cause: unknown) => {
          failure =
            cause instanceof Error
              ? cause
              : new CaError("storage", "the storage cannot be reached", { cause });
          return [];
        });
      if (held?.value instanceof Uint8Array)
        yield { sealed: held.value, binding: secret.binding(uuid) };
    }
    for (const owner of secretOwners) yield* owner.secrets(this.#deployment);
    if (!failure) return;
    this.#refused = { at: ports.now(), cause: failure };
    throw failure;
  }
}
