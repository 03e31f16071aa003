import { expect, it } from "vitest";
import { createCa } from "../../src/index.ts";
import { indexedDbStore } from "../../src/store/indexeddb.ts";

it("a wrapped reply over IndexedDB is unwrapped once and removed after its token expires", async () => {
  let now = Date.now();
  const wakes: number[] = [];
  const stores = indexedDbStore(`wrapping-${now}`);
  const ca = createCa({
    stores,
    sealingKey: new Uint8Array(32).fill(7),
    now: () => now,
    wake: (at) => void wakes.push(at),
  });
  await ca.pki.generateRoot({ common_name: "Browser Root", key_type: "ec" });
  // the page needs no token: it acts as the owner
  const owner = { id: "page", can: () => true };
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { "x-service-wrap-ttl": "60" };
    const request = new Request(`http://ca.test/v1/${path}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = await ca.fetch(request, { identity: owner });
    return {
      status: answer.status,
      ...((await answer.json()) as {
        data: Record<string, unknown> | null;
        wrap_info: { token: string } | null;
      }),
    };
  };
  // an endpoint that needs no token is wrapped for the owner too
  const listed = await ask("GET", "pki/issuers?list=true");
  expect([listed.status, listed.data]).toEqual([200, null]);
  const token = listed.wrap_info?.token;
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => ask("PUT", "sys/wrapping/unwrap", { token })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
  expect(answers.find(({ status }) => status === 200)?.data?.["keys"]).toHaveLength(1);
  await ask("POST", "sys/wrapping/wrap", { a: 1 });
  expect(await stores("sys").list("wrapped/")).toHaveLength(1);
  now = Math.max(...wakes);
  await ca.tick();
  expect([await stores("sys").list("wrapped/"), await stores("sys").list("job/")]).toEqual([
    [],
    [],
  ]);
});
