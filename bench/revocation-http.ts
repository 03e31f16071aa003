import { setTimeout as sleep } from "node:timers/promises";
import { atMost, cpuMs, figure, round } from "./figures.ts";
import { drive, get, post, type LoadResult } from "./load.ts";
import { seedCertificates, seedRevoked } from "./revoked.ts";
import { seed, startSubject, type Subject } from "./server.ts";

const max = 100_000;

/** Measures single revocations, bulk revocation and tidy runs over HTTP. */
export async function benchRevocationHttp(): Promise<void> {
  await within(revocations);
  await within(tidying);
}
async function within(run: (subject: Subject) => Promise<void>): Promise<void> {
  const subject = await startSubject();
  try {
    await run(subject);
  } finally {
    await subject.stop();
  }
}
async function revocations(subject: Subject): Promise<void> {
  let heldUp = 0;
  for (const count of [1000, 10_000, max]) {
    const more = count - heldUp;
    await seed(subject, (store) => seedRevoked(store, { count: more }));
    await subject.call("config/crl", { auto_rebuild: true });
    await subject.call("crl/rotate");
    const on = await revoking(subject, 40);
    figure(
      `HTTP, ${count} revoked: one more, auto_rebuild on, p50`,
      text(on),
      "no error",
      on.errors === 0,
    );
    await subject.call("config/crl", { auto_rebuild: false });
    const off = await revoking(subject, 20);
    const what = `HTTP, ${count} revoked: one more, auto_rebuild off, p50`;
    if (count === max) atMost(what, off.p50, 100, "ms", text(off));
    else figure(what, text(off), "no error", off.errors === 0);
    heldUp = count;
  }
  await bulk(subject);
}
const text = ({ p50, p99, errors, firstError }: LoadResult): string =>
  `${round(p50)} ms, p99 ${round(p99)}${errors ? `, ${errors} errors: ${firstError}` : ""}`;

async function revoking(subject: Subject, count: number): Promise<LoadResult> {
  const serials: string[] = [];
  for (let i = 0; i < count; i++) {
    const { serial_number: serial } = await subject.call("issue/web", {
      common_name: "h.example.com",
    });
    serials.push(String(serial));
  }
  const body = (n: number) => JSON.stringify({ serial_number: serials[n] ?? "" });
  return drive({
    url: subject.url,
    connections: 1,
    count,
    seconds: 20,
    request: (n) => post("/v1/pki/revoke", subject.token, body(n)),
  });
}

/**
 * Measures the bulk revocation of 10,000 certificates that match a search, while other callers
 * read.
 */
async function bulk(subject: Subject): Promise<void> {
  const notAfter = Math.floor(Date.now() / 1000) + 200_000;
  await seed(subject, (store) =>
    seedCertificates(store, { count: 10_000, notAfter, revoked: false }),
  );
  const search = { not_after_from: notAfter, not_after_to: notAfter };
  const reading = (seconds: number): Promise<LoadResult> =>
    drive({
      url: subject.url,
      connections: 1,
      seconds,
      request: () => get("/v1/pki/ca/pem"),
    });
  const before = await reading(1);
  const begun = performance.now();
  const beside = reading(2);
  const { revoked } = await subject.call("certs/revoke", search);
  const took = performance.now() - begun;
  const seen = await beside;
  figure(
    "bulk revocation of 10,000, the CRL of 100,000 built once",
    `${round(took)} ms`,
    "10000 revoked",
    revoked === 10_000,
  );
  atMost("a concurrent read, p99", seen.p99 - before.p99, 50, "ms longer", text(seen));
}

/** Measures tidying 25,000 of 50,000 revoked certificates: alone, and while other callers read. */
async function tidying(subject: Subject): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const ending = (notAfter: number) =>
    seed(subject, (store) => seedCertificates(store, { count: 25_000, notAfter }));
  const ended = () => ending(now - 86_400);
  await ended();
  await ending(now + 86_400);
  const { serial_number: serial } = await subject.call("issue/web", {
    common_name: "h.example.com",
  });
  const reading = (seconds: number): Promise<LoadResult> =>
    drive({
      url: subject.url,
      connections: 1,
      seconds,
      request: () => get(`/v1/pki/cert/${String(serial)}`),
    });
  const used = cpuMs(subject.pid);
  const { took, deleted } = await tidied(subject);
  const cost = cpuMs(subject.pid) - used;
  atMost(
    "HTTP, tidy of 25,000 of 50,000: CPU time",
    cost,
    500,
    "ms",
    `${round(took)} ms from the call to the end, ${deleted} deleted`,
  );
  await ended();
  const before = await reading(1);
  const [again, beside] = await Promise.all([tidied(subject), reading(2)]);
  const longer = beside.p99 - before.p99;
  atMost(`a concurrent read, ${round(again.took)} ms, p99`, longer, 50, "ms longer", text(beside));
}
async function tidied(
  subject: Subject,
): Promise<{ readonly took: number; readonly deleted: number }> {
  const begun = performance.now();
  const settings = { tidy_cert_store: true, tidy_revoked_certs: true, safety_buffer: "1s" };
  await subject.call("tidy", settings);
  let status = await subject.call("tidy-status");
  for (; status["state"] === "Running"; status = await subject.call("tidy-status")) await sleep(50);
  const deleted = Number(status["cert_store_deleted_count"]);
  return { took: performance.now() - begun, deleted };
}
