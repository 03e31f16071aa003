import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startServer, temporaryDirectory } from "../support/server.ts";
import { variableLife } from "./flow.ts";
import { media, varsDocument, type Json } from "./service.ts";

const canary = "canary-8d2e-on-a-disk";
const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder).flatMap((name) =>
    statSync(join(folder, name)).isDirectory()
      ? filesBelow(join(folder, name))
      : [join(folder, name)],
  );

it("a local server keeps its vars token in a file, serves variables, keeps them over a restart, and writes no secret to disk or log", async () => {
  const dataDir = temporaryDirectory();
  const first = await startServer({ dataDir, env: { LOG: "json" } });
  const token = readFileSync(join(dataDir, "vars-token"), "utf8").trim();
  const callOf =
    (url: string) =>
    async (method: string, path: string, body?: unknown, bearer = token) => {
      const answer = await fetch(`${url}/api/v2${path}`, {
        method,
        headers: { authorization: `Bearer ${bearer}`, "content-type": media },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      const json: Json = text === "" ? {} : JSON.parse(text);
      return { status: answer.status, headers: answer.headers, json, data: json["data"] ?? {} };
    };
  const call = callOf(first.url);
  expect((await call("GET", "/vars", undefined, first.token)).status).toBe(401);
  expect((await call("GET", "/ping")).headers.get("x-ratelimit-limit")).toBeNull();
  await variableLife(
    {
      fetch: (request) =>
        fetch(new Request(request.url.replace("http://ca.test", first.url), request)),
    },
    token,
  );
  const workspace = await call("POST", "/organizations/default/workspaces", {
    data: { type: "workspaces", attributes: { name: "kept" } },
  });
  const path = `/workspaces/${String(workspace.data["id"])}/vars`;
  const made = await call(
    "POST",
    path,
    varsDocument({ key: "s", value: canary, category: "env", sensitive: true }),
  );
  expect([made.status, made.data["attributes"]?.["value"]]).toEqual([201, null]);
  const team = await call("POST", "/organizations/default/authentication-token", { data: {} });
  const secret = String(team.data["attributes"]?.["token"]);
  await first.stop();
  const second = await startServer({ dataDir, env: { LOG: "json", VARS_RATE_LIMIT: "5" } });
  const again = callOf(second.url);
  for (const { output } of [first, second]) expect(output()).not.toContain(token);
  expect((await again("GET", `${path}/${String(made.data["id"])}`)).data).toEqual(made.data);
  const listed = await again("GET", "/vars", undefined, secret);
  expect([listed.status, listed.headers.get("x-ratelimit-limit")]).toEqual([200, "5"]);
  await second.stop();
  const written = [
    first.output().replaceAll(token, ""),
    second.output(),
    ...filesBelow(join(dataDir, "objects")).map((file) => readFileSync(file, "latin1")),
  ].join("\n");
  for (const text of [canary, secret, token]) expect(written.includes(text)).toBe(false);
});
