import { expect, it } from "vitest";
import { memoryStore } from "../../src/index.ts";
import { authority, type Authority } from "../support/authority.ts";
import { acmeAuthority, acmeClient, type AcmeClient, clusterPath } from "./client.ts";
import { growthStep } from "./partitioned.ts";

const clientOf = (by: Authority): AcmeClient =>
  acmeClient({
    fetch: (request) => by.ca.fetch(request),
    directory: `${clusterPath}/acme/directory`,
  });

it("a nonce is spent once by concurrent requests in two processes during a growth", async () => {
  const stores = memoryStore();
  const a = await acmeAuthority({ stores });
  const b = authority({ stores, clock: a.clock, seed: 3 });
  const pairs: [AcmeClient, AcmeClient][] = [];
  for (let n = 0; n < 10; n++) {
    const one = clientOf(a);
    await one.register();
    const other = clientOf(b);
    // another account in the other process
    await other.register();
    await one.post(one.kid, {});
    await other.post(other.kid, {});
    pairs.push([one, other]);
  }
  let spent = 0;
  for (const count of [4, 16]) {
    await a.ca.sys.growPartitions({ path: "pki", count });
    for (let more = true, n = 0; more; n++) {
      const [one, other] = pairs[n % pairs.length] ?? [];
      if (!one || !other) throw new Error("no client");
      const nonce = await (n % 2 === 0 ? one : other).nonce();
      const replies = await Promise.all(
        [one, other, one, other].map((by) => by.post(by.kid, {}, { nonce })),
      );
      const done = replies.filter(({ status }) => status === 200).length;
      expect([n, done, replies.map(({ text }) => text.slice(0, 120)).join()]).toEqual([
        n,
        1,
        expect.anything(),
      ]);
      spent += done;
      if (n % 3 === 0) more = await growthStep(n % 2 === 0 ? a : b);
      const again = await other.post(other.kid, {}, { nonce });
      expect(again.problem).toBe("badNonce");
    }
  }
  expect(spent).toBeGreaterThan(20);
});
