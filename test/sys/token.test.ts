import { expect, it } from "vitest";
import { auth, client, httpTransport } from "../../src/index.ts";
import { authority } from "../support/authority.ts";

const entity = { id: "e-1", name: "ann", metadata: {}, aliases: {}, groups: [] };
const ownLookup = (_: string, path: string) => path === "auth/token/lookup-self";
const identities = {
  "root-token": { id: "root", policies: ["root"], can: () => true },
  "anns-token": { id: "ann", policies: ["default", "web"], entity, can: ownLookup },
  "bare-token": { id: "bare", can: ownLookup },
  "mute-token": { id: "mute", can: () => false },
};
const known = authority({
  authenticate: async (token) => Object.entries(identities).find(([name]) => name === token)?.[1],
});

it("auth/token/lookup-self (lookupSelf) returns the token's identity to every caller whose policies allow it", async () => {
  const never = {
    ttl: 0,
    creation_ttl: 0,
    creation_time: 0,
    explicit_max_ttl: 0,
    expire_time: null,
    num_uses: 0,
    orphan: true,
    renewable: false,
  };
  for (const method of ["GET", "POST", "PUT"])
    expect(
      (
        await known.call(method, "auth/token/lookup-self", undefined, {
          token: "anns-token",
          compat: true,
        })
      ).data,
    ).toEqual({
      id: "anns-token",
      accessor: "",
      display_name: "ann",
      policies: ["default", "web"],
      path: "auth/token/create",
      meta: null,
      entity_id: "e-1",
      type: "service",
      ...never,
    });
  expect(
    (await known.call("GET", "auth/token/lookup-self", undefined, { token: "root-token" })).data,
  ).toMatchObject({
    policies: ["root"],
    path: "auth/token/root",
  });
  expect(
    (await known.call("GET", "auth/token/lookup-self", undefined, { token: "bare-token" })).data,
  ).toMatchObject({ policies: [], entity_id: "" });
});

it("auth/token/lookup-self rejects unknown callers and those without permission, and other paths next to it do not exist", async () => {
  for (const token of ["", "stranger", "mute-token"])
    expect((await known.call("GET", "auth/token/lookup-self", undefined, { token })).status).toBe(
      403,
    );
  expect(
    (await known.call("DELETE", "auth/token/lookup-self", undefined, { token: "root-token" }))
      .status,
  ).toBe(405);
  for (const path of ["auth/token/other", "auth/token", "auth", "auth/other/login"])
    expect([
      path,
      (await known.call("GET", path, undefined, { token: "root-token" })).status,
    ]).toEqual([path, 404]);
});

it("auth/token/lookup-self writes the token to no log event", async () => {
  expect(JSON.stringify(known.events)).not.toMatch(/anns-token|root-token/);
});

it("auth/token/lookup-self can be called by a typed client over HTTP", async () => {
  const send = ((input: RequestInfo | URL, init?: RequestInit) =>
    known.ca.fetch(new Request(input, init))) as typeof fetch;
  const far = client(
    auth,
    "/v1/auth",
    httpTransport("http://ca.test", "anns-token", { fetch: send }),
  );
  expect(await far.lookupSelf()).toMatchObject({ display_name: "ann", expire_time: null });
});

it("sys/init (initStatus) reports without a token that the authority is initialized", async () => {
  const { status, json } = await known.call("GET", "sys/init", undefined, { token: "" });
  expect([status, json, await known.sys.initStatus()]).toEqual([
    200,
    { initialized: true },
    { initialized: true },
  ]);
});
