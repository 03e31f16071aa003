import { expect, it } from "vitest";
import { maxFailedAttempts } from "../../src/acme/validation/failure-limit.ts";
import { acmeIndexes, acmeKeys, storedAcme } from "../../src/acme/rows/records.ts";
import { acmeAuthority, type AcmeClient } from "./client.ts";
import { newOrder, orderIn } from "./ordering.ts";
import { until } from "./validation-world.ts";

const config = { challenge_types: ["dns-persist-01", "http-01"] };
const hour = 3600;

/** Creates an authority whose resolver returns no records, and a client with an account. */
async function world() {
  const asked: string[] = [];
  const a = await acmeAuthority({
    resolve: async ({ name }) => (asked.push(name), []),
    config,
  });
  const client = await a.registered();
  const store = a.stores(await a.uuid());
  const keyOf = (of: AcmeClient, name: string) =>
    acmeKeys.failures(of.kid.slice(of.kid.lastIndexOf("/") + 1), name);
  const challengeOf = async (of: AcmeClient, name: string, type = "dns-persist-01") => {
    const [authz = ""] = orderIn(await newOrder(of, [name])).authorizations;
    const { challenges } = (await of.post(authz)).json as unknown as {
      readonly challenges: readonly { readonly type: string; readonly url: string }[];
    };
    return { authz, url: challenges.find((one) => one.type === type)?.url ?? "" };
  };
  return {
    ...a,
    asked,
    client,
    challengeOf,
    /** Returns the stored number of failures of an account for a name. */
    failures: async (of: AcmeClient, name: string) => {
      const [row] = await store.get([keyOf(of, name)]);
      return row && storedAcme.failures(row.value);
    },
    /** Stores a number of failures whose hour ends after some seconds. */
    fail: async (of: AcmeClient, name: string, failed: number, seconds: number) => {
      const end = Math.floor(a.clock.now / 1000) + seconds;
      const key = keyOf(of, name);
      const [row] = await store.get([key]);
      await store.commit({
        expect: [[key, row?.rev ?? null]],
        put: [[key, { failed, end }, { [acmeIndexes.end]: end }]],
      });
    },
    /** Starts a validation, which must be allowed, and waits until its first attempt has failed. */
    attempt: async (of: AcmeClient, url: string) => {
      const reply = await of.post(url, {});
      expect(reply.status, reply.text).toBe(200);
      await until(async () => {
        await a.ca.tick();
        return (await of.post(url)).json["error"] !== undefined;
      });
    },
  };
}

it("dns-persist-01: failed attempts are counted per account and name, for an hour from the first", async () => {
  const w = await world();
  const { url } = await w.challengeOf(w.client, "a.example");
  const end = Math.floor(w.clock.now / 1000) + hour;
  await w.attempt(w.client, url);
  expect(await w.failures(w.client, "a.example")).toEqual({ failed: 1, end });
  w.clock.advance(6);
  await w.ca.tick();
  await until(async () => (await w.failures(w.client, "a.example"))?.failed === 2);
  expect(await w.failures(w.client, "a.example")).toEqual({ failed: 2, end });
  const { url: http } = await w.challengeOf(w.client, "b.example", "http-01");
  await w.attempt(w.client, http);
  expect(await w.failures(w.client, "b.example")).toBeUndefined();
});

it("dns-persist-01: after the maximum of failed attempts, no validation of the name starts until the hour ends", async () => {
  const w = await world();
  await w.fail(w.client, "a.example", maxFailedAttempts - 1, 60);
  const { url } = await w.challengeOf(w.client, "a.example");
  await w.attempt(w.client, url);
  const next = await w.challengeOf(w.client, "a.example");
  const refused = await w.client.post(next.url, {});
  expect([refused.status, refused.problem, refused.headers.get("retry-after")]).toEqual([
    429,
    "rateLimited",
    "60",
  ]);
  expect((await w.client.post(next.authz)).json["status"]).toBe("pending");
  const { url: ofOther } = await w.challengeOf(w.client, "b.example");
  await w.attempt(w.client, ofOther);
  const other = await w.registered();
  const { url: byOther } = await w.challengeOf(other, "a.example");
  await w.attempt(other, byOther);
  w.clock.advance(60);
  await w.attempt(w.client, next.url);
  const ends = Math.floor(w.clock.now / 1000) + hour;
  expect((await w.failures(w.client, "a.example"))?.end).toBe(ends);
});

it("dns-persist-01: a running validation fails without a query once the maximum is reached", async () => {
  const w = await world();
  const { authz, url } = await w.challengeOf(w.client, "a.example");
  await w.attempt(w.client, url);
  await w.fail(w.client, "a.example", maxFailedAttempts, 600);
  const queries = w.asked.length;
  w.clock.advance(6);
  await w.ca.tick();
  await until(async () => (await w.client.post(authz)).json["status"] !== "pending");
  const { error } = (await w.client.post(url)).json as {
    readonly error?: { readonly type: string };
  };
  expect(error?.type).toBe("urn:ietf:params:acme:error:rateLimited");
  expect(w.asked.length).toBe(queries);
  expect((await w.failures(w.client, "a.example"))?.failed).toBe(maxFailedAttempts);
});
