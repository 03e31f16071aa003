import { connect, createServer, type TLSSocket } from "node:tls";
import type { AddressInfo } from "node:net";
import { expect, it, vi } from "vitest";
import { client, httpTransport, pki } from "../../src/index.ts";
import { renewingCertificate, type RenewingCertificate } from "../../src/node/index.ts";
import { suggestedTime } from "../../src/node/renewal-time.ts";
import { authority, clockAt } from "../support/authority.ts";

const day = 86_400_000;
/** Returns an authority, and a clock whose timers run when a test moves it. */
async function made() {
  const clock = clockAt();
  const a = authority({ clock, publicUrl: "http://ca.test" });
  await a.root();
  await a.role("web", { max_ttl: "900h" });
  let timer: { at: number; run: () => void } | undefined;
  const schedule = (milliseconds: number, run: () => void) => {
    const own = (timer = { at: clock.now + milliseconds, run });
    return () => void (timer = timer === own ? undefined : timer);
  };
  const settings = { now: () => clock.now, random: () => 0.5, schedule };
  /** Moves the clock to the next timer; returns its time. */
  const step = async (): Promise<number> => {
    const { at, run } = timer ?? { at: clock.now, run: () => undefined };
    clock.now = at;
    timer = undefined;
    run();
    await expect.poll(() => timer).toBeDefined();
    return at;
  };
  /** Moves the clock to the next renewal or failed attempt; returns its time. */
  const next = async ({ events }: RenewingCertificate): Promise<number> => {
    let isOver = false;
    const end = () => void (isOver = true);
    events.once("renewed", end).once("failed", end);
    let at = clock.now;
    while (!isOver) at = await step();
    events.off("renewed", end).off("failed", end);
    return at;
  };
  const begin = clock.now;
  const options = { role: "web", common_name: "www.example.com", ttl: "720h", ...settings };
  return { ...a, options, step, next, begin, due: () => timer?.at };
}
const serials: string[] = [];
const serialOf = ({ current }: RenewingCertificate) => current.serial_number;

it("a renewing certificate renews after two thirds of its lifetime, in process and over HTTP", async () => {
  const { ca, options, next, begin } = await made();
  const transport = httpTransport("http://ca.test", "root", {
    fetch: ((input: string, init?: RequestInit) =>
      ca.fetch(new Request(input, init))) as typeof fetch,
  });
  for (const source of [ca.pki, client(pki, "/v1/pki", transport)]) {
    const start = options.now();
    const certificate = await renewingCertificate(source, options);
    serials.push(serialOf(certificate));
    const at = await next(certificate);
    // 720 h plus 30 s backdating; a random delay adds up to a twentieth
    expect((at - start) / day).toBeCloseTo(30 * (2 / 3 + 1 / 40), 1);
    expect(serialOf(certificate)).not.toBe(serials.at(-1));
    expect(certificate.current.notAfter - options.now()).toBeGreaterThan(30 * day - 1000);
    certificate.stop();
  }
  expect(begin).toBeLessThan(options.now());
});

it("a renewing certificate retries a failed renewal with growing delays, and keeps the current certificate meanwhile", async () => {
  const { ca, options, next, pki: own, due } = await made();
  const certificate = await renewingCertificate(ca.pki, options);
  const events: unknown[] = [];
  certificate.events.on("failed", (error, retryAt) => events.push([error, retryAt]));
  certificate.events.on("renewed", ({ serial_number }) => events.push(serial_number));
  const first = serialOf(certificate);
  await own.deleteRole({ name: "web" });
  const times = [
    await next(certificate),
    await next(certificate),
    await next(certificate),
    await next(certificate),
  ];
  const pauses = times.slice(1).map((at, i) => (at - (times[i] ?? 0)) / 1000);
  expect(pauses).toEqual([45, 90, 180]);
  expect(events).toHaveLength(4);
  expect(events[0]).toEqual([expect.objectContaining({ code: "unknown_role" }), times[1]]);
  expect(serialOf(certificate)).toBe(first);
  await own.writeRole({ name: "web", key_type: "ec", allow_any_name: true });
  await next(certificate);
  expect(events.at(-1)).toBe(serialOf(certificate));
  expect(serialOf(certificate)).not.toBe(first);
  certificate.stop();
  expect(due()).toBeUndefined();
});

it("a renewing certificate checks renewal information every six hours, and renews when it was revoked", async () => {
  const { ca, options, step, pki: own } = await made();
  await own.writeAcmeConfig({ enabled: true });
  const certificate = await renewingCertificate(ca, options);
  const first = serialOf(certificate);
  const asked = [await step(), await step()];
  expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBe(6 * 3_600_000);
  expect(serialOf(certificate)).toBe(first);
  await own.revoke({ serial_number: first });
  await step();
  await step();
  expect(serialOf(certificate)).not.toBe(first);
  certificate.stop();
});

it("a renewing certificate renews after two thirds of its lifetime if the server has no renewal information", async () => {
  const { ca, options, next, begin } = await made();
  const certificate = await renewingCertificate(ca, options);
  expect(((await next(certificate)) - begin) / day).toBeGreaterThan(20);
  certificate.stop();
});

it("a renewing certificate renews before it expires, whatever window the server suggests", async () => {
  const { ca, options, next, begin } = await made();
  const suggestedWindow = { start: "2100-01-01T00:00:00Z", end: "2100-01-02T00:00:00Z" };
  const fetch = () => Promise.resolve(Response.json({ suggestedWindow }));
  const certificate = await renewingCertificate({ pki: ca.pki, fetch }, options);
  const at = await next(certificate);
  expect((at - begin) / day).toBeGreaterThan(28);
  expect((at - begin) / day).toBeLessThan(30);
  certificate.stop();
});

it("a renewing certificate retries a failed request for renewal information after an hour", async () => {
  const { ca, options, step, begin } = await made();
  const asked: number[] = [];
  const fetch = () => {
    asked.push(options.now() - begin);
    return Promise.resolve(new Response(null, { status: 503 }));
  };
  const certificate = await renewingCertificate({ pki: ca.pki, fetch }, options);
  await step();
  expect(asked).toEqual([0, 3_600_000]);
  certificate.stop();
});

it("a request for renewal information is aborted after a minute", async () => {
  const { ca, options } = await made();
  const { certificate } = await ca.pki.issue({ role: "web", common_name: "www.example.com" });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const signals: (AbortSignal | undefined)[] = [];
    const never = (_: string, signal?: AbortSignal) => {
      signals.push(signal);
      return new Promise<Response>(() => undefined);
    };
    const asked = suggestedTime(certificate, never, { ...options, now: options.now() });
    const failed = expect(asked).rejects.toThrow("no renewal information within 60 seconds");
    await vi.advanceTimersByTimeAsync(60_000);
    await failed;
    // an open connection would keep the process alive
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  } finally {
    vi.useRealTimers();
  }
});

it("a certificate backdated by more than its lifetime is renewed after two thirds of its remaining lifetime", async () => {
  const { ca, options, role, next, begin } = await made();
  await role("web", { not_before_duration: "1500h", max_ttl: "900h" });
  const certificate = await renewingCertificate(ca.pki, options);
  const at = await next(certificate);
  expect((at - begin) / day).toBeCloseTo(30 * (2 / 3 + 1 / 40), 1);
  certificate.stop();
});

it("renewingCertificate rejects if the first certificate cannot be issued", async () => {
  const { ca, options } = await made();
  await expect(renewingCertificate(ca, { ...options, role: "none" })).rejects.toMatchObject({
    code: "unknown_role",
  });
});

it("SNICallback presents the current certificate with its intermediates", async () => {
  const { ca, options, next, intermediate } = await made();
  const { id } = await intermediate({ ttl: "20000h" });
  await ca.pki.writeIssuersConfig({ default: id });
  const certificate = await renewingCertificate(ca.pki, options);
  const server = createServer({ SNICallback: certificate.SNICallback }, (socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const shown = async (): Promise<readonly [string, boolean]> => {
    const socket: TLSSocket = await new Promise((resolve) => {
      const options = { port, host: "127.0.0.1", servername: "www.example.com" };
      const made = connect({ ...options, rejectUnauthorized: false }, () => resolve(made));
    });
    const { serialNumber, issuerCertificate } = socket.getPeerCertificate(true);
    socket.destroy();
    return [serialNumber.toLowerCase(), issuerCertificate !== undefined];
  };
  const hex = () => serialOf(certificate).replaceAll(":", "");
  expect(await shown()).toEqual([hex(), true]);
  await next(certificate);
  expect(await shown()).toEqual([hex(), true]);
  certificate.stop();
  server.close();
});
