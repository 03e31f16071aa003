import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { complaintsOf, filesOf } from "../../server/data/health.ts";
import { databaseOf } from "../../server/data/stored.ts";
import { temporaryDirectory } from "../support/server.ts";

let answer = "";
let asked: string | undefined;
const socket = join(temporaryDirectory(), "socket");
const server = createServer((request, response) => {
  asked = request.url;
  if (answer === "") response.destroy();
  else response.end(answer);
});
beforeAll(() => new Promise<void>((resolve) => void server.listen(socket, resolve)));
afterAll(() => void server.close());

const told = (health: unknown): Promise<readonly string[]> => {
  answer = typeof health === "string" ? health : JSON.stringify(health);
  return complaintsOf(socket, () => Promise.resolve(new Map([["a/", "/data/a.sqlite"]])));
};

it("what health tells comes to an operator as sentences, without what would steer a terminal", async () => {
  const degraded = [
    { mount: "a/", reason: "storage is empty" },
    { mount: "sys/", reason: "storage cannot be read" },
    { mount: "/api/v2/", reason: "the variables have lost their rows" },
  ];
  expect(
    await told({
      sealed: false,
      degraded,
      warnings: ["The CRL x is held back.", "odd\u001b[2J\nname"],
    }),
  ).toEqual([
    "The mount a/ cannot do its work: storage is empty (its file: /data/a.sqlite).",
    "The storage that all mounts share cannot do its work: storage cannot be read.",
    "The API at /api/v2/ cannot do its work: the variables have lost their rows.",
    "The CRL x is held back.",
    "odd?[2J?name.",
  ]);
  expect(asked).toBe("/v1/sys/health");
});

it("no answer, and one of another form, is no complaint", async () => {
  const odd = [
    "",
    "no JSON",
    null,
    7,
    [],
    {},
    { degraded: {}, warnings: "text" },
    { degraded: [null, {}, { mount: 1, reason: "x" }], warnings: [1] },
  ];
  for (const health of odd) expect(await told(health)).toEqual([]);
  expect(
    await complaintsOf(`${socket}.gone`, () => filesOf(`${socket}.gone`, "/data", "t")),
  ).toEqual([]);
});

it("the file of each mount is derived from its uuid, and those of the system and the variables are known without an answer", async () => {
  const [uuid, objects] = ["5f2d3a30-0000-4000-8000-000000000001", "/data/objects"];
  const fixed = { "sys/": databaseOf(objects, "sys"), "/api/v2/": databaseOf(objects, "vars") };
  answer = JSON.stringify({ data: { "a/": { uuid }, "odd/": null, "other/": { uuid: 1 } } });
  expect(Object.fromEntries(await filesOf(socket, objects, "t"))).toEqual({
    ...fixed,
    "a/": databaseOf(objects, uuid),
  });
  for (const odd of ["", "null", "7", '{"data":7}', '{"data":"text"}', '{"data":null}']) {
    answer = odd;
    expect(Object.fromEntries(await filesOf(socket, objects, "t")), odd).toEqual(fixed);
  }
});
