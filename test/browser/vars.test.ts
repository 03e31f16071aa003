import { varsApi } from "../../src/vars/index.ts";
import { expect, it } from "vitest";
import { createCa } from "../../src/index.ts";
import { indexedDbStore } from "../../src/store/indexeddb.ts";
import { variableLife } from "../vars/flow.ts";
import { requestOf, varsDocument, type Json } from "../vars/service.ts";

it("a variable is created, read, changed and deleted over IndexedDB; the page itself needs no token", async () => {
  const token = "the-first-token-in-a-browser";
  const ca = createCa({
    stores: indexedDbStore(`vars-${Date.now()}`),
    sealingKey: new Uint8Array(32).fill(7),
    apis: [varsApi],
    vars: { token },
  });
  await variableLife(ca, token);
  const owner = { id: "page", can: () => true };
  const answer = await ca.fetch(requestOf("GET", "/account/details", undefined, { token: "" }), {
    identity: owner,
  });
  expect(answer.status).toBe(200);
  expect(
    (await ca.fetch(requestOf("GET", "/account/details", undefined, { token: "" }))).status,
  ).toBe(401);
});

/** Returns the content of all databases whose name contains `name` as text; bytes become Latin-1. */
async function storedIn(name: string): Promise<string> {
  const promised = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error("cannot read the database"));
    });
  const texts: string[] = [];
  for (const { name: each = "" } of await indexedDB.databases()) {
    if (!each.includes(name)) continue;
    const database = await promised(indexedDB.open(each));
    for (const store of database.objectStoreNames) {
      const rows: unknown[] = await promised(
        database.transaction(store).objectStore(store).getAll(),
      );
      texts.push(
        JSON.stringify(rows, (_, value: unknown) =>
          value instanceof Uint8Array ? new TextDecoder("latin1").decode(value) : value,
        ),
      );
    }
    database.close();
  }
  return texts.join("\n");
}

it("a sensitive value is sealed in IndexedDB from its first write; a list of several megabytes is complete", async () => {
  const [token, name] = ["the-first-token-in-a-browser", `vars-sealed-${Date.now()}`];
  const ca = createCa({
    stores: indexedDbStore(name),
    sealingKey: new Uint8Array(32).fill(7),
    apis: [varsApi],
    vars: { token },
  });
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await ca.fetch(requestOf(method, path, body, { token }));
    const json: Json = answer.status === 204 ? {} : await answer.json();
    return { status: answer.status, json };
  };
  const workspace = await ask("POST", "/organizations/default/workspaces", {
    data: { type: "workspaces", attributes: { name: "w" } },
  });
  const path = `/workspaces/${String(workspace.json["data"]?.["id"])}/vars`;
  const hidden = await ask(
    "POST",
    path,
    varsDocument({ key: "plain", value: "canary-before", category: "env" }),
  );
  expect(await storedIn(name)).toContain("canary-before");
  await ask(
    "PATCH",
    `${path}/${String(hidden.json["data"]?.["id"])}`,
    varsDocument({ sensitive: true }),
  );
  await ask(
    "POST",
    path,
    varsDocument({ key: "sealed", value: "canary-at-once", category: "env", sensitive: true }),
  );
  await ask("POST", `${path}/bulk`, {
    data: [
      varsDocument({ key: "many", value: "canary-in-bulk", category: "env", sensitive: true }).data,
    ],
  });
  const stored = await storedIn(name);
  expect(stored).toContain("sealed");
  expect(stored).not.toContain("canary");
  const value = "\u{1f512}".repeat(64 * 1024);
  for (let i = 0; i < 10; i++)
    await ask("POST", path, varsDocument({ key: `large${i}`, value, category: "env" }));
  const listed = (await ask("GET", path)).json["data"] as unknown as {
    attributes: { key: string; value: string | null };
  }[];
  expect(listed.filter(({ attributes }) => attributes.value === value)).toHaveLength(10);
});
