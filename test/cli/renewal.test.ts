import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { X509Certificate, createPrivateKey } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chainOf } from "../../src/node/certificate-chain.ts";
import { readCertificate, writeCertificate } from "../../server/cli/certificate-files.ts";
import { exitCodeOf } from "../../server/cli/failure.ts";
import { renewContinuously, renewIfDue, type RenewalPorts } from "../../server/cli/renewal.ts";
import { requestCertificate } from "../../server/cli/request-certificate.ts";
import { createCa, memoryStore } from "../../src/index.ts";
import { renewalTime } from "../../src/node/renewal-time.ts";

const hour = 3_600_000;
const start = Date.UTC(2026, 10, 28);
const folder = mkdtempSync(join(tmpdir(), "sealwright-renewal-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let now = start;
const ca = createCa({ stores: memoryStore(), now: () => now });
beforeAll(async () => {
  await ca.pki.generateRoot({ common_name: "Root", key_type: "ec", ttl: "87600h" });
  await ca.pki.writeRole({ name: "server", allow_localhost: true, key_type: "ec", ttl: "240h" });
});

const order = { server: "https://ca.test", mount: "pki", role: "server", names: ["localhost"] };

/** Issues a first certificate into a new directory, at the start time. */
async function directory(name: string): Promise<string> {
  now = start;
  const dir = join(folder, name);
  const issued = await requestCertificate(ca.pki, order);
  writeCertificate(dir, { key: issued.private_key ?? "", chain: chainOf(issued), order });
  return dir;
}

/** Runs the daemon until the clock reaches `end`, and returns reports and reloads with their hours. */
async function daemon(
  dir: string,
  end: number,
  ports: Partial<RenewalPorts> = {},
): Promise<{ readonly reports: readonly string[]; readonly reloads: readonly number[] }> {
  const stop = new AbortController();
  const [reports, reloads]: [string[], number[]] = [[], []];
  let seen = "";
  await renewContinuously(
    dir,
    {
      now: () => now,
      random: () => 0.5,
      async sleep(milliseconds) {
        expect(milliseconds).toBeGreaterThan(0);
        now += milliseconds;
        // TLS servers may read both files at any time
        const chain = readFileSync(join(dir, "fullchain.pem"), "utf8");
        const key = readFileSync(join(dir, "privkey.pem"), "utf8");
        if (chain + key !== seen) expect(isPair(chain, key)).toBe(true);
        seen = chain + key;
        if (now >= end) stop.abort();
      },
      issue: (one) => requestCertificate(ca.pki, one),
      async reload() {
        reloads.push((now - start) / hour);
      },
      report: (sentence) => void reports.push(`${hours()} ${sentence}`),
      describe: (error) => `${error instanceof Error ? error.message : String(error)}.`,
      ...ports,
    },
    stop.signal,
  );
  return { reports, reloads };
}
const isPair = (chain: string, key: string): boolean =>
  new X509Certificate(chain).checkPrivateKey(createPrivateKey(key));
const hours = (): string => `${Math.round((now - start) / hour)}h`;

it("requestCertificate uses the first suitable name as the common name, and explains a name that is not allowed", async () => {
  const names = ["::1", "spiffe://a/b", "localhost", "127.0.0.1"];
  await ca.pki.writeRole({
    name: "any",
    allow_localhost: true,
    allowed_uri_sans: ["*"],
    key_type: "ec",
  });
  const { certificate } = await requestCertificate(ca.pki, { ...order, role: "any", names });
  const { subject, subjectAltName } = new X509Certificate(certificate);
  expect([subject, subjectAltName]).toEqual([
    "CN=localhost",
    "DNS:localhost, IP Address:0:0:0:0:0:0:0:1, IP Address:127.0.0.1, URI:spiffe://a/b",
  ]);
  const refused = requestCertificate(ca.pki, { ...order, mount: "team/ca", names: ["a.example"] });
  await expect(refused).rejects.toThrow(
    /\(name_not_allowed\)\. sealwright get team\/ca\/roles\/server shows the names that the role allows; sealwright patch team\/ca\/roles\/server allowed_domains=… replaces them\.$/,
  );
  expect(exitCodeOf(await refused.catch((error: unknown) => error))).toBe(4);
});

it("requestCertificate requests internationalized host names in ASCII form, also as the common name", async () => {
  const allowed_domains = ["xn--mnchen-3ya.example"];
  await ca.pki.writeRole({ name: "idn", allowed_domains, allow_subdomains: true, key_type: "ec" });
  const names = ["Über.münchen.example", "*.München.example"];
  const { certificate } = await requestCertificate(ca.pki, { ...order, role: "idn", names });
  const { subject, subjectAltName } = new X509Certificate(certificate);
  expect([subject, subjectAltName]).toEqual([
    "CN=xn--ber-goa.xn--mnchen-3ya.example",
    "DNS:xn--ber-goa.xn--mnchen-3ya.example, DNS:*.xn--mnchen-3ya.example",
  ]);
});

it("writeCertificate does not write through a symbolic link in place of .versions", async () => {
  const dir = await directory("linked");
  const other = mkdtempSync(join(folder, "other-"));
  writeFileSync(join(other, "precious"), "");
  rmSync(join(dir, ".versions"), { recursive: true });
  symlinkSync(other, join(dir, ".versions"));
  const issued = await requestCertificate(ca.pki, order);
  const write = () =>
    writeCertificate(dir, { key: issued.private_key ?? "", chain: chainOf(issued), order });
  expect(write).toThrow("is not a directory");
  expect(readdirSync(other)).toEqual(["precious"]);
});

describe("renew --daemon with a lifetime of ten days", () => {
  it("renews after two thirds of the lifetime plus a random delay, and reloads each time", async () => {
    const dir = await directory("well");
    const { reports, reloads } = await daemon(dir, start + 600 * hour);
    // 160 h, and half of a twentieth of 240 h; certificates are backdated by 30 s
    expect(reloads.map(Math.round)).toEqual([166, 332, 498]);
    expect(reports).toEqual(
      reloads.map((at) => expect.stringMatching(`^${Math.round(at)}h Renewed `)),
    );
    const { notBefore, notAfter } = readCertificate(dir);
    expect(renewalTime({ notBefore, notAfter })).toBeGreaterThan(now);
  });

  it("retries with pauses that double up to an hour while the server is down, and renews in time", async () => {
    const dir = await directory("down");
    const { notAfter } = readCertificate(dir);
    const attempts: number[] = [];
    const { reports, reloads } = await daemon(dir, notAfter, {
      issue(one) {
        attempts.push(now);
        if (attempts.length <= 30) return Promise.reject(new Error("Cannot reach the server"));
        return requestCertificate(ca.pki, one);
      },
    });
    const pauses = attempts.slice(1, 31).map((at, i) => at - (attempts[i] ?? 0));
    expect(pauses.every((pause, i) => i === 0 || pause >= (pauses[i - 1] ?? 0) * 0.99)).toBe(true);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(hour);
    expect(reports[0]).toMatch(
      /^166h The renewal of .* failed: Cannot reach the server\. Next attempt in /,
    );
    expect(reloads).toHaveLength(1);
    expect((reloads[0] ?? 0) * hour + start).toBeLessThan(notAfter);
  });

  it("keeps retrying while the server rejects the renewal, even after the certificate has expired", async () => {
    const dir = await directory("rejected");
    const { notAfter, serial } = readCertificate(dir);
    await ca.pki.writeRole({
      name: "server",
      allowed_domains: ["other.test"],
      allow_localhost: false,
    });
    const { reports, reloads } = await daemon(dir, notAfter + 24 * hour);
    expect(reloads).toEqual([]);
    expect(reports.at(-1)).toMatch(/not allowed by this role .* Next attempt in \d+ minutes\.$/);
    expect(reports.length).toBeLessThan(200);
    expect(readCertificate(dir).serial).toBe(serial);
    await ca.pki.writeRole({ name: "server", allow_localhost: true, key_type: "ec", ttl: "240h" });
    await daemon(dir, now + 2 * hour);
    expect(readCertificate(dir).serial).not.toBe(serial);
  });

  it("does not renew again immediately if certificates are backdated by more than their lifetime", async () => {
    const dir = await directory("backdated");
    const backdated = { ttl: "24h", not_before_duration: "72h" };
    const role = { name: "server", allow_localhost: true, key_type: "ec" } as const;
    await ca.pki.writeRole({ ...role, ...backdated });
    const { reloads } = await daemon(dir, start + 240 * hour);
    await ca.pki.writeRole({ ...role, ttl: "240h" });
    const pauses = reloads.slice(1).map((at, i) => at - (reloads[i] ?? 0));
    expect(reloads.length).toBeGreaterThan(2);
    expect(Math.min(...pauses)).toBeGreaterThan(12);
  });

  it("repeats a failed reload without issuing another certificate", async () => {
    const dir = await directory("reload");
    const serials: string[] = [];
    const { reports } = await daemon(dir, start + 240 * hour, {
      async reload() {
        serials.push(readCertificate(dir).serial);
        if (serials.length < 3) throw new Error("no such service");
      },
    });
    expect(new Set(serials).size).toBe(1);
    expect(serials).toHaveLength(3);
    expect(reports.map((text) => /no such service/.test(text))).toEqual([true, true]);
  });

  it("replaces a revoked certificate, and retries if the check or the renewal fails", async () => {
    const dir = await directory("revoked");
    const { serial } = readCertificate(dir);
    let failures = 2;
    const { reports, reloads } = await daemon(dir, start + 60 * hour, {
      async isRevoked(one) {
        if (now > start + 48 * hour && one.serial === serial)
          await ca.pki.revoke({ serial_number: serial });
        if (now > start + 20 * hour && now < start + 30 * hour) throw new Error("no server");
        return ((await ca.pki.readCert({ serial: one.serial })).revocation_time ?? 0) > 0;
      },
      issue: (one) =>
        failures-- > 0 ? Promise.reject(new Error("busy")) : requestCertificate(ca.pki, one),
    });
    expect(reports.map((text) => text.replace(/^(\S+) (?:The renewal|Renewed).*/, "$1"))).toEqual([
      "48h",
      "49h",
      "50h",
    ]);
    expect(reports[0]).toContain("busy");
    expect(reloads).toHaveLength(1);
    expect(readCertificate(dir).serial).not.toBe(serial);
  });

  it("follows the renewal information of the server, within the lifetime of the certificate", async () => {
    const dir = await directory("suggested");
    const asked: number[] = [];
    let shift = 0;
    const { reloads } = await daemon(dir, start + 110 * hour, {
      async suggestTime() {
        asked.push((now - start) / hour);
        if (asked.length === 2) throw new Error("no server");
        if (asked.length === 3) shift = 100;
        return { renewAt: start + (200 - shift) * hour, askAt: now + 6 * hour };
      },
    });
    expect(asked.slice(0, 4).map(Math.round)).toEqual([0, 0, 1, 7]);
    expect(Math.round(reloads[0] ?? 0)).toBe(100);
    // a suggestion in the past does not cause repeated renewals
    expect(reloads.length).toBeLessThan(6);
  });

  it("renews before expiry even if the server suggests a time after it", async () => {
    const dir = await directory("late");
    const { notAfter } = readCertificate(dir);
    const { reloads } = await daemon(dir, start + 235 * hour, {
      suggestTime: () => Promise.resolve({ renewAt: notAfter + hour, askAt: now + hour }),
    });
    expect(Math.round(reloads[0] ?? 0)).toBe(228);
  });

  it("renews the token when it is due, and retries while the server is down", async () => {
    const dir = await directory("token");
    const calls: number[] = [];
    const { reports } = await daemon(dir, start + 5 * hour, {
      renewToken() {
        calls.push((now - start) / hour);
        if (calls.length === 2) return Promise.reject(new Error("no server"));
        return Promise.resolve(now + hour / 4);
      },
    });
    expect(reports).toEqual([]);
    expect(calls.slice(0, 3)).toEqual([0, 0.25, 1.25]);
  });
});

describe("renew without --daemon", () => {
  it("renews a revoked certificate, and one whose renewal the server suggests", async () => {
    const dir = await directory("once");
    const ports = {
      now: () => now,
      random: () => 0.5,
      sleep: () => Promise.resolve(),
      issue: (one: typeof order) => requestCertificate(ca.pki, one),
      report: () => undefined,
      describe: String,
    };
    expect((await renewIfDue(dir, ports)).renewed).toBe(false);
    const revoked = { ...ports, isRevoked: () => Promise.resolve(true) };
    expect((await renewIfDue(dir, revoked)).renewed).toBe(true);
    const down = { ...ports, isRevoked: () => Promise.reject(new Error("no server")) };
    expect((await renewIfDue(dir, down)).renewed).toBe(false);
    now += 10 * hour;
    const suggested = { renewAt: now - 1, askAt: Infinity };
    const advised = { ...ports, suggestTime: () => Promise.resolve(suggested) };
    expect((await renewIfDue(dir, advised)).renewed).toBe(true);
    // but not again immediately
    expect((await renewIfDue(dir, advised)).renewed).toBe(false);
  });
});
