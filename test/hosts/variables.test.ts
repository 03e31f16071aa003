import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../support/server.ts";
import { variableLife } from "../vars/flow.ts";
import { media, varsDocument, type Json } from "../vars/service.ts";
import { hosts } from "./hosts.ts";

const canary = "canary-8d2e-on-a-disk";
/** Returns the contents of all files in a data directory, except those that store its secrets. */
const writtenBy = (dataDir: string): readonly string[] =>
  readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !["vars-token", "secrets.json"].includes(entry.name))
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1"));

describe.each(hosts)("the variables API of $host", ({ start }) => {
  it("serves variables, keeps them over a restart, and writes no secret to disk or log", async () => {
    const dataDir = temporaryDirectory();
    const first = await start({ dataDir, workers: 2, env: { LOG: "json" } });
    const token = first.varsToken;
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
    const second = await start({
      dataDir,
      workers: 2,
      env: { LOG: "json", VARS_RATE_LIMIT: "5" },
    });
    const again = callOf(second.url);
    for (const { output } of [first, second]) expect(output()).not.toContain(token);
    expect((await again("GET", `${path}/${String(made.data["id"])}`)).data).toEqual(made.data);
    const listed = await again("GET", "/vars", undefined, secret);
    expect([listed.status, listed.headers.get("x-ratelimit-limit")]).toEqual([200, "5"]);
    await second.stop();
    const written = [
      first.output().replaceAll(token, ""),
      second.output(),
      ...writtenBy(dataDir),
      ...(second.storage === undefined ? [] : writtenBy(second.storage)),
    ].join("\n");
    expect(written.includes(String(workspace.data["id"]))).toBe(true);
    for (const text of [canary, secret, token]) expect(written.includes(text)).toBe(false);
  });
});
