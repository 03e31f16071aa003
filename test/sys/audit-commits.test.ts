import { expect, it } from "vitest";
import { lastNumberKey } from "../../src/base/row-keys.ts";
import type { Row } from "../../src/engine/ports.ts";
import { memoryStore } from "../../src/index.ts";
import { varsApi } from "../../src/vars/index.ts";
import { at, beginAcme, post, type AcmeWorld } from "../conformance/acme-world.ts";
import { breakable } from "../conformance/breakable.ts";
import { authority, type Authority } from "../support/authority.ts";
import { varsDocument } from "../vars/service.ts";

const varsToken = "the first token of these tests";
/** Creates stores with a mount with ACME, a workspace of variables, and engines over them. */
async function begin() {
  const inner = memoryStore();
  const world = await beginAcme(inner);
  let seed = 10;
  /** Returns another engine over the same stores, with cold caches. */
  const engine = (): Authority =>
    authority({
      stores: breakable(world, inner),
      clock: world.clock,
      seed: seed++,
      apis: [varsApi],
      vars: { token: varsToken },
    });
  const a = engine();
  await a.role("web");
  const attributes = { name: "acme", email: "a@example.com" };
  await vars(a, "/organizations", { data: { type: "organizations", attributes } });
  const made = await vars(a, "/organizations/acme/workspaces", {
    data: { type: "workspaces", attributes: { name: "demo" } },
  });
  const { data } = (await made.json()) as { readonly data: { readonly id: string } };
  const { uuid } = await a.sys.readMount({ path: "pki" });
  return { world, engine, workspace: data.id, stores: ["sys", "vars", uuid].map(inner) };
}
type Begun = Awaited<ReturnType<typeof begin>>;

const vars = (a: Authority, path: string, body: unknown): Promise<Response> =>
  a.ca.fetch(
    new Request(`http://ca.test/api/v2${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${varsToken}`, "content-type": "application/vnd.api+json" },
      body: JSON.stringify(body),
    }),
  );
const holderOf = ({ holders: [one] }: AcmeWorld) => {
  if (!one) throw new Error("a world has accounts");
  return one;
};

/** Performs an act on an engine and returns its status; the number distinguishes repetitions. */
type Act = (a: Authority, n: number, begun: Begun) => Promise<number>;
const status = async (answer: Promise<{ readonly status: number }>) => (await answer).status;
/** A new value each time, because writing the same value again is not a change. */
let ttl = 0;
/** Serial numbers of the certificates that the acts issued. */
const serials = new Map<number, unknown>();
const issue: Act = async (a, n) => {
  const answer = await a.call("POST", "pki/issue/web", { common_name: `n${n}.example` });
  serials.set(n, answer.data["serial_number"]);
  return answer.status;
};
/** The acts; `before` creates what an act needs, outside the measurement. */
const acts: Readonly<Record<string, { readonly before?: Act; readonly does: Act }>> = {
  issue: { does: issue },
  revoke: {
    before: issue,
    does: (a, n) => status(a.call("POST", "pki/revoke", { serial_number: serials.get(n) })),
  },
  writeRole: { does: (a, n) => status(a.call("POST", `pki/roles/r${n}`, { ttl: ++ttl })) },
  createToken: { does: (a) => status(a.call("POST", "auth/token/create", { policies: ["x"] })) },
  writePolicy: {
    does: (a, n) => {
      const policy = 'path "x" { capabilities = ["read"] }';
      return status(a.call("POST", `sys/policies/acl/p${n}`, { policy }));
    },
  },
  acmeNewOrder: {
    does: (a, n, { world }) => {
      const identifiers = [{ type: "dns", value: `o${n}.a.test` }];
      return status(post(a, holderOf(world), at("/new-order"), { identifiers }));
    },
  },
  createWorkspaceVar: {
    does: (a, n, { workspace }) =>
      status(
        vars(
          a,
          `/workspaces/${workspace}/vars`,
          varsDocument({ key: `k${n}`, value: "v", category: "env" }),
        ),
      ),
  },
};

/** The logs of changes. */
const logs = ["change", "frequent", "own", "anonymous"].map((log) => `audit/${log}/`);
/** Matches events, and rows that change without a caller. */
const beside = /^(?:job\/|audit\/|logged\/|nonce\/)/;
const isCounted = ([key]: readonly [string, Row]): boolean => !beside.test(key);
async function stateOf({ stores }: Begun) {
  const rows = (await Promise.all(stores.map((store) => store.list("")))).flat();
  const events = rows.filter(([key]) => logs.some((log) => key.startsWith(log)));
  return {
    rows: rows
      .filter(isCounted)
      .map(([key, { rev }]) => `${key} ${rev}`)
      .join("\n"),
    // rows below it are events
    endpoints: events.map(([, { value }]) => (value as { readonly endpoint: string }).endpoint),
  };
}
/** Asserts that the event numbers of each store have no gap. */
async function expectNoGap({ stores }: Begun): Promise<void> {
  for (const [store, prefix] of stores.flatMap((one) => logs.map((log) => [one, log] as const))) {
    const numbers = (await store.list(prefix)).map(([key]) => Number(key.slice(prefix.length)));
    const [last] = await store.get([lastNumberKey(prefix)]);
    expect(numbers).toEqual(Array.from({ length: Number(last?.value ?? 0) }, (_, i) => i + 1));
  }
}

it.for(Object.entries(acts))(
  "an event exists exactly if the change of its request does, at whichever commit the host crashes: %s",
  async ([, { before, does }]) => {
    const begun = await begin();
    const { world, engine } = begun;
    let [n, changes] = [0, 0];
    for (const isDone of [false, true])
      for (let number = 1, fired = true; fired; number++) {
        const a = engine();
        await before?.(a, ++n, begun);
        // the rows that are created on first use exist by then
        if (n <= 1) await does(a, before ? n : ++n, begun);
        if (n <= 1) await before?.(a, ++n, begun);
        const was = await stateOf(begun);
        const fault = { at: number, isDone, ends: true, count: 0, fired: false };
        world.fault = fault;
        await does(a, before ? n : ++n, begun).catch(() => 503);
        world.fault = undefined;
        fired = fault.fired;
        const is = await stateOf(begun);
        const changed = is.rows !== was.rows;
        changes += changed ? 1 : 0;
        expect([number, isDone, is.endpoints.length - was.endpoints.length]).toEqual([
          number,
          isDone,
          changed ? 1 : 0,
        ]);
        await expectNoGap(begun);
      }
    expect(changes).toBeGreaterThan(1);
  },
);

it("two engines over one store log one event for each change, without repeated numbers", async () => {
  const begun = await begin();
  const engines = [begun.engine(), begun.engine()];
  const done: string[] = [];
  const before = (await stateOf(begun)).endpoints;
  for (let round = 0; round < 6; round++)
    await Promise.all(
      Object.entries(acts).flatMap(([name, { before: first, does }], kind) =>
        engines.map(async (a, i) => {
          // both write the same role, or the same policy
          const same = name.startsWith("write");
          const n = 1000 * round + 10 * kind + (same ? 0 : i);
          if (first && (await first(a, n, begun)) < 300) done.push("issue");
          if ((await does(a, n, begun)) < 300) done.push(name);
        }),
      ),
    );
  expect(new Set(done)).toEqual(new Set(Object.keys(acts)));
  const told = [...(await stateOf(begun)).endpoints];
  for (const one of before) told.splice(told.indexOf(one), 1);
  expect(told.sort()).toEqual(done.sort());
  await expectNoGap(begun);
});
