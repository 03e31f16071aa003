import { describe, expect, it } from "vitest";
import { memoryStore, sealedVault } from "../../../src/index.ts";
import { authority } from "../../support/authority.ts";
import { beforePut, faultyStores } from "../../support/faulty.ts";

const keyOf = (byte: number) => new Uint8Array(32).fill(byte);

describe("sys/rotate", () => {
  it("reseals every secret of every mount, so that the previous key can be removed", async () => {
    const stores = memoryStore();
    const first = authority({ stores, vault: sealedVault({ key: keyOf(1) }) });
    await first.pki.writeLogConfig({ enabled: true, origin: "ca.test/log" });
    await first.root();
    await first.role("web");
    await first.sys.createMount({ path: "other", type: "pki" });
    const second = authority({
      stores,
      seed: 2,
      vault: sealedVault({ key: keyOf(2), previous: keyOf(1) }),
    });
    // one CA key and the key of a log, and for each of two mounts the key of its serial numbers
    expect((await second.call("POST", "sys/rotate")).data).toEqual({ resealed: 5 });
    const third = authority({ stores, seed: 3, vault: sealedVault({ key: keyOf(2) }) });
    expect(
      (await third.pki.issue({ role: "web", common_name: "a.example", ttl: "1h" })).certificate,
    ).toContain("BEGIN CERTIFICATE");
    third.clock.advance(1);
    await third.ca.tick();
    expect(await third.pki.readLogCheckpoint()).toMatch(/^ca\.test\/log\n3\n/);
    const stale = authority({ stores, seed: 4, vault: sealedVault({ key: keyOf(1) }) });
    expect(
      (await stale.call("POST", "pki/issue/web", { common_name: "a.example", ttl: "1h" })).status,
    ).toBe(503);
  });
  it("reseals the cubbyhole of the deployment's root token", async () => {
    const stores = memoryStore();
    const authenticate = async (token: string) =>
      token === "root" ? { id: "root", policies: ["root"], can: () => true } : undefined;
    const over = (seed: number, key: Parameters<typeof sealedVault>[0]) =>
      authority({ stores, seed, authenticate, vault: sealedVault(key) });
    const token = { token: "root" };
    const first = over(1, { key: keyOf(1) });
    const kept = { value: "kept" };
    expect((await first.call("POST", "cubbyhole/a/b", kept, token)).status).toBe(204);
    const second = over(2, { key: keyOf(2), previous: keyOf(1) });
    // the value, and the key of the audit log
    const rotated = await second.call("POST", "sys/rotate", {}, token);
    const third = over(3, { key: keyOf(2) });
    const read = await third.call("GET", "cubbyhole/a/b", undefined, token);
    expect([rotated.data, read.data]).toEqual([{ resealed: 2 }, kept]);
  });
  it("reseals the secret of a sink that another server changes meanwhile", async () => {
    const { stores, fault } = faultyStores();
    const vault = sealedVault({ key: keyOf(2), previous: keyOf(1) });
    const sink = "sys/events/sinks/s";
    const first = authority({ stores, vault: sealedVault({ key: keyOf(1) }) });
    await first.call("POST", sink, { url: "https://events.test/" });
    const [a, b] = [authority({ stores, seed: 2, vault }), authority({ stores, seed: 3, vault })];
    fault(
      "sys",
      beforePut(/^eventsink\//, () => b.call("POST", sink, { url: "https://other.test/" })),
    );
    // the secret of the sink, and the key of the mount's serial numbers
    expect((await a.call("POST", "sys/rotate")).data).toEqual({ resealed: 2 });
    const last = authority({ stores, seed: 4, vault: sealedVault({ key: keyOf(2) }) });
    const { status, data } = await last.call("POST", `${sink}/test`);
    expect([status, data["delivered"]]).toEqual([200, false]);
  });
  it("requires sudo", async () => {
    expect((await authority().call("POST", "sys/rotate", {}, { token: "operator" })).status).toBe(
      403,
    );
  });
});
