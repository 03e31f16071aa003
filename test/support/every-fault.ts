import { memoryStore, sealedVault, type CaOptions, type KeyVault } from "../../src/index.ts";
import type { Signer, Store } from "../../src/engine/ports.ts";
import { seeded, start, type AuthorityOptions, type Clock } from "./authority.ts";

/** The environment of an authority, in which one call fails. */
export interface Faults {
  /** Options of an authority; several authorities share stores, clock and randomness. */
  readonly options: AuthorityOptions;
  /** Records calls from here on, and fails the call with this name and number. */
  arm(name?: string, number?: number): void;
  /** Stops recording. Returns all calls, and those up to the failed one. */
  disarm(): { readonly calls: readonly string[]; readonly upTo: readonly string[] | undefined };
  /** Wraps a function of the host so that it can fail too. */
  readonly through: <A extends readonly unknown[], R>(
    name: string,
    call: (...args: A) => R,
  ) => (...args: A) => R;
}
export function everyFault({ seed = 1, at = start } = {}): Faults {
  let [noting, fails, left] = [false, "", 0];
  let calls: string[] = [];
  let upTo: readonly string[] | undefined;
  const hit = (name: string): void => {
    if (!noting) return;
    calls.push(name);
    if (name !== fails || --left !== 0) return;
    upTo = [...calls];
    throw new Error(`fault of ${name}`);
  };
  const through: Faults["through"] =
    (name, call) =>
    (...args) => {
      hit(name);
      return call(...args);
    };
  const later =
    <A extends readonly unknown[], R>(name: string, call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      hit(name);
      return call(...args);
    };
  const random = seeded(seed);
  const clock: Clock = {
    get now() {
      hit("now");
      return time;
    },
    set now(to) {
      time = to;
    },
    advance: (seconds) => void (time += seconds * 1000),
  };
  let time = at;
  const inner = memoryStore();
  const stores = (name: string): Store => {
    const store = inner(name);
    const place = name === "sys" ? "sys" : "mount";
    return {
      get: later(`${place} get`, (keys) => store.get(keys)),
      list: later(`${place} list`, (prefix, page) => store.list(prefix, page)),
      commit: later(`${place} commit`, (batch) => store.commit(batch)),
    };
  };
  const vault = sealedVault({ key: new Uint8Array(32).fill(7), random });
  const signerOf = (signer: Signer): Signer => ({
    ...signer,
    sign: later("sign", (scheme, data) => signer.sign(scheme, data)),
  });
  const faultyVault: KeyVault = {
    seal: later("seal", (secret, binding) => vault.seal(secret, binding)),
    unseal: later("unseal", (sealed, binding) => vault.unseal(sealed, binding)),
    signer: later("signer", async (sealed, binding, spki) =>
      signerOf(await vault.signer(sealed, binding, spki)),
    ),
  };
  const authenticate: CaOptions["authenticate"] = later("authenticate", async (token) =>
    token === "root" ? { id: "token root", can: () => true } : undefined,
  );
  return {
    options: {
      stores: Object.assign(stores, { durable: false as const }),
      clock,
      vault: faultyVault,
      random: through("random", random),
      authenticate,
    },
    arm: (name = "", number = 0) => {
      [noting, fails, left] = [true, name, number];
      [calls, upTo] = [[], undefined];
    },
    disarm: () => {
      noting = false;
      return { calls, upTo };
    },
    through,
  };
}
