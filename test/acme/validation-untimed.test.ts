import type { Probe } from "../../src/acme/validation/host-decision.ts";
import { describe, expect, it } from "vitest";
import { acmeAuthority, acmeClient, clusterPath } from "./client.ts";
import { newOrder, orderIn } from "./ordering.ts";
import { settle, until } from "./validation-world.ts";
import { authority, type AuthorityOptions } from "../support/authority.ts";

/** Creates an order on a host that never calls `tick`. */
async function ordered(options: AuthorityOptions) {
  const a = await acmeAuthority(options);
  const client = await a.registered();
  const made = await newOrder(client, ["www.example.com"]);
  const [authorization = ""] = orderIn(made).authorizations;
  const { json } = await client.post(authorization);
  const [challenge] = json["challenges"] as readonly { readonly url: string }[];
  const status = async (url = authorization) => (await client.post(url)).json["status"];
  return { a, client, authorization, order: made.location, url: challenge?.url ?? "", status };
}

describe("on a host that never calls tick", () => {
  it("a challenge is validated by the request that accepts it", async () => {
    const asked: Probe[] = [];
    const w = await ordered({ challenger: async (probe) => void asked.push(probe) });
    expect((await w.client.post(w.url, {})).json["status"]).toBe("processing");
    await until(async () => (await w.status()) === "valid");
    expect(asked).toHaveLength(1);
  });

  it.each(["authorization", "order", "url"] as const)(
    "a failed validation is retried by the first read of its %s once it is due, not before",
    async (read) => {
      let dials = 0;
      const w = await ordered({
        dial: async () => {
          dials++;
          throw new Error("nothing is there");
        },
        resolve: async ({ type }) => (type === "A" ? ["8.8.4.4"] : []),
      });
      await w.client.post(w.url, {});
      await until(() => dials === 1);
      await until(async () => (await w.client.post(w.url)).json["error"] !== undefined);
      await w.status(w[read]);
      await settle();
      expect(dials).toBe(1);
      w.a.clock.advance(6);
      await w.status(w[read]);
      await until(() => dials === 2);
    },
  );

  it("a validation is resumed once, by a read, after the engine that started it has ended", async () => {
    const waits = async () => new Promise<void>(() => undefined);
    const gone = await ordered({ challenger: waits });
    await gone.client.post(gone.url, {});
    await settle();
    let asked = 0;
    const next = authority({
      stores: gone.a.stores,
      clock: gone.a.clock,
      challenger: async () => {
        asked++;
        await waits();
      },
    });
    const client = acmeClient({
      fetch: (request) => next.ca.fetch(request),
      directory: `${clusterPath}/acme/directory`,
      key: gone.client.key,
    });
    client.kid = gone.client.kid;
    for (let poll = 0; poll < 3; poll++) {
      expect((await client.post(gone.authorization)).json["status"]).toBe("pending");
      await until(() => asked === 1);
    }
    await settle();
    expect(asked).toBe(1);
  });
});
