import { expect, it } from "vitest";
import { jobs, mountTypes, sys } from "../../src/endpoints.ts";
import type { MountType } from "../../src/engine/deployment.ts";
import { Mounts } from "../../src/engine/mounts.ts";
import type { Ports } from "../../src/engine/ports.ts";
import { sealedVault } from "../../src/keys/sealed.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { engineApi } from "../../src/v1/api.ts";
import { mountPath } from "../../src/sys/mounts/mount-path.ts";
import { endpoint } from "../../src/wire/endpoint.ts";
import { text } from "../../src/wire/field.ts";
import { serveHttp } from "../../src/wire/http.ts";
import { envelope } from "../../src/wire/style.ts";
import { clockAt, seeded } from "../support/authority.ts";

const readGreeting = endpoint({
  id: "readGreeting",
  at: ["GET /greeting"],
  access: "token",
  style: envelope,
  doc: "Returns the greeting.",
  body: {},
  reply: { text: text.required("The greeting.") },
  run: async (ca) => {
    const [row] = await ca.store.get(["greeting"]);
    return { text: String(row?.value) };
  },
});
/** Returns a mount type of the test, whose only job counts its runs. */
function greeter(ran: string[]): MountType {
  return {
    type: "greeter",
    config: { prefixes: [], onDemand: [], settings: [] },
    rows: async ({ vault }, { uuid, path }) => [
      ["greeting", `hello from ${path}`],
      ["secret", await vault.seal(new Uint8Array(1), uuid)],
    ],
    secret: { key: "secret", binding: (uuid) => uuid },
    resealed: async () => [],
    backup: async () => ({
      logs: [],
      resealed: async (_, [, value]) => ({ value }),
      restored: (row) => row,
      opening: async () => ({}),
    }),
    jobs: [
      { kind: "greet", of: "mount", budget: 1, step: async ({ name }) => void ran.push(name) },
    ],
  };
}

function deployment() {
  const ran: string[] = [];
  const clock = clockAt();
  const ports: Ports = {
    stores: memoryStore(),
    now: () => clock.now,
    random: seeded(1),
    vault: sealedVault({ key: new Uint8Array(32), random: seeded(2) }),
    authenticate: async () => ({ id: "tester", can: () => true }),
  };
  const types = { ...mountTypes, greeter: { ...greeter(ran), endpoints: [readGreeting] } };
  const mounts = new Mounts(ports, { types: Object.values(types), jobs });
  const none = { endpoints: [] };
  const api = engineApi({
    mounts: types,
    methods: {},
    sys: { endpoints: sys, parameters: { "path+": mountPath } },
    auth: none,
    identity: none,
    cubbyhole: none,
  });
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await serveHttp(
      { deployment: mounts, api },
      new Request(`http://ca.test/v1/${path}`, {
        method,
        headers: { "x-service-token": "t", "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    const answer = await response.text();
    const json: unknown = answer === "" ? {} : JSON.parse(answer);
    return { status: response.status, json };
  };
  return { call, clock, mounts, ports, ran };
}

it("a mount type provides the rows of a new mount, its endpoints, jobs and accessors", async () => {
  const { call, clock, mounts, ran } = deployment();
  expect((await call("POST", "sys/mounts/hi", { type: "greeter" })).status).toBe(204);
  expect((await call("GET", "hi/greeting")).json).toMatchObject({
    data: { text: "hello from hi" },
    mount_type: "greeter",
  });
  expect((await call("GET", "pki/greeting")).status).toBe(404);
  expect((await call("GET", "hi/ca")).status).toBe(404);
  const { json } = await call("GET", "sys/mounts/hi");
  expect(json).toMatchObject({ type: "greeter", accessor: expect.stringMatching(/^greeter_/) });
  const uuid = (await mounts.readMounts()).get("hi")?.uuid ?? "";
  await mounts.storeContext(uuid).commit({
    put: [[`job/${String(clock.now).padStart(15, "0")}/greet/x`, { kind: "greet", id: "x" }]],
  });
  await mounts.tick();
  expect(ran).toEqual([uuid]);
});

it("an unknown mount type is rejected, and so are calls to a mount of one", async () => {
  const { call, mounts } = deployment();
  expect(await call("POST", "sys/mounts/x", { type: "other" })).toEqual({
    status: 400,
    json: { errors: ["plugin not found in the catalog: other"] },
  });
  await mounts.sys.commit({ put: [["mounts/x", { uuid: "x", type: "later" }]] });
  expect((await call("GET", "x/ca")).status).toBe(404);
});

it("mounts that are stored without a type are pki", async () => {
  const { call, mounts } = deployment();
  const uuid = (await mounts.readMounts()).get("pki")?.uuid;
  await mounts.sys.commit({ put: [["mounts/pki", { uuid }]] });
  expect((await call("GET", "pki/config/cluster")).status).toBe(200);
});
