import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readProblems } from "../../server/process/health.ts";
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
  return readProblems(socket);
};

it("health problems are printed as sentences without control characters", async () => {
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
    "The mount a/ cannot do its work: storage is empty.",
    "The storage shared by all mounts cannot do its work: storage cannot be read.",
    "The API at /api/v2/ cannot do its work: the variables have lost their rows.",
    "The CRL x is held back.",
    "odd?[2J?name.",
  ]);
  expect(asked).toBe("/v1/sys/health");
});

it("a missing or malformed health response yields no problems", async () => {
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
  expect(await readProblems(`${socket}.gone`)).toEqual([]);
});
