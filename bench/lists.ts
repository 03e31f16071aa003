import { setTimeout as sleep } from "node:timers/promises";
import { atLeast, atMost, figure, peakMiB, median, round } from "./figures.ts";
import { drive, get, post } from "./load.ts";
import type { Program } from "./programs.ts";
import type { Subject } from "./server.ts";

const revoking = (subject: Subject, serial: string): Buffer =>
  post("/v1/pki/revoke", subject.token, JSON.stringify({ serial_number: serial }));

/**
 * Measures revoking most certificates at once, revoking single certificates, and reading the
 * resulting CRL.
 */
export async function benchLists(subject: Subject, floor: Program, count: number): Promise<void> {
  const { keys } = await subject.call("certs?list=true");
  const { key_info } = await subject.call("issuers?list=true");
  // an issuer cannot be on its own CRL
  const issuers = new Set(
    Object.values(key_info as Record<string, { serial_number: string }>).map(
      (info) => info.serial_number,
    ),
  );
  const serials = (keys as readonly string[]).filter((serial) => !issuers.has(serial));
  await subject.call("config/crl", { auto_rebuild: true });
  const all = await drive({
    url: subject.url,
    connections: 32,
    count,
    request: (n) => revoking(subject, serials[n] ?? ""),
  });
  figure(
    `${all.count} revoked, auto_rebuild on`,
    `${round(all.rps)}/s p50 ${round(all.p50)} p99 ${round(all.p99)} ms${all.errors ? ` ${all.errors} errors: ${all.firstError}` : ""}`,
    "no error",
    all.errors === 0,
  );
  await subject.call("config/crl", { auto_rebuild: false });
  const single = await drive({
    url: subject.url,
    connections: 1,
    count: 40,
    seconds: 20,
    request: (n) => revoking(subject, serials[count + n] ?? ""),
  });
  atMost(
    `one revocation with ${count} revoked, auto_rebuild off, p50`,
    single.p50,
    100,
    "ms",
    `p99 ${round(single.p99)}${single.errors ? `, ${single.errors} errors: ${single.firstError}` : ""}`,
  );
  await benchLargeList(subject, floor);
}

async function benchLargeList(subject: Subject, floor: Program): Promise<void> {
  await subject.call("crl/rotate");
  const read = { connections: 32, request: () => get("/v1/pki/crl") };
  const { pid } = subject;
  await drive({ url: subject.url, ...read, connections: 8, seconds: 1 });
  const settled = peakMiB(pid);
  let max = settled;
  let done = false;
  const watch = async (): Promise<void> => {
    for (; !done; await sleep(100)) max = Math.max(max, peakMiB(pid));
  };
  const watching = watch();
  const seen = await drive({ url: subject.url, ...read, connections: 8, seconds: 30 });
  done = true;
  await watching;
  const size = seen.bytes / seen.count / 1e6;
  figure(
    "large CRL, 8 connections, 30 s",
    `${round(seen.rps)}/s of ${round(size)} MB, ${round((seen.bytes / seen.seconds) * 1e-6)} MB/s`,
    "no error",
    seen.errors === 0,
  );
  atMost(
    "memory growth of the largest process while the CRL is read",
    max - settled,
    64,
    "MiB",
    `from ${round(settled)}, at the end ${round(peakMiB(pid))}`,
  );
  const reads = {
    url: subject.url,
    connections: 32,
    seconds: 2,
    request: () => get("/v1/pki/ca/pem"),
  };
  const shares: number[] = [];
  for (let i = 0; i < 3; i++) {
    const empty = await drive({ ...reads, url: floor.url, request: () => get("/empty") });
    shares.push((await drive(reads)).rps / empty.rps);
  }
  atLeast("ca/pem while the large CRL is read, relative to an empty read", median(shares), 0.75);
}
