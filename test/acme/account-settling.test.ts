import { describe, expect, it } from "vitest";
import { acmeBelow } from "../../src/acme/rows/prefixes.ts";
import { over } from "../pki/tidy/tidying.ts";
import { newKey } from "./client.ts";
import {
  changeKey,
  idOf,
  keysIn,
  lost,
  newEab,
  partitionedAuthority,
  type PartitionCall,
  puts,
  read,
  registeringIn,
  runJobs,
  stateOf,
} from "./partitioned.ts";

describe("an unused account in another partition", () => {
  it("is kept if an administrator sets the status that it already has", async () => {
    const a = await partitionedAuthority(4);
    const client = await a.registeredIn(1);
    const id = idOf(client.kid);
    await a.pki.writeAcmeAccount({ key_id: id, status: "valid" });
    const listed = (await keysIn(a, acmeBelow.unused)).flat().some((key) => key.endsWith(id));
    expect(listed).toBe(true);
    await runJobs(a);
    expect((await read(client)).status).toBe(200);
  });
});

describe("a mount that is deleted during a request", () => {
  it.each(["registration", "key change"])("gets no rows from a %s", async (what) => {
    const a = await partitionedAuthority(4);
    const client = await a.registeredIn(1);
    const parts = await a.partitions();
    let isDeleted = false;
    const prefix = what === "registration" ? acmeBelow.accounts : acmeBelow.thumbs;
    const isStep = (call: PartitionCall): boolean =>
      puts(call, prefix) &&
      (what === "registration" ? call.partition > 0 : !puts(call, acmeBelow.accounts));
    a.hooks.before = async (call) => {
      if (isDeleted || !isStep(call)) return;
      isDeleted = true;
      await a.sys.deleteMount({ path: "pki" });
    };
    if (what === "registration")
      while (!isDeleted)
        await a
          .client()
          .register()
          .catch(() => undefined);
    else await changeKey(client, newKey()).catch(() => undefined);
    expect(isDeleted).toBe(true);
    const rows = (await Promise.all(parts.map((store) => store.list("")))).flat();
    expect(
      rows.map(([key]) => key).filter((key) => /^(?:account|thumb|job|acme)/.test(key)),
    ).toEqual([]);
  });
});

describe("limits of bindings in a mount with partitions", () => {
  it("can be tightened concurrently", async () => {
    const a = await partitionedAuthority(4);
    const eabs = [];
    for (let n = 0; n < 16; n++) eabs.push(await newEab(a, { max_uses: 2 }));
    const replies = await Promise.all(
      eabs.map(({ id }) => a.call("POST", `pki/eab/${id}`, { allowed_identifiers: ["a.test"] })),
    );
    expect(replies.map(({ status }) => status).filter((status) => status >= 300)).toEqual([]);
  });
});

describe("jobs that settle accounts", () => {
  it("are cancelled once there is nothing left to settle", async () => {
    const a = await partitionedAuthority(4);
    const client = await a.registeredIn(1);
    expect((await changeKey(client, newKey())).status).toBe(200);
    for (let n = 0; n < 4; n++) await a.registered();
    const jobs = (await keysIn(a, "job/")).flat();
    expect(jobs.filter((key) => /acme-(?:account|key)/.test(key))).toEqual([]);
  });

  it("are not put for an account that a limit refuses", async () => {
    const a = await partitionedAuthority(4);
    await a.registered();
    const [first = ""] = (await keysIn(a, acmeBelow.unused)).flat();
    const network = first.split("/")[0] ?? "";
    const store = a.stores(await a.uuid());
    const now = String(Math.floor(a.clock.now / 1000)).padStart(12, "0");
    for (let n = 0; n < 1000; n++)
      await store.commit({ put: [[`${acmeBelow.unused}${network}/${now}/x${n}`, {}]] });
    for (let n = 0; n < 6; n++) {
      const client = a.client();
      await client.nonce();
      a.calls.length = 0;
      expect((await client.register()).problem).toBe("rateLimited");
      expect(a.calls.filter(({ what }) => what === "commit")).toHaveLength(1);
    }
  });
});

describe("tidy of accounts in several partitions", () => {
  it.each(["a crash", "a concurrent registration"])(
    "deletes the rows of their keys after %s",
    async (what) => {
      const a = await partitionedAuthority(4);
      const one = await a.registeredIn(1);
      await a.registeredIn(2);
      const t = await over(a);
      const tidy = async () => {
        a.clock.advance(40 * 86_400);
        return t.tidy({ tidy_acme: true, acme_account_safety_buffer: "720h" });
      };
      await tidy();
      let met = 0;
      a.hooks.before = async (call) => {
        if (!call.batch?.del?.some((key) => key.startsWith(acmeBelow.thumbs)) || met++ > 0) return;
        if (what === "a crash") throw lost();
        expect((await a.client({ key: one.key }).register()).status).toBe(201);
      };
      await tidy().catch(() => undefined);
      a.hooks.before = () => undefined;
      expect(met).toBeGreaterThan(0);
      // finishes the interrupted run
      a.clock.advance(3600);
      await a.ca.tick();
      for (let n = 0; n < 3; n++) await tidy();
      const { accounts, thumbs } = await stateOf(a);
      const unused = (await keysIn(a, acmeBelow.unused)).flat().length;
      expect({ accounts, thumbs, unused }).toEqual({ accounts: 0, thumbs: 0, unused: 0 });
    },
  );
});

describe("an account that a slow request stores after the job that settles it, before a crash", () => {
  it("is removed later", async () => {
    const a = await partitionedAuthority(4);
    const kept = await a.registeredIn(2);
    let isStored = false;
    const isStep = (call: PartitionCall): boolean =>
      call.partition > 0 && puts(call, acmeBelow.accounts) && !isStored;
    a.hooks.before = async (call) => {
      if (isStep(call)) await runJobs(a);
    };
    a.hooks.after = (call) => {
      if (!isStep(call)) return;
      isStored = true;
      throw lost();
    };
    let slow = a.client();
    while (!isStored) {
      slow = a.client();
      await slow.register();
    }
    a.hooks.before = a.hooks.after = () => undefined;
    await runJobs(a);
    const [id = "", ...others] = await registeringIn(a);
    expect(others).toEqual([]);
    // it does not exist, and another account can get its key
    slow.kid = kept.kid.replace(idOf(kept.kid), id);
    expect((await read(slow)).problem).toBe("accountDoesNotExist");
    expect((await a.call("GET", `pki/acme/mgmt/account/keyid/${id}`)).status).toBe(404);
    slow.kid = "";
    expect((await slow.register()).status).toBe(201);
    a.clock.advance(31 * 86_400);
    for (let n = 0; n < 5; n++) {
      await a.client().nonce();
      await runJobs(a);
    }
    const { accounts, registering, thumbs } = await stateOf(a);
    expect([registering, accounts]).toEqual([0, thumbs]);
    // a registered account is not removed after 30 days
    expect((await read(kept)).status).toBe(200);
  });
});
