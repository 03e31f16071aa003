import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import { afterAll, describe, expect, it } from "vitest";
import { authority, clockAt } from "../support/authority.ts";
import { certificate, dial, listening, now } from "../net/tls-fixture.ts";

const ca = await certificate({ name: "private CA", ca: true });
const own = await certificate({ issuer: ca, names: { dns: ["sink.example"] } });
const servers: Server[] = [];
afterAll(() => servers.forEach((server) => server.close().closeAllConnections()));

interface Taken {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}
/** Starts a sink that responds with a status, and an authority that reaches it at any address. */
async function sinking() {
  const taken: Taken[] = [];
  const answer = { status: 204, location: "", before: async () => {} };
  const server = createServer({ key: own.key.pem, cert: own.pem }, (request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", async () => {
      taken.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
      await answer.before();
      response.writeHead(answer.status, answer.location ? { location: answer.location } : {});
      response.end();
    });
  });
  servers.push(server);
  const port = await listening(server);
  const dialled: string[] = [];
  const at = { address: "10.1.2.3" };
  const a = authority({
    clock: clockAt(now * 1000),
    dial: async ({ address }) => {
      dialled.push(address);
      return dial(port);
    },
    resolve: async ({ type }) => (type === "A" ? [at.address] : []),
  });
  await a.root();
  return { a, taken, answer, dialled, at };
}
const sink = {
  url: "https://sink.example/events",
  secret: "a secret of the sink",
  ca_pem: ca.pem,
};
type Line = Readonly<Record<string, unknown>>;
const linesOf = (taken: readonly Taken[]): readonly Line[] =>
  taken.flatMap(({ body }) =>
    body
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line),
  );

describe("the audit sink (writeAuditSink, readAuditSink, deleteAuditSink)", () => {
  it("receives every event once, in the order of its log and in signed requests, including earlier events", async () => {
    const { a, taken } = await sinking();
    const made = await a.call("POST", "sys/audit/sink", sink);
    expect(made.data).toEqual({ url: sink.url });
    await a.ca.tick();
    for (const name of ["x", "y"]) {
      await a.role(name);
      await a.call("DELETE", `pki/roles/${name}`, undefined, { token: "reader" });
    }
    a.clock.advance(10);
    await a.ca.tick();
    const lines = linesOf(taken);
    const listed = await a.call("GET", "sys/audit/events?list=true");
    expect(lines.map(({ id }) => id).sort()).toEqual([...(listed.data["keys"] as string[])].sort());
    const logOf = ({ store, log }: Line): string => `${String(store)} ${String(log)}`;
    for (const log of new Set(lines.map(logOf))) {
      const numbers = lines
        .filter((line) => logOf(line) === log)
        .map(({ number }) => Number(number));
      expect(numbers).toEqual(numbers.toSorted((x, y) => x - y));
    }
    for (const { headers, body } of taken) {
      const time = String(headers["sealwright-timestamp"]);
      expect(Number(time)).toBeGreaterThanOrEqual(now);
      const mac = createHmac("sha256", sink.secret).update(`${time}.${body}`).digest("hex");
      expect(headers["sealwright-signature"]).toBe(`v1=${mac}`);
    }
    expect((await a.call("GET", "sys/audit/sink")).data).toMatchObject({
      url: sink.url,
      certificates: 1,
      sent: lines.length,
    });
    expect((await a.call("GET", "sys/audit")).data).toHaveProperty("sink/");
    const before = taken.length;
    expect((await a.call("DELETE", "sys/audit/sink")).status).toBe(204);
    await a.role("z");
    a.clock.advance(60);
    await a.ca.tick();
    expect(taken).toHaveLength(before);
    expect((await a.call("GET", "sys/audit/sink")).status).toBe(404);
  });

  it("is retried with growing delays while it fails, is reported by sys/health, and loses nothing", async () => {
    const { a, taken, answer } = await sinking();
    answer.status = 500;
    await a.call("POST", "sys/audit/sink", sink);
    const tried: number[] = [];
    for (let minute = 0; minute < 240; minute++) {
      const before = taken.length;
      await a.ca.tick();
      if (taken.length > before) tried.push(minute);
      a.clock.advance(30);
    }
    const waits = tried.slice(1).map((at, n) => at - (tried[n] ?? 0));
    expect(waits).toEqual([...waits].sort((x, y) => x - y));
    expect(waits[0]).toBe(1);
    expect(waits.at(-1)).toBe(20);
    const health = await a.call("GET", "sys/health", undefined, { token: "" });
    expect(health.json["warnings"]).toEqual([
      "The audit sink does not accept events: the server returned status 500",
    ]);
    expect(health.text).not.toContain("sink.example");
    await a.role("meanwhile");
    answer.status = 200;
    taken.length = 0;
    for (let n = 0; n < 3; n++) {
      a.clock.advance(600);
      await a.ca.tick();
    }
    const listed = await a.call("GET", "sys/audit/events?list=true");
    expect(new Set(linesOf(taken).map(({ id }) => id))).toEqual(
      new Set(listed.data["keys"] as string[]),
    );
    expect((await a.call("GET", "sys/health")).json["warnings"]).toBeUndefined();
  });

  it("is not reported by sys/health if it is deleted while a delivery fails", async () => {
    const { a, answer } = await sinking();
    answer.status = 500;
    answer.before = async () => void (await a.call("DELETE", "sys/audit/sink"));
    await a.call("POST", "sys/audit/sink", sink);
    await a.ca.tick();
    expect((await a.call("GET", "sys/audit/sink")).status).toBe(404);
    a.clock.advance(3600);
    expect((await a.call("GET", "sys/health")).json["warnings"]).toBeUndefined();
  });

  it("receives the events of partitions that a growth adds, and no reports of missing events", async () => {
    const { a, taken } = await sinking();
    await a.role("web", { key_type: "ed25519" });
    const issue = async (): Promise<void> => {
      for (let n = 0; n < 12; n++) await a.call("POST", "pki/issue/web", { common_name: "a.test" });
    };
    await issue();
    await a.ca.sys.growPartitions({ path: "pki", count: 4 });
    await issue();
    await a.call("POST", "sys/audit/sink", sink);
    for (let n = 0; n < 30; n++) {
      a.clock.advance(10);
      await a.ca.tick();
    }
    await a.ca.sys.growPartitions({ path: "pki", count: 16 });
    await issue();
    for (let n = 0; n < 30; n++) {
      a.clock.advance(10);
      await a.ca.tick();
    }
    const lines = linesOf(taken);
    expect(lines.filter((line) => "missing" in line)).toEqual([]);
    const issued = lines.filter(({ endpoint }) => endpoint === "issue");
    expect(new Set(issued.map(({ id }) => id)).size).toBe(36);
    expect(issued).toHaveLength(36);
    expect(new Set(issued.map(({ store }) => store)).size).toBeGreaterThan(4);
    const { data } = await a.call("GET", "sys/audit/counts?mount=pki&days=2");
    const day = 86_400_000;
    expect(data["since"]).toBe((Math.floor(a.clock.now / day - 1) * day) / 1000);
  });

  it("receives events again if their delivery is not recorded, and a report of dropped events", async () => {
    const { a, taken } = await sinking();
    const { uuid } = await a.sys.readMount({ path: "pki" });
    await a.call("POST", "sys/audit/sink", sink);
    await a.ca.tick();
    await a.stores(uuid).commit({
      log: Array.from({ length: 10_300 }, () => ["audit/change/", { time: 1 }, 10_000] as const),
    });
    taken.length = 0;
    for (let n = 0; n < 3; n++) {
      a.clock.advance(60);
      await a.ca.tick();
    }
    const lines = linesOf(taken);
    const [gap] = lines.filter(({ missing }) => missing);
    const numbers = lines.filter(({ store }) => store === uuid).map(({ number }) => number);
    expect(gap?.["missing"]).toMatchObject({
      store: uuid,
      kind: "change",
      to: Number(numbers[0]) - 1,
    });
    expect(numbers).toEqual(numbers.map((_, n) => Number(numbers[0]) + n));
    expect(numbers.length).toBeGreaterThanOrEqual(10_000);
    const [sent] = await a.stores("sys").get(["auditsent"]);
    await a
      .stores("sys")
      .commit({ put: [["auditsent", { ...(sent?.value as object), sent: {} }]] });
    taken.length = 0;
    a.clock.advance(60);
    await a.ca.tick();
    expect(linesOf(taken).length).toBeGreaterThan(1000);
  });

  it.each(["127.0.0.1", "169.254.169.254", "::1"])(
    "is never contacted at %s, and no redirect is followed",
    async (address) => {
      const { a, taken, answer, dialled, at } = await sinking();
      answer.status = 307;
      answer.location = "https://other.example/";
      await a.call("POST", "sys/audit/sink", sink);
      await a.ca.tick();
      expect(taken).toHaveLength(1);
      at.address = address;
      dialled.length = 0;
      a.clock.advance(30);
      await a.ca.tick();
      expect(dialled).toEqual([]);
      expect(String((await a.call("GET", "sys/audit/sink")).data["failure"])).toContain(
        "is not contacted",
      );
    },
  );

  it("is rejected with the reason if it is invalid, and its secret is stored sealed", async () => {
    const { a } = await sinking();
    for (const [body, text] of [
      [{ url: "http://a.example/" }, "url must be an https URL"],
      [{ url: "https://u:p@a.example/" }, "url must not have a user name or password"],
      [{ ...sink, secret: "short" }, "secret must have 16 to 512 characters"],
      [{ ...sink, ca_pem: "x" }, "ca_pem has no certificate"],
      [{ ...sink, ca_pem: own.key.pem }, "instead of a certificate"],
    ] as const) {
      const answer = await a.call("POST", "sys/audit/sink", body);
      expect([answer.status, answer.errors]).toEqual([400, [expect.stringContaining(text)]]);
    }
    const drawn = await a.call("POST", "sys/audit/sink", { url: sink.url });
    expect(drawn.data["secret"]).toMatch(/^[0-9a-f]{64}$/);
    const secret = String(drawn.data["secret"]);
    expect(JSON.stringify(await a.stores("sys").list(""))).not.toContain(secret);
    expect((await a.call("GET", "sys/audit/sink")).text).not.toContain(secret);
  });
});
