import { describe, expect, it } from "vitest";
import { acmeBelow } from "../../src/acme/rows/records.ts";
import { idOf, keysIn, partitionedAuthority, read, runJobs } from "./partitioned.ts";

describe("an unused account in another partition", () => {
  it("is kept if an administrator sets the status that it already has", async () => {
    const a = await partitionedAuthority(4);
    const client = await a.registeredIn(1);
    const id = idOf(client.kid);
    await a.pki.writeAcmeAccount({ key_id: id, status: "valid" });
    const listed = (await keysIn(a, acmeBelow.unused)).flat().some((key) => key.endsWith(id));
    expect(listed).toBe(true);
    await runJobs(a);
    expect((await read(client)).status).toBe(200);
  });
});
