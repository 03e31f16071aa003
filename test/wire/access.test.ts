import { describe, expect, it } from "vitest";
import {
  memoryStore,
  type Batch,
  type Capability,
  type Identity,
  type LogEvent,
  type Stores,
} from "../../src/index.ts";
import { methodTypes } from "../../src/endpoints.ts";
import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import { authority, type Authority } from "../support/authority.ts";
import { cases, requests } from "./everywhere.ts";

/** Reports whether a batch only records a denial. */
const tellsOnly = ({ log, put = [], del = [], clear }: Batch): boolean =>
  !clear &&
  del.length === 0 &&
  put.every(([key]) => key === "strangers") &&
  (log === undefined || log.every(([prefix]) => prefix === "audit/refusal/"));
/** Returns stores that record every commit that changes a row, except rows of the audit log. */
function watched(): { readonly stores: Stores; readonly commits: Batch[] } {
  const inner = memoryStore();
  const commits: Batch[] = [];
  const stores: Stores = (name) => {
    const store = inner(name);
    const revisions = async () =>
      (await store.list("", { values: false })).map(([key, { rev }]) => `${key} ${rev}`).join();
    const commit = async (batch: Batch) => {
      if (tellsOnly(batch)) return store.commit(batch);
      const before = await revisions();
      const done = await store.commit(batch);
      if ((await revisions()) !== before) commits.push(batch);
      return done;
    };
    return {
      get: (keys) => store.get(keys),
      list: (prefix, page) => store.list(prefix, page),
      commit,
    };
  };
  return { stores, commits };
}
const known = cases.filter(({ endpoint }) => endpoint.access === "known");
const guarded = cases.filter(
  ({ endpoint }) => endpoint.access === "token" || endpoint.access === "sudo",
);
/** These return more to a valid token and check its permissions themselves. */
const tellMore: ReadonlySet<string> = new Set(["listVisibleMounts", "readVisibleMount"]);
const open = cases.filter(
  ({ endpoint }) => endpoint.access === "open" && !tellMore.has(endpoint.id),
);

async function create() {
  const { stores, commits } = watched();
  const asked: (readonly [Capability, string])[] = [];
  const nobody: Identity = {
    id: "nobody",
    can: (capability, path) => (asked.push([capability, path]), false),
  };
  const made = authority({
    stores,
    authenticate: async (token) => (token === "nobody" ? nobody : undefined),
  });
  await made.root();
  await made.role("web");
  for (const type of Object.keys(methodTypes)) await made.sys.enableMethod({ path: type, type });
  // the first read of a delta CRL after a complete CRL signs an empty one, for any caller
  for (const path of ["crl/delta", "issuer/default/crl/delta"])
    await made.call("GET", `pki/${path}`);
  return { ...made, commits, asked };
}
let created: ReturnType<typeof create> | undefined;
/** Returns the authority shared by all tests, which change nothing in it, and clears its records. */
async function prepared() {
  const world = await (created ??= create());
  for (const list of [world.commits, world.asked, world.events, world.wakes]) list.length = 0;
  return world;
}

describe("a caller without permissions", () => {
  it.for(guarded)(
    "is rejected for every form of $id, and nothing changes",
    async ({ base, endpoint }) => {
      const { call, commits, asked } = await prepared();
      for (const [method, path, header, capability, judged] of requests(base, endpoint)) {
        asked.length = 0;
        const answer = await call(
          method,
          path,
          ["POST", "PUT", "PATCH"].includes(method) ? {} : undefined,
          { token: "nobody", header },
        );
        expect([method, path, answer.status, answer.headers.get("content-type")]).toEqual([
          method,
          path,
          403,
          "application/json",
        ]);
        if (method !== "HEAD")
          expect(answer.errors).toEqual(["1 error occurred:\n\t* permission denied\n\n"]);
        expect(asked).toEqual([[capability, judged]]);
      }
      expect(commits).toEqual([]);
    },
  );
  it.for(known)(
    "may still call $id, which concerns only the caller, and nothing changes",
    async ({ base, endpoint }) => {
      const { call, commits, asked } = await prepared();
      for (const [method, path, header] of requests(base, endpoint))
        expect((await call(method, path, undefined, { token: "nobody", header })).status).toBe(200);
      expect([commits, asked]).toEqual([[], []]);
    },
  );
  it.for([...guarded, ...known])(
    "with no token or an invalid one is rejected for $id before authorization",
    async ({ base, endpoint }) => {
      const { call, commits, asked } = await prepared();
      for (const token of ["", "stranger"])
        for (const [method, path, header] of requests(base, endpoint)) {
          expect([
            method,
            path,
            (
              await call(method, path, ["POST", "PUT", "PATCH"].includes(method) ? {} : undefined, {
                token,
                header,
              })
            ).status,
          ]).toEqual([method, path, 403]);
        }
      expect([commits, asked]).toEqual([[], []]);
    },
  );
});

/**
 * The wrapping token determines what is opened: these accept no other token, and change nothing
 * without one.
 */
const byWrappingToken: ReadonlySet<string> = new Set(["unwrap", "lookupWrapping"]);
/** Calls that clients of this API family send, and that do nothing on this server. */
const doNothing: ReadonlySet<string> = new Set(["init", "unseal"]);
/**
 * These support POST as well as GET, as in this API family. Both only read, and check whether the
 * caller may see more than an anonymous caller.
 */
const onlyReads: ReadonlySet<string> = new Set(["openapiSpec"]);

/**
 * Reports whether an endpoint is a login, which accepts credentials instead of a token and changes
 * nothing without them.
 */
const isLogin = ({ id }: AnyEndpoint): boolean =>
  /^login[A-Z]|^(?:begin|finish)OidcLogin$|^receiveOidcCode$/.test(id);

describe("an endpoint that requires no token", () => {
  it.for(open)(
    "$id changes nothing, and treats an invalid token like none",
    async ({ base, endpoint }) => {
      const { call, commits, asked, wakes } = await prepared();
      for (const [method, path, header] of requests(base, endpoint)) {
        // a body without members is a query: it names nothing to change
        const asks = endpoint.style.whole !== undefined && ["POST", "PUT"].includes(method);
        if (
          ![byWrappingToken, doNothing, onlyReads].some((ids) => ids.has(endpoint.id)) &&
          !isLogin(endpoint) &&
          !asks
        )
          expect(["GET", "HEAD", "LIST"]).toContain(method);
        const statuses = [];
        for (const token of ["", "stranger", "nobody"])
          statuses.push((await call(method, path, undefined, { token, header })).status);
        expect(new Set(statuses).size).toBe(1);
        expect(statuses[0]).not.toBe(403);
        if (isLogin(endpoint)) expect(statuses[0]).toBeGreaterThanOrEqual(400);
      }
      const others = asked.filter(
        ([, path]) => !(onlyReads.has(endpoint.id) && path === "sys/internal/specs/openapi"),
      );
      expect([commits, others, wakes]).toEqual([[], [], []]);
    },
  );
});

describe("endpoints with unlimited effect", () => {
  it("require sudo", () => {
    const known = guarded.filter(({ endpoint }) => endpoint.access === "sudo").map(({ id }) => id);
    expect(known).toEqual(expect.arrayContaining(["rotateSeal", "beginAnew"]));
  });
});

describe("values of fields", () => {
  it("a value sent in any field of any endpoint appears in no log or audit event, and a secret in no response", async () => {
    const canary = "canary5f1c";
    const events: LogEvent[] = [];
    const told: unknown[] = [];
    const storesOf = async ({ stores }: Pick<Authority, "stores">) => [
      ["sys"] as const,
      // rows of this kind name the stores of the mounts
      ...(await stores("sys").list("mounts/")).map(
        ([, { value }]) => [(value as { readonly uuid: string }).uuid] as const,
      ),
    ];
    for (const { base, endpoint } of cases) {
      // a new authority each time, because a mount with many issuers is slow to add another
      const { root, role, call, ...made } = authority();
      await root();
      await role("web");
      const [first] = requests(base, endpoint).filter(
        ([method]) => method === "POST" || method === "PATCH",
      );
      if (!first) continue;
      const [method, path, header] = first;
      const names = Object.keys(endpoint.body);
      // EC keys, because RSA keys are slow to generate
      const quick = names.includes("key_type") ? { key_type: "ec" } : {};
      await call(
        method,
        path,
        { ...Object.fromEntries(names.map((name) => [name, canary])), unknown: canary },
        { header },
      );
      for (const name of names) {
        const answer = await call(method, path, { ...quick, [name]: canary }, { header });
        // a token with a chosen text is returned like any other
        const isChosen = endpoint.style.contents === "auth" && name === "id";
        if (endpoint.body[name]?.secret && !isChosen)
          expect([endpoint.id, name, answer.text]).not.toEqual([
            endpoint.id,
            name,
            expect.stringContaining(canary),
          ]);
      }
      events.push(...made.events);
      for (const [store] of await storesOf(made)) {
        const rows = await made.stores(store).list("audit/");
        told.push(...rows.map(([, { value }]) => value));
      }
    }
    expect(told.length).toBeGreaterThan(100);
    expect(JSON.stringify(told)).not.toContain(canary);
    expect(events.length).toBeGreaterThan(100);
    expect(
      JSON.stringify(events.map(({ cause, ...event }) => [event, String(cause)])),
    ).not.toContain(canary);
    expect(events.filter(({ status }) => status >= 500)).toEqual([]);
  });
});
