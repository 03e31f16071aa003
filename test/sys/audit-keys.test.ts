import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { run } from "../../tools/examples/run.ts";

/** Number of signatures by private keys during the current request. */
let signatures = 0;
beforeEach(() => {
  const { sign } = crypto.subtle;
  vi.spyOn(crypto.subtle, "sign").mockImplementation((algorithm, key, data) => {
    if (key.type === "private") signatures += 1;
    return sign.call(crypto.subtle, algorithm, key, data);
  });
});
afterEach(() => vi.restoreAllMocks());

/**
 * OCSP is public: anybody may repeat its calls. The policy service of the examples signs with a CA
 * of its own, whose certificate is dropped. Reading a responder proves that its key still opens.
 */
const exempt = new Set(["askOcsp", "checkExternalPolicy", "readResponder"]);

it("every endpoint that signs with a CA key stores its event before the reply", async () => {
  const signing = new Map<string, boolean>();
  await run((send) => async (...request) => {
    signatures = 0;
    const came = await send(...request);
    const { id, audits, access } = came.endpoint;
    // a public read that refreshes what it reads signs without the caller asking for it
    const isRead = access === "open" && came.method === "GET";
    if (signatures > 0 && !isRead) signing.set(id, audits !== false && audits?.always === true);
    return came;
  });
  expect([...signing.keys()]).toContain("signRevocationList");
  expect([...signing].filter(([id, always]) => !always && !exempt.has(id))).toEqual([]);
}, 60_000);
