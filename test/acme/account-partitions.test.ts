import { describe, expect, it } from "vitest";
import { acmeBelow } from "../../src/acme/rows/prefixes.ts";
import { newKey, type AcmeClient } from "./client.ts";
import { issue } from "./ordering.ts";
import {
  changeKey,
  lost,
  newEab,
  partitionedAuthority,
  type PartitionCall,
  puts,
  registerWith,
  runJobs,
  stateOf,
  withKey,
} from "./partitioned.ts";

describe("the registration of an account in another partition than its binding", () => {
  // the commits of a registration in partition 1 to 3, in order
  const steps = [
    ["it is allowed", acmeBelow.registrations, 0],
    ["the account is stored", acmeBelow.accounts, 1],
    ["it is registered", acmeBelow.thumbs, 2],
    ["the account is complete", acmeBelow.accounts, 3],
  ] as const;
  const cases = steps.flatMap(([what, prefix, at]) =>
    (["before", "after"] as const).map((when) => ({ what, prefix, at, when })),
  );

  it.each(cases)(
    "uses the binding exactly if it succeeds, after a crash $when $what",
    async ({ prefix, at, when }) => {
      for (const isJob of [true, false]) {
        const a = await partitionedAuthority(4, { config: { eab_policy: "always-required" } });
        const eab = await newEab(a);
        const key = newKey();
        let crashed = false;
        for (;;) {
          // registers accounts until one is outside the mount's own store, where a registration
          // takes a single commit
          let seen = 0;
          const isStep = (call: PartitionCall): boolean =>
            (puts(call, acmeBelow.registrations) ||
              (call.partition > 0 && puts(call, acmeBelow.accounts)) ||
              puts(call, acmeBelow.thumbs)) &&
            seen++ === at;
          const crash = (call: PartitionCall, now: "before" | "after"): void => {
            if (now !== when || !isStep(call)) return;
            expect(puts(call, prefix)).toBe(true);
            crashed = true;
            throw lost();
          };
          a.hooks.before = (call) => {
            // a registration in the mount's own store would use up the binding
            if (call.partition === 0 && puts(call, acmeBelow.accounts)) throw lost();
            crash(call, "before");
          };
          a.hooks.after = (call) => crash(call, "after");
          const reply = await registerWith(a.client({ key }), eab);
          expect(reply.status).toBe(503);
          if (crashed) break;
        }
        a.hooks.before = a.hooks.after = () => undefined;
        const isRegistered = at === 3 || (at === 2 && when === "after");
        if (isJob) {
          await runJobs(a);
          expect(await stateOf(a)).toEqual({
            accounts: isRegistered ? 1 : 0,
            registering: 0,
            thumbs: isRegistered ? 1 : 0,
            eabs: isRegistered ? 0 : 1,
            intents: 0,
          });
        }
        // the client repeats its request, and gets one account
        const client = a.client({ key });
        const again = await registerWith(client, eab);
        expect(again.status).toBe(isRegistered ? 200 : 201);
        expect((await client.post(client.kid)).json["status"]).toBe("valid");
        await issue(a, client, ["a.test"]);
        await runJobs(a);
        expect(await stateOf(a)).toEqual({
          accounts: 1,
          registering: 0,
          thumbs: 1,
          eabs: 0,
          intents: 0,
        });
        const other = await registerWith(a.client(), eab);
        expect([other.status, other.problem]).toEqual([401, "unauthorized"]);
      }
    },
  );

  it("is refused if the job settled it during a slow commit", async () => {
    for (const slow of [acmeBelow.accounts, acmeBelow.thumbs]) {
      const a = await partitionedAuthority(4);
      let isSettled = false;
      a.hooks.before = async (call) => {
        const isElsewhere = !puts(call, acmeBelow.accounts) || call.partition > 0;
        if (isSettled || !puts(call, slow) || !isElsewhere) return;
        // a registration in one commit has no other steps
        if (slow === acmeBelow.thumbs && puts(call, acmeBelow.accounts)) return;
        isSettled = true;
        await runJobs(a);
      };
      const clients: AcmeClient[] = [];
      let late = a.client();
      while (!isSettled) {
        late = a.client();
        clients.push(late);
        const { status, text } = await late.register();
        if (isSettled) expect([status, text]).toEqual([503, expect.stringContaining("too long")]);
        else expect(status).toBe(201);
      }
      // the nonce has expired
      expect((await a.client({ key: late.key }).register()).status).toBe(201);
      await runJobs(a);
      expect(await stateOf(a)).toMatchObject({
        accounts: clients.length,
        thumbs: clients.length,
        registering: 0,
        intents: 0,
      });
    }
  });

  it("never exceeds the uses of a binding, and yields one account for a key", async () => {
    const a = await partitionedAuthority(4);
    const limited = await newEab(a, { max_uses: 3 });
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => registerWith(a.client(), limited)),
    );
    const made = replies.filter(({ status }) => status === 201);
    expect(made).toHaveLength(3);
    const once = await newEab(a);
    const single = await Promise.all(
      Array.from({ length: 6 }, () => registerWith(a.client(), once)),
    );
    expect(single.filter(({ status }) => status === 201)).toHaveLength(1);
    // a client that sends its request several times has one account
    const key = newKey();
    const same = await Promise.all(Array.from({ length: 6 }, () => a.registered({ key })));
    expect(new Set(same.map(({ kid }) => kid)).size).toBe(1);
    expect(await stateOf(a)).toMatchObject({ accounts: 5, thumbs: 5, registering: 0, intents: 0 });
  });
});

describe("the key change of an account in another partition than its key", () => {
  const steps = [
    ["the new key is reserved", 0],
    ["the account is changed", 1],
  ] as const;
  it.each(steps.flatMap(([what, at]) => ["before", "after"].map((when) => ({ what, at, when }))))(
    "is made or not made after a crash $when $what, and both keys can be used accordingly",
    async ({ at, when }) => {
      for (const isJob of [true, false]) {
        const a = await partitionedAuthority(4);
        const client = await a.registeredIn(2);
        const [old, next] = [client.key, newKey()];
        await client.post(client.kid);
        const { accounts: count } = await stateOf(a);
        const hook = when === "before" ? "before" : "after";
        a.hooks[hook] = (call) => {
          const prefix = at === 0 ? acmeBelow.thumbs : acmeBelow.accounts;
          if (puts(call, prefix)) throw lost();
        };
        expect((await changeKey(client, next)).status).toBe(503);
        a.hooks[hook] = () => undefined;
        const isChanged = at === 1 && when === "after";
        if (isJob) {
          await runJobs(a);
          expect(await stateOf(a)).toMatchObject({ accounts: count, thumbs: count });
        }
        const [current, other] = isChanged ? [next, old] : [old, next];
        expect((await withKey(a, client, current).post(client.kid)).status).toBe(200);
        expect((await withKey(a, client, other).post(client.kid)).status).toBe(400);
        // the key without an account can get one, and the other key cannot get a second one
        const own = a.client({ key: current });
        expect([(await own.register()).status, own.kid]).toEqual([200, client.kid]);
        const free = a.client({ key: other });
        expect((await free.register()).status).toBe(201);
        expect(free.kid).not.toBe(client.kid);
        const refused = await changeKey(withKey(a, client, current), other);
        expect([refused.status, refused.problem]).toEqual([409, "malformed"]);
        await runJobs(a);
        expect(await stateOf(a)).toMatchObject({ accounts: count + 1, thumbs: count + 1 });
      }
    },
  );

  it("succeeds if the old key cannot be released, which a job then does", async () => {
    const a = await partitionedAuthority(4);
    const client = await a.registeredIn(2);
    const { accounts } = await stateOf(a);
    a.hooks.before = (call) => {
      if (call.batch?.del?.some((key) => key.startsWith(acmeBelow.thumbs))) throw lost();
    };
    const next = newKey();
    expect((await changeKey(client, next)).status).toBe(200);
    a.hooks.before = () => undefined;
    expect((await withKey(a, client, next).post(client.kid)).status).toBe(200);
    expect((await stateOf(a)).thumbs).toBe(accounts + 1);
    await runJobs(a);
    expect((await stateOf(a)).thumbs).toBe(accounts);
  });

  it("is refused if another account got the key just before the account was changed", async () => {
    const a = await partitionedAuthority(4);
    const client = await a.registeredIn(3);
    const next = newKey();
    const registering = a.client({ key: next });
    let steps = 0;
    a.hooks.before = async (call) => {
      if (call.partition !== 3 || !puts(call, acmeBelow.accounts) || steps++ > 0) return;
      expect((await registering.register()).status).toBe(201);
    };
    const refused = await changeKey(client, next);
    expect([refused.status, refused.problem, refused.location]).toEqual([
      409,
      "malformed",
      registering.kid,
    ]);
    expect((await client.post(client.kid)).status).toBe(200);
    expect((await registering.post(registering.kid)).status).toBe(200);
  });

  it("gives a key to one account if several accounts and a registration want it at once", async () => {
    const a = await partitionedAuthority(4);
    for (let round = 0; round < 5; round++) {
      const accounts = [await a.registeredIn(1), await a.registeredIn(2), await a.registeredIn(0)];
      const next = newKey();
      const registering = a.client({ key: next });
      const [made, ...changed] = await Promise.all([
        registering.register(),
        ...accounts.map((client) => changeKey(client, next)),
      ]);
      const won = changed.filter(({ status }) => status === 200);
      // a registration returns the account that now has the key
      expect(won.length + (made.status === 201 ? 1 : 0)).toBe(1);
      const found = a.client({ key: next });
      expect((await found.register({ onlyReturnExisting: true })).status).toBe(200);
      const owner = accounts.findIndex((_, at) => changed[at]?.status === 200);
      if (owner >= 0) expect(found.kid).toBe(accounts[owner]?.kid);
      for (const [at, client] of accounts.entries())
        expect((await client.post(client.kid)).status).toBe(at === owner ? 400 : 200);
    }
    await runJobs(a);
    const { accounts, thumbs } = await stateOf(a);
    expect(thumbs).toBe(accounts);
  });
});
