import { describe, expect, it } from "vitest";
import type { Store, Stores } from "../../src/engine/ports.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { authority } from "../support/authority.ts";
import { acmeAuthority, acmeClient, clusterPath, type AcmeAuthority } from "./client.ts";
import { csrOf, finalize, newOrder, orderIn, prove } from "./ordering.ts";

/** Returns stores, and a function that lists the calls to the store of the mount during `run`. */
function counted({ rows = true } = {}) {
  const inner = memoryStore();
  const seen: string[] = [];
  const stores: Stores = Object.assign(
    (name: string): Store => {
      const store = inner(name);
      if (name === "sys") return store;
      return {
        ...store,
        get: (keys) => (seen.push("get"), store.get(keys)),
        list: (prefix, page) => (seen.push("list"), store.list(prefix, page)),
        async commit(batch) {
          seen.push("commit");
          const done = await store.commit(batch);
          return done && (rows ? done : { epoch: done.epoch });
        },
      };
    },
    { durable: false },
  );
  const asked = async (run: () => Promise<unknown>): Promise<string> => {
    seen.length = 0;
    await run();
    return seen.join(" ");
  };
  return { stores, asked };
}
const names = ["a.example.com"];
/** Returns an authority, its client, and the same client for another engine over the same stores. */
async function twice() {
  const stores = memoryStore();
  // the challenger never finishes, so an accepted challenge stays in that state
  const challenger = () => new Promise<void>(() => undefined);
  const a = await acmeAuthority({ stores, challenger });
  const client = await a.registered();
  const { ca } = authority({ stores, clock: a.clock, challenger });
  const there = acmeClient({
    fetch: (request) => ca.fetch(request),
    directory: `${clusterPath}/acme/directory`,
    key: client.key,
  });
  there.kid = client.kid;
  return { a, client, there };
}
async function ordered(a: AcmeAuthority) {
  const client = await a.registered();
  const made = await newOrder(client, names);
  return { client, order: made.location, ...orderIn(made) };
}

describe("an account in the cache of the engine", () => {
  it("needs one store call to read its order, its authorization or its certificate", async () => {
    const { stores, asked } = counted();
    const a = await acmeAuthority({ stores });
    const { client, order, authorizations } = await ordered(a);
    const [authorization = ""] = authorizations;
    expect(await asked(() => client.post(authorization))).toBe("commit");
    expect(await asked(() => client.post(order))).toBe("commit");
    await prove(a, authorizations);
    const csr = await csrOf({ names });
    await client.post(order);
    expect(await asked(() => finalize(client, order, csr))).toBe("commit");
    expect(await asked(() => client.post(`${order}/cert`))).toBe("commit");
    expect(await asked(() => newOrder(client, names))).toBe("list commit");
  });

  it("gets the same responses from a store that returns no rows with a commit", async () => {
    const { stores, asked } = counted({ rows: false });
    const a = await acmeAuthority({ stores });
    const { client, order, authorizations } = await ordered(a);
    await client.post(order);
    expect(await asked(() => client.post(order))).toBe("commit get");
    await prove(a, authorizations);
    expect((await client.post(order)).json["status"]).toBe("ready");
    expect((await finalize(client, order, { names })).json["status"]).toBe("valid");
    expect((await client.post(`${order}/cert`)).text).toContain("BEGIN CERTIFICATE");
  });

  it("is rejected immediately after another engine has deactivated it", async () => {
    const { client, there } = await twice();
    expect((await client.post(client.kid)).status).toBe(200);
    expect((await there.post(there.kid, { status: "deactivated" })).status).toBe(200);
    const refused = await client.post(client.kid);
    expect([refused.status, refused.problem]).toEqual([401, "unauthorized"]);
    const order = await newOrder(client, names);
    expect([order.status, order.problem]).toEqual([401, "unauthorized"]);
  });

  it("shows changes by another engine immediately", async () => {
    const { client, there } = await twice();
    await client.post(client.kid);
    await there.post(there.kid, { contact: ["mailto:a@example.com"] });
    const { json } = await client.post(client.kid);
    expect(json["contact"]).toEqual(["mailto:a@example.com"]);
  });

  it("overwrites no changes by another engine", async () => {
    const { a, client, there } = await twice();
    const { authorizations } = orderIn(await newOrder(client, names));
    const [authorization = ""] = authorizations;
    const { json } = await client.post(authorization);
    const [challenge] = json["challenges"] as readonly { readonly url: string }[];
    await there.post(authorization, { status: "deactivated" });
    const refused = await client.post(challenge?.url ?? "", {});
    expect([refused.status, refused.problem]).toEqual([400, "malformed"]);
    const again = await newOrder(client, names);
    await prove(a, orderIn(again).authorizations);
    expect((await client.post(again.location)).json["status"]).toBe("ready");
    expect((await there.post(again.location)).json["status"]).toBe("ready");
    const csr = await csrOf({ names });
    const both = await Promise.all(
      [client, there].map((one) => finalize(one, again.location, csr)),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 403]);
  });

  it("gets the current state of a challenge that another engine has changed", async () => {
    const { client, there } = await twice();
    const { authorizations } = orderIn(await newOrder(client, names));
    const [authorization = ""] = authorizations;
    const { json } = await client.post(authorization);
    const [challenge] = json["challenges"] as readonly { readonly url: string }[];
    await there.post(challenge?.url ?? "", {});
    const begun = await client.post(challenge?.url ?? "", {});
    expect([begun.status, begun.json["status"]]).toEqual([200, "processing"]);
  });

  it("can use a nonce once, even for concurrent reads and changes", async () => {
    const a = await acmeAuthority();
    const { client, order } = await ordered(a);
    await client.post(order);
    const nonce = await client.nonce();
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        at % 2 === 0
          ? client.post(order, undefined, { nonce })
          : client.post(client.kid, { contact: [] }, { nonce }),
      ),
    );
    expect(replies.map(({ problem }) => problem).toSorted()).toEqual([
      "",
      ...Array.from({ length: 5 }, () => "badNonce"),
    ]);
    expect((await client.post(order, undefined, { nonce })).problem).toBe("badNonce");
  });

  it("cannot read cached orders of another account", async () => {
    const a = await acmeAuthority();
    const { client, order } = await ordered(a);
    await client.post(order);
    const other = await a.registered();
    await other.post(other.kid);
    for (const url of [order, `${order}/cert`])
      expect((await other.post(url)).problem).toBe("malformed");
  });
});
