import { expect, it } from "vitest";
import { storeEndpoint } from "../../src/wire/endpoint.ts";
import { loadEndpoints } from "../../src/wire/lazy-endpoints.ts";
import { routerOf } from "../../src/wire/router.ts";
import { plain } from "../../src/wire/style.ts";

const at = (id: string, ...paths: readonly `${"GET" | "LIST" | "POST"} /${string}`[]) =>
  storeEndpoint({
    id,
    at: paths,
    access: "token",
    style: plain,
    doc: "Answers.",
    body: {},
    reply: {},
    run: async () => undefined,
  });
const first = [at("read", "GET /things/:name"), at("list", "LIST /things")];
const more = [at("make", "POST /others/:name")];
/** Returns an endpoint list that loads further endpoints; the first `fails` loads fail. */
function listed(fails = 0) {
  const seen = { loads: 0 };
  return {
    seen,
    list: {
      endpoints: first,
      loadMore: async () => {
        seen.loads++;
        if (seen.loads <= fails) throw new TypeError("no chunk");
        return { endpoints: more, parameters: { name: /^[a-z]+$/ } };
      },
    },
  };
}

it("routerOf: loads the further endpoints once, and only for a call that matches none of the others", async () => {
  const { list, seen } = listed();
  const router = routerOf(list);
  expect((await router("GET", "/things/x")).endpoint.id).toBe("read");
  expect((await router("GET", "/things", true)).endpoint.id).toBe("list");
  expect(seen.loads).toBe(0);
  expect((await router("POST", "/others/x")).endpoint.id).toBe("make");
  expect((await router("GET", "/things/x")).endpoint.id).toBe("read");
  await expect(router("GET", "/nothing")).rejects.toMatchObject({ code: "unsupported_path" });
  await expect(router("POST", "/things/x")).rejects.toMatchObject({
    code: "unsupported_operation",
  });
  expect(seen.loads).toBe(1);
});

it("routerOf: loads the further endpoints before it rejects a method or a path", async () => {
  const refused = { "POST /things/x": "unsupported_operation", "GET /none": "unsupported_path" };
  for (const [spelled, code] of Object.entries(refused)) {
    const { list, seen } = listed();
    const [method = "", path = ""] = spelled.split(" ");
    await expect(routerOf(list)(method, path)).rejects.toMatchObject({ code });
    expect(seen.loads).toBe(1);
  }
});

it("routerOf: loads the further endpoints again after a failure, and applies their parameter patterns", async () => {
  const { list } = listed(1);
  const router = routerOf(list);
  await expect(router("POST", "/others/x")).rejects.toThrow("no chunk");
  expect((await router("POST", "/others/x")).params).toEqual({ name: "x" });
  await expect(router("POST", "/others/1")).rejects.toMatchObject({ code: "unsupported_path" });
  expect((await loadEndpoints(list)).map(({ id }) => id)).toEqual(["read", "list", "make"]);
});

it("routerOf: prefers literals to parameters and parameters to a rest, in any order of the routes", async () => {
  const routes = [
    at("rest", "GET /mounts/:path+"),
    at("tune", "GET /mounts/:path+/tune"),
    at("one", "GET /mounts/:name"),
    at("literal", "GET /mounts/all"),
    at("root", "GET /"),
    at("any", "GET /:any"),
  ];
  const paths = {
    "/mounts/all": "literal",
    "/mounts/x": "one",
    "/mounts/x/y": "rest",
    "/mounts/x/y/tune": "tune",
    "/mounts": "any",
    "/": "root",
  };
  for (const endpoints of [routes, routes.toReversed()]) {
    const router = routerOf({ endpoints });
    for (const [path, id] of Object.entries(paths))
      expect([path, (await router("GET", path)).endpoint.id]).toEqual([path, id]);
  }
});
