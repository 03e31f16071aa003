import type { Connection } from "../../src/engine/ports.ts";
import type { CaError } from "../../src/base/errors.ts";
import { proofOf } from "../../src/acme/validation/proof.ts";
import type { ValidationNetwork } from "../../src/acme/validation/challenge-type.ts";

/** The servers of the test network, by address or `address port`. */
export type Dialled = Readonly<Record<string, () => Connection | Promise<Connection>>>;
type Records = Readonly<Record<string, readonly string[] | "fails">>;

export const proof = await proofOf(
  "tokentokentokentokentokentok",
  "thumbprintthumbprintthumbprintthumbprint123",
);

/** Returns a network with records (`A name`) and servers, which lists what was dialled. */
export function network(
  records: Records,
  servers: Dialled,
  more: Partial<ValidationNetwork> = {},
): ValidationNetwork & { readonly dialled: string[] } {
  const dialled: string[] = [];
  return {
    dialled,
    dial: async ({ address, port }, signal) => {
      dialled.push(`${address} ${port}`);
      const server = servers[`${address} ${port}`] ?? servers[address];
      signal.throwIfAborted();
      if (!server) throw new Error("ECONNREFUSED 10.9.8.7 secret");
      return server();
    },
    resolve: async ({ name, type }) => {
      const found = records[`${type} ${name}`] ?? [];
      if (found === "fails") throw new Error("SERVFAIL of resolver 10.0.0.53");
      return found;
    },
    rules: { permitted: [], excluded: [], privateNetworks: false },
    httpPort: 80,
    tlsPort: 443,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    now: () => Date.now(),
    timeout: () => new AbortController().signal,
    ...more,
  };
}
/** Returns the outcome of a validation: "proven", or code and text of the error. */
export const verdict = (judged: Promise<number | void>): Promise<string> =>
  judged.then(
    () => "proven",
    ({ code, message }: CaError) => `${code}: ${message}`,
  );
export const never = new AbortController().signal;
