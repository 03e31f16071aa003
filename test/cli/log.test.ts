import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { verifyLog, witnessPolicy } from "../../server/cli/commands/log.ts";
import { fromHex } from "../../src/base/bytes.ts";
import { encodePem } from "../../src/base/pem.ts";
import { derOf } from "../pki/reading.ts";
import { authority, type Authority } from "../support/authority.ts";
import { fresh, gathered } from "../sys/backup/kept.ts";
import { connectedTo } from "./connected.ts";

const folder = mkdtempSync(join(tmpdir(), "sealwright-log-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "pki.checkpoint");

it("log verify follows a log, lists entries for a name, and stores contradicting checkpoints separately", async () => {
  const a = authority();
  const follow = (of: Authority, name?: string, key?: string) =>
    verifyLog(connectedTo(of.ca), { path: "pki", file, name, key });
  await expect(follow(a)).rejects.toThrow("The mount has no log");
  await a.pki.writeLogConfig({ enabled: true, origin: "ca.test/log" });
  await a.root();
  await a.role("web");
  const issue = async (of: Authority, common_name: string) => {
    const { serial_number } = await of.pki.issue({ role: "web", common_name });
    of.clock.advance(1);
    await of.ca.tick();
    return serial_number;
  };
  await a.role("web", { allow_wildcard_certificates: true });
  const serial = await issue(a, "www.example.com");
  const first = await follow(a, "WWW.example.com");
  expect([first.fault, first.from, first.checkpoint?.size]).toEqual([undefined, 0, 3]);
  expect(first.listed).toEqual([
    {
      index: 2,
      time: "2030-01-02T03:04:05.000Z",
      serial_number: serial,
      subject: "CN=www.example.com",
    },
  ]);
  const backup = await gathered(a.ca.backup("pki"));
  await issue(a, "other.test");
  await issue(a, "*.example.com");
  const second = await follow(a, "www.example.com");
  expect([second.from, second.listed.map(({ subject }) => subject)]).toEqual([
    3,
    ["CN=*.example.com"],
  ]);
  for (const enabled of [false, true]) await a.pki.writeLogConfig({ enabled });
  await issue(a, "last.test");
  const { switches } = await follow(a);
  expect(switches.map(({ index, type }) => [index, type])).toEqual([
    [5, "disabled"],
    [6, "enabled"],
  ]);
  const verified = readFileSync(file, "utf8");
  const b = fresh({ clock: a.clock });
  await b.ca.restore("pki", backup);
  for (const _ of [1, 2]) {
    const shrunk = await follow(b);
    expect([shrunk.fault?.kind, shrunk.evidence]).toEqual(["shrunk", `${file}.rejected`]);
  }
  expect(readFileSync(file, "utf8")).toBe(verified);
  expect(readFileSync(`${file}.rejected`, "utf8")).toContain("ca.test/log\n3\n");
  b.clock.advance(1);
  await b.ca.tick();
  expect((await follow(b)).evidence).toBe(`${file}.rejected.2`);
  expect(readFileSync(`${file}.rejected`, "utf8")).toContain("ca.test/log\n3\n");
  const c = authority({ seed: 3 });
  await c.pki.writeLogConfig({ enabled: true, origin: "ca.test/log" });
  const own = (await a.pki.readLogConfig()).verifier_key;
  const unsigned = await follow(c, undefined, own);
  expect([unsigned.fault?.kind, unsigned.evidence]).toEqual(["signature", undefined]);
  expect(readdirSync(folder).sort()).toEqual([
    "pki.checkpoint",
    "pki.checkpoint.rejected",
    "pki.checkpoint.rejected.2",
  ]);
  await expect(follow(a, undefined, "nonsense")).rejects.toThrow("--key must be a verifier key");
  writeFileSync(file, verified.replace("\n8\n", "\n9\n"));
  await expect(follow(a)).rejects.toThrow("is not a checkpoint with a signature by ca.test/log+");
});

it("log verify --name lists wildcards, entries whose names are unreadable or hashed, and the change to hashes", async () => {
  const a = authority();
  await a.pki.writeLogConfig({ enabled: true, origin: "ca.test/log" });
  await a.root();
  await a.role("web", { allow_wildcard_certificates: true, enforce_hostnames: false });
  for (const name of ["www.example.com.", "w*.example.com", "*.example.com", "w*.www.example.com"])
    await a.pki.issue({ role: "web", common_name: name });
  const { certificate, serial_number } = await authority({ seed: 2 }).root();
  const identifier = fromHex("0603551d0e04160414");
  const odd = derOf(certificate);
  const at = odd.findIndex((_, i) => identifier.every((byte, n) => odd[i + n] === byte));
  // the value of the subject key identifier is not an OCTET STRING
  odd[at + identifier.length - 2] = 0x05;
  await a.pki.signSelfIssued({ certificate: encodePem("CERTIFICATE", odd) });
  await a.pki.writeLogConfig({ entries: "hashes" });
  const hidden = await a.pki.issue({ role: "web", common_name: "www.example.com" });
  a.clock.advance(1);
  await a.ca.tick();
  for (const name of ["www.example.com", "WWW.EXAMPLE.COM."]) {
    const path = join(folder, `names-${name}`);
    const report = await verifyLog(connectedTo(a.ca), { path: "pki", file: path, name });
    expect(report.fault).toBeUndefined();
    expect(report.listed.map(({ subject }) => subject)).toEqual([
      "CN=www.example.com.",
      "CN=w*.example.com",
      "CN=*.example.com",
    ]);
    expect(report.nameless).toEqual([
      expect.objectContaining({ serial_number, reason: "unreadable" }),
      expect.objectContaining({ serial_number: hidden.serial_number, reason: "hash" }),
    ]);
    expect(report.switches.map(({ type }) => type)).toEqual(["hashes"]);
  }
});

it("log verify requires cosignatures of the given witnesses, of all by default", () => {
  // keys that consist of zeros
  const keys = ["w1.example+6078338f", "w2.example+dd8e9397"].map(
    (name) => `${name}+B${"A".repeat(43)}`,
  );
  const policyOf = (given?: string, count?: string) => {
    const policy = witnessPolicy(given, count);
    return policy && [policy.keys.map(({ name }) => name), policy.required];
  };
  expect(policyOf()).toBeUndefined();
  expect(policyOf(keys.join(", "))).toEqual([["w1.example", "w2.example"], 2]);
  expect(policyOf(`${keys[0]},${keys[0]}`)).toEqual([["w1.example"], 1]);
  expect(policyOf(keys.join(","), "1")).toEqual([["w1.example", "w2.example"], 1]);
  for (const count of ["0", "3", "1.5", "x"])
    expect(() => policyOf(keys.join(","), count)).toThrow("must be 1 to 2");
  expect(() => policyOf(undefined, "1")).toThrow("requires --witnesses");
  expect(() => policyOf("ca.test/log+00000000+AQ==")).toThrow("verifier keys of witnesses");
});
