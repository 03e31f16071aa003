import { beforeEach, expect, it, vi } from "vitest";
import { verifyLog } from "../../../demo/api/mount-log.ts";
import { authority, type Authority } from "../../support/authority.ts";

/** A server whose responses a test can change, by path below the log. */
const server: {
  a?: Authority;
  change: (path: string, bytes: Uint8Array) => Uint8Array;
} = { change: (_, bytes) => bytes };
vi.mock("../../../demo/lib/place.ts", () => ({
  place: { get: () => ({ base: "", mount: "pki" }) },
}));
vi.mock("../../../demo/api/call.ts", () => ({
  readData: () => server.a?.pki.readLogConfig(),
  readBytes: async (_: unknown, { tile }: { readonly tile?: string } = {}) => {
    const path = tile === undefined ? "checkpoint" : `tile/${tile}`;
    const read = await server.a?.call("GET", `pki/log/${path}`);
    return server.change(path, read?.bytes ?? new Uint8Array());
  },
}));

const name = "hidden.test";
let earlier: Uint8Array;
beforeEach(async () => {
  const a = authority();
  server.a = a;
  server.change = (_, bytes) => bytes;
  await a.pki.writeLogConfig({ enabled: true, origin: "ca.test/log" });
  await a.root();
  await a.role("web");
  const sequence = async (): Promise<void> => {
    a.clock.advance(1);
    await a.ca.tick();
  };
  await sequence();
  earlier = (await a.call("GET", "pki/log/checkpoint")).bytes;
  await a.pki.issue({ role: "web", common_name: name });
  await sequence();
});

it("the console lists the certificates of the tree that it verified, even if the server then returns an earlier checkpoint", async () => {
  let reads = 0;
  server.change = (path, bytes) => (path === "checkpoint" && reads++ > 0 ? earlier : bytes);
  const { fault, listed } = await verifyLog(name);
  expect([fault, listed.map(({ subject }) => subject)]).toEqual([undefined, [`CN=${name}`]]);
});

it("the console reports entries that differ when it reads them again to look for a name", async () => {
  let reads = 0;
  server.change = (path, bytes) =>
    path.startsWith("tile/entries/") && reads++ > 0 ? bytes.slice(0, -9) : bytes;
  const { fault, evidence } = await verifyLog(name);
  expect(fault).toBeDefined();
  expect(evidence).toContain("ca.test/log\n");
});
