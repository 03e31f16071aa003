import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { memoryStore, sealedVault } from "../../src/index.ts";
import { eventsFlag } from "../../src/events/event-stores.ts";
import { authority } from "../support/authority.ts";
import { beforeCommit, faultyStores } from "../support/faulty.ts";
import { receiver, receiving, secret, secretBytes, sink, type Received } from "./receiver.ts";

type Receiving = Awaited<ReturnType<typeof receiving>>;
type A = Receiving["a"];
const put = (a: A, name: string, settings: object = sink) =>
  a.call("POST", `sys/events/sinks/${name}`, settings);
const read = async (a: A, name = "ops") => (await a.call("GET", `sys/events/sinks/${name}`)).data;
const issue = (a: A, common_name: string, role = "web") => a.pki.issue({ role, common_name });
/** Advances the clock and runs the jobs. */
async function later(a: A, seconds = 10): Promise<void> {
  a.clock.advance(seconds);
  await a.ca.tick();
}
/** Waits for deliveries, which continue after a run of the jobs. */
const delivered = (a: A, count: number, name = "ops") =>
  expect.poll(async () => (await read(a, name))["delivered"]).toBe(count);
const namesOf = (received: readonly Pick<Received, "event">[]): readonly (string | undefined)[] =>
  received.map(({ event }) => ("common_name" in event.data ? event.data.common_name : undefined));

describe("event sinks (writeEventSink, readEventSink, listEventSinks, deleteEventSink)", () => {
  it("receive signed CloudEvents about what happens after their creation", async () => {
    const { a, received } = await receiving();
    await issue(a, "before.example");
    expect((await put(a, "ops")).data).toEqual({});
    await a.ca.tick();
    const issued = await issue(a, "a.example");
    await a.pki.revoke({ serial_number: issued.serial_number });
    await later(a);
    await delivered(a, 2);
    // the requests of one round are concurrent
    const types = received.map(({ event }) => [event.type, event.subject]).toSorted();
    expect(types).toEqual([
      ["sealwright.certificate.issued", issued.serial_number],
      ["sealwright.certificate.revoked", issued.serial_number],
    ]);
    for (const { headers, body, event, path } of received) {
      const { "webhook-id": id, "webhook-timestamp": time } = headers;
      expect([path, id, headers["content-type"]]).toEqual([
        "/events",
        event.id,
        "application/cloudevents+json",
      ]);
      const mac = createHmac("sha256", secretBytes).update(`${String(id)}.${String(time)}.${body}`);
      expect(headers["webhook-signature"]).toBe(`v1,${mac.digest("base64")}`);
      expect(Math.abs(Number(time) - a.clock.now / 1000)).toBeLessThan(1);
    }
    expect(await read(a)).toMatchObject({ delivered: 2, waiting: 0, lost: 0, enabled: true });
    expect(await read(a)).not.toHaveProperty("failure");
    expect((await a.call("GET", "sys/events/sinks?list=true")).data).toEqual({
      keys: ["ops"],
      key_info: { ops: { url: sink.url, enabled: true } },
    });
    await later(a, 60);
    expect(received).toHaveLength(2);
    expect((await a.call("DELETE", "sys/events/sinks/ops")).status).toBe(204);
    await issue(a, "after.example");
    await later(a, 60);
    expect(received).toHaveLength(2);
    expect((await a.call("GET", "sys/events/sinks/ops")).status).toBe(404);
  });

  it("leave no stored events behind after the last of them is deleted", async () => {
    const { a, received } = await receiving();
    const { uuid } = await a.sys.readMount({ path: "pki" });
    const stored = async () => (await a.stores(uuid).list("event/")).length;
    await put(a, "ops");
    await put(a, "other", { ...sink, enabled: false });
    await issue(a, "a.example");
    const event = { id: "x", type: "sealwright.test", data: { sink: "x" } };
    await a.stores(uuid).commit({
      log: Array.from({ length: 1200 }, () => ["event/", event, 2000] as const),
    });
    await a.call("DELETE", "sys/events/sinks/ops");
    await later(a);
    expect(await stored()).toBe(1201);
    await a.call("DELETE", "sys/events/sinks/other");
    await later(a);
    expect(await stored()).toBe(0);
    await put(a, "ops");
    await issue(a, "b.example");
    await later(a);
    await delivered(a, 1);
    expect(namesOf(received)).toEqual(["b.example"]);
    expect(await read(a)).toMatchObject({ lost: 0, waiting: 0 });
  });

  it("receive expiry events even if they are created while the job ends for lack of sinks", async () => {
    const { a, received } = await receiving();
    await put(a, "old");
    await later(a);
    await a.call("DELETE", "sys/events/sinks/old");
    await later(a);
    const store = a.stores("sys");
    const { list } = store;
    store.list = async (prefix, page) => {
      const rows = await list(prefix, page);
      if (prefix.startsWith("eventsink") && rows.length === 0) {
        store.list = list;
        await put(a, "ops");
      }
      return rows;
    };
    await later(a, 3600);
    await a.pki.issue({ role: "web", common_name: "a.example", ttl: "169h" });
    for (let hour = 0; hour < 3; hour++) await later(a, 3600);
    await delivered(a, 2);
    expect(received.map(({ event }) => event.type)).toEqual([
      "sealwright.certificate.issued",
      "sealwright.certificate.expiring",
    ]);
  });

  it("receive events even if they are created while mounts stop storing events for lack of sinks", async () => {
    const { stores, fault } = faultyStores();
    const { a, received } = await receiving({ stores });
    const { uuid } = await a.sys.readMount({ path: "pki" });
    await put(a, "old");
    fault(
      uuid,
      beforeCommit(
        ({ del }) => del?.includes(eventsFlag),
        () => put(a, "ops"),
      ),
    );
    await a.call("DELETE", "sys/events/sinks/old");
    await issue(a, "a.example");
    await later(a);
    await delivered(a, 1);
    expect(namesOf(received)).toEqual(["a.example"]);
  });

  it("receive only events that match all of their filters", async () => {
    const { a, received } = await receiving();
    await a.role("mail");
    await a.sys.createMount({ path: "team", type: "pki" });
    const filters = {
      types: { types: ["*.issued"] },
      mounts: { mounts: ["te*"] },
      roles: { roles: ["mail", "other"] },
      issuers: { issuers: ["root"], roles: ["*"] },
      names: { names: ["*.B.example"], types: ["*.certificate.*"] },
    };
    for (const [name, filter] of Object.entries(filters))
      await put(a, name, { ...sink, url: `https://sink.example/${name}`, ...filter });
    const one = await issue(a, "a.example");
    await issue(a, "www.b.example", "mail");
    await a.pki.revoke({ serial_number: one.serial_number });
    await a.call("POST", "team/root/generate/internal", { common_name: "Team", key_type: "ec" });
    await later(a);
    for (const [name, count] of Object.entries({
      types: 3,
      mounts: 1,
      roles: 1,
      issuers: 3,
      names: 1,
    }))
      await delivered(a, count, name);
    const got = (name: string) =>
      received.flatMap(({ path, event }) =>
        path === `/${name}`
          ? [
              `${event.type.split(".").at(-1)} ${String("common_name" in event.data && event.data.common_name)}`,
            ]
          : [],
      );
    expect(got("types").toSorted()).toEqual([
      "issued Team",
      "issued a.example",
      "issued www.b.example",
    ]);
    expect(got("mounts")).toEqual(["issued Team"]);
    expect(got("roles")).toEqual(["issued www.b.example"]);
    expect(got("issuers").toSorted()).toEqual([
      "issued a.example",
      "issued www.b.example",
      "revoked a.example",
    ]);
    expect(got("names")).toEqual(["issued www.b.example"]);
  });

  it("are rejected with the reason if they are invalid, and never show their secret", async () => {
    const { a } = await receiving();
    for (const [body, text] of [
      [{ url: "http://127.0.0.1/" }, "url must be an https URL"],
      [{ url: "https://u:p@a.example/" }, "url must not have a user name or password"],
      [{ ...sink, secret: "whsec_c2hvcnQ=" }, "secret must be whsec_"],
      [{ ...sink, secret: "a".repeat(40) }, "secret must be whsec_"],
      [{ ...sink, ca_pem: "x" }, "ca_pem has no certificate"],
      [{ ...sink, types: ["*.failed", "*.isued"] }, 'types: "*.isued" matches none of the types'],
      [{ ...sink, names: Array.from({ length: 101 }, () => "x") }, "names must have at most 100"],
    ] as const) {
      const answer = await put(a, "ops", body);
      expect([answer.status, answer.errors]).toEqual([400, [expect.stringContaining(text)]]);
    }
    expect((await put(a, "bad%20name")).status).toBe(400);
    for (const token of ["operator", "reader"])
      expect((await a.call("GET", "sys/events/sinks/ops", undefined, { token })).status).toBe(403);
    const { secret: _, ...without } = sink;
    const made = await put(a, "ops", without);
    const drawn = String(made.data["secret"]);
    expect(drawn).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const texts = [
      (await a.call("GET", "sys/events/sinks/ops")).text,
      (await a.call("GET", "sys/events/sinks?list=true")).text,
      (await put(a, "ops", without)).text,
      (await a.call("GET", "sys/audit/events?list=true")).text,
      JSON.stringify(a.events),
      JSON.stringify(await a.stores("sys").list("")),
    ];
    for (const text of texts) expect(text).not.toContain(drawn.slice(6));
  });

  it("keep their secret and CA if these are omitted, and after a rotation of the sealing key", async () => {
    const { a, received } = await receiving({
      vault: sealedVault({
        key: new Uint8Array(32).fill(7),
        previous: new Uint8Array(32).fill(7),
        random: (n) => new Uint8Array(n).fill(9),
      }),
    });
    await put(a, "ops");
    await put(a, "ops", { url: sink.url, types: ["*.issued"] });
    expect(await read(a)).toMatchObject({ certificates: 1 });
    const rotated = await a.call("POST", "sys/rotate");
    expect(rotated.data).not.toHaveProperty("unopened");
    await issue(a, "a.example");
    await later(a);
    await delivered(a, 1);
    expect(received).toHaveLength(1);
    for (const { headers, body } of received) {
      const { "webhook-id": id, "webhook-timestamp": time } = headers;
      const mac = createHmac("sha256", secretBytes).update(`${String(id)}.${String(time)}.${body}`);
      expect(headers["webhook-signature"]).toBe(`v1,${mac.digest("base64")}`);
    }
  });

  it("can be written back as they were read, and keep settings that are omitted", async () => {
    const { a, received } = await receiving();
    const filters = { types: ["*.issued"], mounts: ["pki"], roles: ["web"], names: ["*"] };
    await put(a, "ops", { ...sink, ...filters, issuers: ["root"] });
    const { modified: _, ...before } = await read(a);
    expect((await put(a, "ops", await read(a))).status).toBe(200);
    expect(await read(a)).toMatchObject(before);
    await put(a, "ops", { url: sink.url });
    expect(await read(a)).toMatchObject({ ...before, certificates: 1 });
    await issue(a, "a.example");
    await later(a);
    expect(namesOf(received)).toEqual(["a.example"]);
    await put(a, "ops", { url: sink.url, ca_pem: "", roles: [] });
    expect(await read(a)).toMatchObject({ certificates: 0, roles: [], issuers: ["root"] });
  });

  it("can be tested regardless of their filters (testEventSink)", async () => {
    const { a, received, answer } = await receiving();
    await put(a, "ops", { ...sink, mounts: ["none"], enabled: false });
    const test = async () => (await a.call("POST", "sys/events/sinks/ops/test")).data;
    expect(await test()).toEqual({ delivered: true });
    expect(received.map(({ event }) => event)).toMatchObject([
      { type: "sealwright.test", source: "/v1/sys", subject: "ops", data: { sink: "ops" } },
    ]);
    answer.respond = (response) => response.writeHead(500).end(secret);
    expect(await test()).toEqual({
      delivered: false,
      failure: "the server returned status 500",
    });
    expect((await a.call("POST", "sys/events/sinks/none/test")).status).toBe(404);
  });

  it.each([
    ["https://localhost:9443/", "localhost is a name of this machine"],
    ["https://127.0.0.1/", "127.0.0.1 is a loopback address"],
    ["https://192.0.2.7/", "192.0.2.7 is a documentation address"],
    ["https://[::1]/", "::1 is a loopback address"],
    ["https://10.0.0.5/", ""],
    ["https://ops.example/", ""],
  ])("warn if the address of %s is never contacted", async (url, warning) => {
    const { a } = await receiving();
    const { json } = await put(a, "ops", { ...sink, url });
    const text = warning && `the sink gets no events: ${warning} and is not contacted`;
    expect(json["warnings"]).toBe(text);
  });

  it("receive no events from the time when they were disabled", async () => {
    const { a, received } = await receiving();
    await put(a, "ops");
    await put(a, "ops", { ...sink, enabled: false });
    await issue(a, "meanwhile.example");
    await put(a, "ops", { url: sink.url, types: [] });
    await later(a);
    expect(await read(a)).toMatchObject({ enabled: false });
    await put(a, "ops", { ...sink, enabled: true });
    await issue(a, "again.example");
    await later(a);
    await expect.poll(() => namesOf(received)).toEqual(["again.example"]);
  });
});

describe("an event", () => {
  it("has at most 64 KiB, even if the certificate has thousands of names", async () => {
    const { a, received } = await receiving();
    await put(a, "ops");
    const group = (n: number) => (0x1000 + n).toString(16);
    const ip_sans = Array.from(
      { length: 3000 },
      (_, n) => `2001:db8:${group(n)}:1111:2222:3333:4444:5555`,
    );
    await a.pki.issue({ role: "web", common_name: "a.example", ip_sans });
    await later(a);
    await delivered(a, 1);
    const [{ body, event } = { body: "", event: undefined }] = received;
    expect(body.length).toBeLessThanOrEqual(65_536);
    const data = event?.type === "sealwright.certificate.issued" ? event.data : undefined;
    expect(data?.names.length).toBeGreaterThan(500);
    expect((data?.names.length ?? 0) + (data?.names_omitted ?? 0)).toBe(3001);
  });
});

describe("delivery of events", () => {
  it("waits longer after each failure, loses nothing, and warns in sys/health", async () => {
    const { a, received, answer } = await receiving();
    await put(a, "ops");
    await issue(a, "a.example");
    answer.respond = (response) => response.writeHead(500).end();
    const tried: number[] = [];
    for (let tick = 0; tick < 150; tick++) {
      const before = received.length;
      await later(a);
      if (received.length > before) tried.push(tick);
    }
    const waits = tried.slice(1).map((at, n) => at - (tried[n] ?? 0));
    expect(waits).toEqual([...waits].sort((x, y) => x - y));
    expect([waits[0], waits.at(-1)]).toEqual([1, 60]);
    const failure = "the server returned status 500";
    expect(await read(a)).toMatchObject({ failure, waiting: 1, delivered: 0 });
    const health = await a.call("GET", "sys/health", undefined, { token: "" });
    expect(health.json["warnings"]).toEqual([
      "An event sink does not accept events; see sys/events/sinks for the reason",
    ]);
    expect(health.text).not.toContain("sink.example");
    answer.respond = (response) => response.writeHead(200).end();
    received.length = 0;
    await later(a, 600);
    await expect.poll(() => namesOf(received)).toEqual(["a.example"]);
    expect((await a.call("GET", "sys/health")).json["warnings"]).toBeUndefined();
    expect(new Set(received.map(({ event }) => event.id)).size).toBe(1);
  });

  it("skips an event that the receiver rejects, and repeats no other", async () => {
    const { a, received, answer } = await receiving();
    await put(a, "ops");
    const isBad = (one: Received) => namesOf([one])[0] === "bad.example";
    answer.respond = (response, got) => response.writeHead(isBad(got) ? 413 : 204).end();
    const names = Array.from({ length: 10 }, (_, n) => `n${n}.example`);
    for (const name of ["n0.example", "bad.example", ...names.slice(1)]) await issue(a, name);
    await later(a);
    await delivered(a, 10);
    await expect.poll(async () => (await later(a, 60), (await read(a))["waiting"])).toBe(0);
    expect(received.filter(isBad)).toHaveLength(5);
    expect(namesOf(received.filter((one) => !isBad(one))).toSorted()).toEqual(names);
    expect(await read(a)).toMatchObject({ delivered: 10, lost: 1 });
    const metrics = await a.call("GET", "sys/metrics?format=prometheus");
    expect(metrics.text).toContain('sealwright_event_sink_lost_events{sink="ops"} 1\n');
    expect(metrics.text).toContain('sealwright_event_sink_waiting_events{sink="ops"} 0\n');
    expect(await read(a)).not.toHaveProperty("failure");
  });

  it("to one sink does not wait for another that never responds", async () => {
    const { a, received, answer } = await receiving();
    await put(a, "dead", { ...sink, url: "https://sink.example/dead" });
    await put(a, "ops");
    answer.respond = (response, { path }) => {
      if (path !== "/dead") response.writeHead(204).end();
    };
    await issue(a, "a.example");
    await later(a);
    await delivered(a, 1);
    await issue(a, "b.example");
    await later(a);
    await delivered(a, 2);
    expect(namesOf(received.filter(({ path }) => path === "/events"))).toEqual([
      "a.example",
      "b.example",
    ]);
    expect(received.filter(({ path }) => path === "/dead")).toHaveLength(1);
    expect(await read(a, "dead")).toMatchObject({ waiting: 2, delivered: 0 });
  });

  it("ends with status 410, follows no redirect, and does not read response bodies", async () => {
    const { a, received, answer } = await receiving();
    await put(a, "ops");
    await issue(a, "a.example");
    answer.respond = (response) => response.writeHead(307, { location: "/elsewhere" }).end();
    await later(a);
    expect(await read(a)).toMatchObject({
      failure: "the server redirects, but redirects are not followed",
    });
    answer.respond = (response) => {
      response.writeHead(200);
      const more = () => void response.write(Buffer.alloc(65_536), () => setImmediate(more));
      more();
    };
    await later(a, 60);
    expect(await read(a)).toMatchObject({ delivered: 1, waiting: 0 });
    answer.respond = (response) => response.writeHead(410).end();
    await issue(a, "b.example");
    await later(a, 60);
    await expect.poll(async () => (await read(a))["enabled"]).toBe(false);
    const before = received.length;
    await later(a, 3600);
    expect(received).toHaveLength(before);
    expect(received.every(({ path }) => path === "/events")).toBe(true);
  });

  it.each(["127.0.0.1", "169.254.169.254", "::1"])(
    "never contacts %s, even if private networks are allowed",
    async (address) => {
      for (const privateNetworks of [false, true]) {
        const { a, at, dialled } = await receiving({ acme: { privateNetworks } });
        at.address = address;
        await put(a, "ops");
        await issue(a, "a.example");
        await later(a);
        expect(dialled).toEqual([]);
        expect(String((await read(a))["failure"])).toContain("is not contacted");
      }
    },
  );

  it("reports the number of dropped events to the sink, with one ID for all attempts, and continues", async () => {
    const { a, received, answer } = await receiving();
    await put(a, "ops");
    await a.ca.tick();
    const { uuid } = await a.sys.readMount({ path: "pki" });
    const drop = (count: number) => {
      const event = { id: "x", type: "sealwright.test", data: { sink: "x" } };
      const log = Array.from({ length: count }, () => ["event/", event, 100] as const);
      return a.stores(uuid).commit({ log });
    };
    await drop(400);
    answer.respond = (response) => response.writeHead(500).end();
    await later(a);
    await expect.poll(async () => (await read(a))["failure"]).toBeDefined();
    // more events are dropped before the marker is delivered
    await drop(300);
    answer.respond = (response) => response.writeHead(204).end();
    await expect.poll(async () => (await later(a), (await read(a))["waiting"])).toBe(0);
    const lost = received.flatMap(({ event }) =>
      event.type === "sealwright.events.lost" ? [event] : [],
    );
    expect(lost.map(({ subject }) => subject)).toEqual(["ops", "ops", "ops"]);
    expect(lost[1]).toEqual(lost[0]);
    expect(lost[2]?.id).not.toBe(lost[0]?.id);
    const sum = (lost[0]?.data.count ?? 0) + (lost[2]?.data.count ?? 0);
    expect(lost[0]?.data.count).toBeGreaterThanOrEqual(200);
    expect(received).toHaveLength(700 - sum + lost.length);
    expect(await read(a)).toMatchObject({ lost: sum, waiting: 0, delivered: 700 - sum });
  });

  it("waits for another engine that has claimed the sink, and takes over from one that crashed", async () => {
    const stores = memoryStore();
    const { a, received } = await receiving({ stores });
    await put(a, "ops");
    await issue(a, "a.example");
    const claim = async (seconds: number) =>
      stores("sys").commit({
        put: [["eventclaim/ops", { owner: "other", until: a.clock.now + seconds * 1000 }]],
      });
    await claim(45);
    await later(a);
    await later(a);
    expect(received).toHaveLength(0);
    await later(a, 30);
    await delivered(a, 1);
    expect(await stores("sys").get(["eventclaim/ops"])).toEqual([undefined]);
    // the clock of the other engine is ahead
    await issue(a, "b.example");
    await claim(3600);
    await later(a);
    await delivered(a, 2);
  });

  it("continues in the next round if the receiver is slow", async () => {
    const { a, received, answer } = await receiving();
    await put(a, "ops");
    for (let n = 0; n < 20; n++) await issue(a, `n${n}.example`);
    answer.respond = (response) => {
      a.clock.advance(3);
      response.writeHead(204).end();
    };
    await later(a);
    await delivered(a, 20);
    expect(received).toHaveLength(20);
    expect(await read(a)).toMatchObject({ waiting: 0, lost: 0 });
  });

  it("continues after a restart, and repeats events whose delivery was not stored", async () => {
    const stores = memoryStore();
    const { a, received } = await receiving({ stores });
    await put(a, "ops");
    await issue(a, "a.example");
    // the engine stops before it delivers
    const again = await receiver();
    const next = authority({ stores, clock: a.clock, ...again.ports });
    await later(next);
    expect(namesOf(received)).toEqual([]);
    await delivered(next, 1);
    expect(namesOf(again.received)).toEqual(["a.example"]);
    const [state] = await stores("sys").get(["eventstate/ops"]);
    const { uuid } = await a.sys.readMount({ path: "pki" });
    const before = { ...(state?.value as object), cursors: { [uuid]: 0 }, delivered: 0 };
    await stores("sys").commit({ put: [["eventstate/ops", before]] });
    await later(next);
    await delivered(next, 1);
    const ids = again.received.map(({ event }) => event.id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });
});
