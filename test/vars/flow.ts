import { expect } from "vitest";
import type { Ca } from "../../src/index.ts";
import { media, requestOf, varsDocument, type Json } from "./service.ts";

/**
 * Tests the life of a variable on any runtime and store: concurrent creation, update, hiding,
 * listing, export and deletion. `token` is that of the first user.
 */
export async function variableLife(ca: Pick<Ca, "fetch">, token: string): Promise<void> {
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await ca.fetch(requestOf(method, path, body, { token }));
    const text = await answer.text();
    const json: Json = answer.headers.get("content-type")?.startsWith(media)
      ? JSON.parse(text)
      : {};
    return { status: answer.status, text, json, data: json["data"] ?? {} };
  };
  const workspace = await ask("POST", "/organizations/default/workspaces", {
    data: { type: "workspaces", attributes: { name: "life" } },
  });
  expect(workspace.status, workspace.text).toBe(201);
  const path = `/workspaces/${String(workspace.data["id"])}/vars`;
  const value = "  line1\nline2 \u{1f512}\n";
  const race = await Promise.all(
    Array.from({ length: 10 }, () =>
      ask("POST", path, varsDocument({ key: "k", value, category: "terraform" })),
    ),
  );
  expect(race.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(422)]);
  const made = race.find(({ status }) => status === 201)?.data ?? {};
  const one = `${path}/${String(made["id"])}`;
  expect((await ask("GET", one)).data).toEqual(made);
  expect(made["attributes"]).toMatchObject({ value });
  const changes = await Promise.all(
    Array.from({ length: 20 }, (_, i) => ask("PATCH", one, varsDocument({ description: `d${i}` }))),
  );
  expect(changes.every(({ status }) => status === 200)).toBe(true);
  const hidden = await ask(
    "PATCH",
    `/vars/${String(made["id"])}`,
    varsDocument({ sensitive: true }, { id: String(made["id"]) }),
  );
  expect([hidden.status, hidden.data["attributes"]?.["value"]]).toEqual([200, null]);
  const large = "\u0001".repeat(256 * 1024);
  const bulk = await ask("POST", `${path}/bulk`, {
    data: [
      varsDocument({ key: "large", value: large, category: "env" }).data,
      varsDocument({ key: "k", category: "iac" }).data,
    ],
  });
  expect(bulk.status, bulk.text.slice(0, 300)).toBe(200);
  const listed = await ask("GET", path);
  expect(listed.json["data"]).toHaveLength(2);
  expect(listed.json["data"]?.["1"]?.["attributes"]?.["value"]).toBe(large);
  expect((await ask("GET", `${path}/export`)).text).toContain(
    "# TF_VAR_k: sensitive, its value is not shown\n",
  );
  expect((await ask("DELETE", one)).status).toBe(204);
  expect((await ask("DELETE", one)).status).toBe(404);
  expect((await ask("DELETE", `/workspaces/${String(workspace.data["id"])}`)).status).toBe(204);
  expect((await ask("GET", "/vars")).json).toEqual({ data: [] });
}
