import fc from "fast-check";
import { expect, it } from "vitest";
import { forSeedsInTurn } from "../base/seeds.ts";
import { authority, type Authority } from "../support/authority.ts";
import { partitionedStores } from "../support/partitioned-stores.ts";
import {
  beginning,
  judge,
  places,
  policies,
  type Act,
  type Came,
  type State,
  type With,
} from "./account-model.ts";
import {
  accountUrl,
  binding,
  clientKey,
  directory,
  jws,
  newEab,
  registering,
  type ClientKey,
  type Eab,
  distantStore,
} from "./registering.ts";

const keyCount = 3;
const keys = await Promise.all(Array.from({ length: keyCount }, () => clientKey()));
const keyAt = (n: number): ClientKey => keys[n] ?? fail(`no key ${n}`);
const fail = (why: string): never => {
  throw new Error(why);
};

const key = fc.nat(keyCount - 1);
const place = fc.nat(places.length - 1);
const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant("register" as const),
      key,
      place: fc.constantFrom(0, 0, 0, 1),
      eab: fc.option(fc.nat(2), { nil: undefined }),
      only: fc.constantFrom(false, false, false, true),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant("update" as const),
      key,
      contact: fc.constantFrom("", "mailto:a@example.com", "mailto:b@example.com"),
    }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("deactivate" as const), key }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant("change" as const), key, to: key }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("bind" as const), place }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("unbind" as const), eab: fc.nat(3) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant("policy" as const),
      policy: fc.constantFrom(...policies),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant("set" as const),
      key,
      status: fc.constantFrom("valid" as const, "revoked" as const),
    }),
  },
);
/** One act, or two concurrent ones. */
const steps = fc.oneof(fc.tuple(acts), fc.tuple(acts, acts), fc.tuple(acts, acts));

/** The first acts of each history, which create the accounts that later acts need. */
const opening: readonly (readonly Act[])[] = [
  [
    { act: "register", key: 0, place: 0, only: false },
    { act: "bind", place: 0 },
  ],
  [
    { act: "bind", place: 0 },
    { act: "register", key: 1, place: 0, only: false },
  ],
];

/** The state of a history: the last account of each key, and the bindings. */
interface World {
  readonly engines: readonly [Authority, Authority];
  readonly kids: Map<number, string>;
  readonly eabs: Eab[];
}
const withOf = ({ kids, eabs }: World, act: Act): With => ({
  kid: "key" in act ? kids.get(act.key) : undefined,
  eab: "eab" in act && act.eab !== undefined ? eabs[act.eab]?.id : undefined,
});

/** Performs an act, if its account or binding exists. */
async function carryOut(world: World, act: Act, engine: Authority): Promise<Came> {
  const { kid, eab: id } = withOf(world, act);
  switch (act.act) {
    case "register": {
      const acme = directory(engine, places[act.place]);
      const eab = world.eabs.find((one) => one.id === id);
      const signer = keyAt(act.key);
      const answer = await acme.post("/new-account", signer, {
        onlyReturnExisting: act.only,
        ...(eab
          ? {
              externalAccountBinding: await binding(eab, signer.jwk, {
                url: acme.url("/new-account"),
              }),
            }
          : {}),
      });
      return cameOf(answer);
    }
    case "bind": {
      const eab = await newEab(engine, places[act.place]);
      world.eabs.push(eab);
      return { status: 200, tells: eab.id };
    }
    case "unbind":
      return { status: (await engine.call("DELETE", `pki/eab/${id ?? ""}`)).status };
    case "policy": {
      const { status } = await engine.call("POST", "pki/config/acme", { eab_policy: act.policy });
      return { status };
    }
    case "set": {
      const at = `pki/acme/mgmt/account/keyid/${(kid ?? "").replace(/.*\//, "")}`;
      return { status: (await engine.call("POST", at, { status: act.status })).status };
    }
    default:
      return asAccount(engine, act, kid ?? "");
  }
}
async function asAccount(
  engine: Authority,
  act: Act & { readonly act: "update" | "deactivate" | "change" },
  kid: string,
): Promise<Came> {
  const [, prefix = "", path = ""] = /\/pki\/(.*acme)(\/account\/.*)$/.exec(kid) ?? [];
  const acme = directory(engine, prefix);
  const signer = keyAt(act.key);
  if (act.act === "update") {
    const contact = act.contact === "" ? [] : [act.contact];
    return cameOf(await acme.post(path, signer, { contact }, { kid }));
  }
  if (act.act === "deactivate")
    return cameOf(await acme.post(path, signer, { status: "deactivated" }, { kid }));
  const to = keyAt(act.to);
  const header = { alg: "ES256", jwk: to.jwk, url: acme.url("/key-change") };
  const inner = await jws(header, { account: kid, oldKey: signer.jwk }, to.sign);
  return cameOf(await acme.post("/key-change", signer, inner, { kid }));
}
const cameOf = (answer: Awaited<ReturnType<ReturnType<typeof directory>["post"]>>): Came => ({
  status: answer.status,
  problem: answer.problem,
  tells: answer.headers.has("location") ? accountUrl(answer) : undefined,
});

/** Reports whether an act is possible: its account or binding exists. */
const isPossible = (world: World, act: Act): boolean => {
  const { kid, eab } = withOf(world, act);
  if (act.act === "register") return act.eab === undefined || eab !== undefined;
  if (act.act === "unbind") return eab !== undefined;
  return !("key" in act) || kid !== undefined;
};
const same = (one: Came, other: Came): boolean =>
  one.status === other.status && one.problem === other.problem && one.tells === other.tells;

/** A performed act, with its input and result. */
interface Done {
  readonly act: Act;
  readonly by: With;
  readonly came: Came;
}
/** Returns the state after acts in this order; undefined if it does not explain their results. */
function after(before: State, order: readonly Done[]): State | undefined {
  let now = before;
  for (const { act, by, came } of order) {
    const judged = judge(now, act, by, came.tells ?? "");
    if (!same(judged.came, came)) return undefined;
    now = judged.state;
  }
  return now;
}
/**
 * Performs one step and returns the states that explain it: two concurrent acts may have been
 * applied in either order, which their results do not always reveal.
 */
async function take(
  world: World,
  states: readonly State[],
  step: readonly Act[],
): Promise<readonly State[]> {
  const possible = step.filter((act) => isPossible(world, act));
  const by = possible.map((act) => withOf(world, act));
  const came = await Promise.all(
    possible.map((act, n) => carryOut(world, act, world.engines[n === 0 ? 0 : 1])),
  );
  const all = possible.map((act, n) => ({ act, by: by[n] ?? {}, came: came[n] ?? { status: 0 } }));
  const orders = all.length > 1 ? [all, all.toReversed()] : [all];
  const next = states.flatMap((state) => orders.flatMap((order) => after(state, order) ?? []));
  if (next.length === 0) fail(`the model explains no result of ${JSON.stringify(all)}`);
  for (const { accounts } of next)
    for (const [url, account] of accounts) world.kids.set(account.key, url);
  return [...new Map(next.map((state) => [textOf(state), state])).values()];
}
/** Returns a text that identifies a state. */
const textOf = ({ policy, accounts, unused }: State): string =>
  JSON.stringify([policy, [...accounts].toSorted(), [...unused].toSorted()]);

/** Returns a state in the form and order of the stored rows. */
const toldBy = ({ accounts, unused }: State) => [
  [...accounts]
    .map(([url, { status, place: at, contact, eab }]) => [
      url.replace(/.*\//, ""),
      { status, at, contact: contact === "" ? [] : [contact], eab },
    ])
    .toSorted(),
  [...unused].toSorted(),
];
/** Asserts that the stored rows are exactly those of the model. */
async function agrees({ engines: [a] }: World, states: readonly State[]): Promise<void> {
  const { uuid } = (await a.call("GET", "sys/mounts/pki")).data;
  const store = a.stores(String(uuid));
  const rows = async (prefix: string) =>
    (await store.list(prefix)).map(
      // rows of these kinds are objects
      ([name, { value }]) => [name.slice(prefix.length), value as Record<string, unknown>] as const,
    );
  const accounts = await rows("account/");
  const thumbs = new Map(await rows("thumb/"));
  expect(thumbs.size).toBe(accounts.length);
  for (const [id, { thumbprint }] of accounts)
    expect(thumbs.get(String(thumbprint))).toEqual({ account: id });
  const used = accounts.flatMap(([, { eab }]) => (eab ? [(eab as { id: string }).id] : []));
  expect(new Set(used).size).toBe(used.length);
  const unused = (await rows("eab/")).map(([id, row]) => [id, row["directory"]]);
  const held = [
    accounts.map(([id, { status, directory: at, contact, eab }]) => [
      id,
      { status, at, contact, eab: (eab as { id?: string } | undefined)?.id },
    ]),
    unused,
  ];
  expect(states.map(toldBy)).toContainEqual(held);
}

const histories = fc.array(steps, { minLength: 6, maxLength: 10, size: "max" });

it("ACME accounts: random histories of concurrent acts on two engines, in mounts with one and four partitions, have only results that the reference model allows", async () => {
  await forSeedsInTurn(
    fc.asyncProperty(fc.constantFrom(1, 4), histories, async (partitions, history) => {
      const stores =
        partitions === 1 ? distantStore() : partitionedStores(partitions, distantStore()).stores;
      const { a } = await registering({ stores });
      const world: World = {
        engines: [a, authority({ stores, seed: 2 })],
        kids: new Map(),
        eabs: [],
      };
      let states: readonly State[] = [beginning];
      for (const step of [...opening, ...history]) states = await take(world, states, step);
      await agrees(world, states);
    }),
  );
});
