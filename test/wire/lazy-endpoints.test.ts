import { expect, it } from "vitest";
import { lazyEndpoints } from "../../src/wire/lazy-endpoints.ts";
import { endpoint } from "../../src/wire/endpoint.ts";
import { envelope } from "../../src/wire/style.ts";

const made = (id: string) =>
  endpoint({
    id,
    at: [`GET /${id}`] as const,
    access: "token",
    style: envelope,
    doc: "",
    body: {},
    reply: {},
    run: async () => undefined,
  });
const ids = { one: ["one", "two"], three: ["three"] };
const table = { one: "GET /one", two: "GET /two", three: "GET /three" };

it("lazyEndpoints: a part that failed to load is loaded by the next call, and a loaded part stays loaded", async () => {
  let tries = 0;
  const all = lazyEndpoints(
    table,
    {
      one: async () => {
        tries += 1;
        if (tries < 3) throw new TypeError("the network is away");
        return [made("one"), made("two")];
      },
      three: async () => [made("three")],
    },
    ids,
  );
  const [one, two, three] = all;
  await expect(one?.load()).rejects.toThrow("the network is away");
  await expect(two?.load()).rejects.toThrow("the network is away");
  // another part does not wait for it
  expect((await three?.load())?.id).toBe("three");
  expect((await two?.load())?.id).toBe("two");
  expect((await one?.load())?.id).toBe("one");
  expect(tries).toBe(3);
});

it("lazyEndpoints: concurrent first calls get the same endpoint, even if one of the loads fails", async () => {
  const part = [made("one"), made("two")];
  const waiting: ((fails: boolean) => void)[] = [];
  const [one, two] = lazyEndpoints(
    table,
    {
      one: () =>
        new Promise<typeof part>((resolve, reject) => {
          waiting.push((fails) => (fails ? reject(new TypeError("away")) : resolve(part)));
        }),
    },
    ids,
  );
  const [first, second, third] = [one?.load(), one?.load(), two?.load()];
  waiting[0]?.(true);
  await expect(first).rejects.toThrow("away");
  waiting[1]?.(false);
  waiting[2]?.(false);
  expect((await third)?.id).toBe("two");
  expect(await second).toBe(await one?.load());
});

it("lazyEndpoints: a part that lacks an endpoint of the table throws an error with its id on every call", async () => {
  const [, two] = lazyEndpoints(table, { one: async () => [made("one")] }, ids);
  for (let n = 0; n < 2; n++) await expect(two?.load()).rejects.toThrow("no endpoint two");
});
