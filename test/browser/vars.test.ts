import { varsApi } from "../../src/vars/index.ts";
import { expect, it } from "vitest";
import { createCa } from "../../src/index.ts";
import { indexedDbStore } from "../../src/store/indexeddb.ts";
import { variableLife } from "../vars/flow.ts";
import { requestOf } from "../vars/service.ts";

it("a variable lives its life in the browser, over IndexedDB, and the page itself needs no token", async () => {
  const token = "the-first-token-in-a-browser";
  const ca = createCa({ stores: indexedDbStore(`vars-${Date.now()}`), sealingKey: new Uint8Array(32).fill(7), apis: [varsApi], vars: { token } });
  await variableLife(ca, token);
  const owner = { id: "page", can: () => true };
  const answer = await ca.fetch(requestOf("GET", "/account/details", undefined, { token: "" }), { identity: owner });
  expect(answer.status).toBe(200);
  expect((await ca.fetch(requestOf("GET", "/account/details", undefined, { token: "" }))).status).toBe(401);
});
