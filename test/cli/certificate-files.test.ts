import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chainOf } from "../../src/node/certificate-chain.ts";
import { checkDirectory, writeCertificate } from "../../server/cli/certificate-files.ts";
import { renewIfDue, type RenewalPorts } from "../../server/cli/renewal.ts";
import { requestCertificate } from "../../server/cli/request-certificate.ts";
import { createCa, memoryStore } from "../../src/index.ts";

const folder = mkdtempSync(join(tmpdir(), "sealwright-files-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const ca = createCa({ stores: memoryStore() });
beforeAll(async () => {
  await ca.pki.generateRoot({ common_name: "Root", key_type: "ec", ttl: "87600h" });
  await ca.pki.writeRole({ name: "server", allow_localhost: true, key_type: "ec" });
});

const order = { server: "https://ca.test", mount: "pki", role: "server", names: ["localhost"] };
const isRoot = process.getuid?.() === 0;

/** Issues a certificate into a new directory. */
async function directory(name: string): Promise<string> {
  const dir = join(folder, name);
  const issued = await requestCertificate(ca.pki, order);
  writeCertificate(dir, { key: issued.private_key ?? "", chain: chainOf(issued), order });
  return dir;
}

/** Renews even if it is not due, and runs a reload command. */
async function renew(dir: string): Promise<void> {
  const ports: RenewalPorts = {
    now: Date.now,
    random: () => 0,
    sleep: () => Promise.resolve(),
    issue: (one) => requestCertificate(ca.pki, one),
    reload: () => Promise.resolve(),
    report: () => undefined,
    describe: String,
  };
  await renewIfDue(dir, ports, true);
}

describe("the directory of a certificate", () => {
  it("has a private key that only its owner can read, even if it replaces one that others can read", async () => {
    const dir = await directory("open");
    const issued = await requestCertificate(ca.pki, order);
    const version = join(dir, ".versions", issued.serial_number.replaceAll(":", ""));
    mkdirSync(version);
    writeFileSync(join(version, "privkey.pem"), "", { mode: 0o644 });
    writeCertificate(dir, { key: issued.private_key ?? "", chain: chainOf(issued), order });
    expect(statSync(join(dir, "privkey.pem")).mode & 0o777).toBe(0o600);
  });

  it("is neither written nor renewed if every user can write to it", async () => {
    const dir = await directory("shared");
    chmodSync(dir, 0o777);
    await expect(renew(dir)).rejects.toThrow(`${dir} is writable by every user;`);
    expect(() => checkDirectory(dir)).toThrow("is writable by every user");
    chmodSync(dir, 0o755);
    chmodSync(join(dir, ".versions"), 0o777);
    await expect(renew(dir)).rejects.toThrow(".versions is writable by every user;");
  });

  it.runIf(isRoot)("is not renewed if another group can write to it", async () => {
    const dir = await directory("grouped");
    chmodSync(dir, 0o775);
    await renew(dir);
    chownSync(dir, 0, 65_534);
    chmodSync(dir, 0o775);
    await expect(renew(dir)).rejects.toThrow(
      `${dir} is writable by the group 65534; use a directory of your own, or run chmod g-w on it.`,
    );
  });

  it.runIf(isRoot)("is not renewed if it belongs to another user", async () => {
    const dir = await directory("foreign");
    chownSync(dir, 65_534, 65_534);
    await expect(renew(dir)).rejects.toThrow(`${dir} belongs to another user (65534);`);
    expect(() => checkDirectory(dir)).toThrow("belongs to another user");
  });

  it("is not renewed if the reload mark is a symbolic link, and the target of the link is unchanged", async () => {
    const dir = await directory("mark");
    const precious = join(folder, "precious");
    writeFileSync(precious, "text");
    symlinkSync(precious, join(dir, ".reload"));
    const before = readlinkSync(join(dir, ".current"));
    await expect(renew(dir)).rejects.toThrow(`${join(dir, ".reload")} is not a file; delete it.`);
    expect(readlinkSync(join(dir, ".current"))).toBe(before);
    expect(readFileSync(precious, "utf8")).toBe("text");
    // the target of a dangling link is not created either
    const absent = join(folder, "absent");
    rmSync(join(dir, ".reload"));
    symlinkSync(absent, join(dir, ".reload"));
    await expect(renew(dir)).rejects.toThrow("is not a file");
    expect(existsSync(absent)).toBe(false);
  });

  it("replaces symbolic links by the new files without changing the targets of the links", async () => {
    const dir = await directory("version");
    const issued = await requestCertificate(ca.pki, order);
    const version = join(dir, ".versions", issued.serial_number.replaceAll(":", ""));
    const precious = join(folder, "key");
    writeFileSync(precious, "text");
    mkdirSync(version);
    symlinkSync(precious, join(version, "privkey.pem"));
    writeCertificate(dir, { key: issued.private_key ?? "", chain: chainOf(issued), order });
    expect(readFileSync(precious, "utf8")).toBe("text");
    expect(readFileSync(join(dir, "privkey.pem"), "utf8")).toContain(issued.private_key);
  });
});
