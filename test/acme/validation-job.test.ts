import type { Probe } from "../../src/acme/validation/host-decision.ts";
import { describe, expect, it } from "vitest";
import { acmeIndexes, acmeKeys, storedAcme } from "../../src/acme/rows/records.ts";
import { CaError } from "../../src/base/errors.ts";
import { mountKey } from "../../src/engine/mount-records.ts";
import {
  retryAfterOf,
  attemptTime,
  failChallenge,
} from "../../src/acme/validation/challenge-state.ts";
import type { Connection, Ports } from "../../src/engine/ports.ts";
import { acmeWorld, mountOver, page, settle, stalled, until } from "./validation-world.ts";
import { threadTime } from "../support/spent.ts";

/** The body of a temporarily unavailable server, for which another attempt may succeed. */
const busy = "busy";
type Dial = NonNullable<Ports["dial"]>;
/** Returns ports whose servers respond according to `Host`. */
function answering(answer: (host: string) => string | undefined): {
  readonly dial: Dial;
  readonly asked: string[];
} {
  const asked: string[] = [];
  return {
    asked,
    dial: async (_, signal) => {
      signal.throwIfAborted();
      let written = "";
      let told: (text: string) => void = () => undefined;
      const request = new Promise<string>((resolve) => (told = resolve));
      const inner = request.then((text) => {
        const host = /\r\nHost: ([^\r]+)/.exec(text)?.[1] ?? "";
        asked.push(host);
        const body = answer(host);
        return body === undefined ? stalled() : page(body, body === busy ? 503 : 200);
      });
      const readable = new ReadableStream<Uint8Array>({
        async start(controller) {
          const connection: Connection = await inner;
          for await (const part of connection.readable) controller.enqueue(part);
          controller.close();
        },
      });
      const writable = new WritableStream<Uint8Array>({
        write(bytes) {
          written += new TextDecoder().decode(bytes);
          told(written);
        },
      });
      return { readable, writable, close: () => undefined };
    },
  };
}

describe("the job acme-validation (B 5.10)", () => {
  it("B 5.10 statuses: immediately starts a challenge accepted by an engine whose clock is slightly ahead", async () => {
    const { dial } = answering(() => good);
    const w = await acmeWorld({ dial });
    const good = (await w.proof("a")).keyAuthorization;
    w.clock.advance(0.95);
    await w.order("acc", ["a"]);
    w.clock.advance(-0.05);
    await w.ca.tick();
    await until(async () => (await w.authz("a")).status === "valid");
  });

  it("B 5.10 statuses: makes accepted challenges and their authorizations valid for 15 days, and leaves nothing due", async () => {
    const { dial, asked } = answering(() => good);
    const w = await acmeWorld({ dial });
    const good = (await w.proof("a")).keyAuthorization;
    await w.order("acc", ["a"]);
    await w.ca.tick();
    await until(async () => (await w.authz("a")).status === "valid");
    const now = Math.floor(w.clock.now / 1000);
    expect(await w.authz("a")).toMatchObject({
      status: "valid",
      expires: now + 15 * 86_400,
      challenges: [{ status: "valid", validated: now, attempts: 0 }],
    });
    expect((await w.authz("a")).challenges[0]).not.toHaveProperty("due_ms");
    expect(await w.store.list("", { by: { name: acmeIndexes.due } })).toEqual([]);
    expect(asked).toEqual(["a.example"]);
  });

  it.each([
    [30, [5, 10, 5]],
    // the last attempt is due within the remaining time
    [31, [5, 10, 6]],
    [14, []],
    [15, [5]],
    [1, []],
    [100, [5, 10, 15, 20, 25, 15]],
    [200, [5, 10, 15, 20, 25, 30, 30, 30, 25]],
  ])("B 5.10 retries: with a challenge_timeout of %d s waits %j s", async (timeout, waits) => {
    const { dial } = answering(() => busy);
    const w = await acmeWorld({ dial });
    await w.call("POST", "pki/config/acme", { challenge_timeout: timeout });
    await w.order("acc", ["a"]);
    expect(await w.store.list("", { by: { name: acmeIndexes.orderOpen } })).toHaveLength(1);
    const seen: number[] = [];
    for (let k = 1; ; k++) {
      await w.ca.tick();
      await until(async () => (await w.authz("a")).challenges[0]?.attempts === k);
      const { status, challenges } = await w.authz("a");
      const due = challenges[0]?.due_ms;
      expect([status, challenges[0]?.status]).toEqual(
        due === undefined ? ["invalid", "invalid"] : ["pending", "processing"],
      );
      expect(challenges[0]?.error?.type).toBe("incorrectResponse");
      if (due === undefined) break;
      seen.push((due - w.clock.now) / 1000);
      // nothing happens before the attempt is due
      w.clock.now = due - 1;
      await w.ca.tick();
      await settle();
      expect((await w.authz("a")).challenges[0]?.attempts).toBe(k);
      w.clock.now = Math.ceil(due / 1000) * 1000;
    }
    expect(seen).toEqual(waits);
    // the order no longer counts as open
    expect(await w.store.list("", { by: { name: acmeIndexes.orderOpen } })).toEqual([]);
    expect(await w.store.list("", { by: { name: acmeIndexes.due } })).toEqual([]);
    const { detail } = (await w.authz("a")).challenges[0]?.error ?? {};
    expect(detail).toContain("a.example at 8.8.4.4");
  });

  it("B 5.10 permanent failures: a wrong response makes the challenge invalid at the first attempt", async () => {
    const { dial, asked } = answering(() => "another text");
    const w = await acmeWorld({ dial });
    await w.order("acc", ["a"]);
    await w.ca.tick();
    await until(async () => (await w.authz("a")).status === "invalid");
    expect((await w.authz("a")).challenges[0]).toMatchObject({
      status: "invalid",
      attempts: 1,
      error: { type: "incorrectResponse" },
    });
    expect(asked).toHaveLength(1);
  });

  it("B 5.10 error while retrying: shows the error of the first attempt until a permanent failure replaces it", async () => {
    const answers = ["refused", busy, "another text"];
    const { dial } = answering(() => answers[0]);
    const w = await acmeWorld({
      dial: (to, signal) =>
        answers[0] === "refused" ? Promise.reject(new Error("refused")) : dial(to, signal),
    });
    await w.order("acc", ["a"]);
    for (const [k, type] of [
      [1, "connection"],
      [2, "connection"],
      [3, "incorrectResponse"],
    ] as const) {
      await w.ca.tick();
      await until(async () => (await w.authz("a")).challenges[0]?.attempts === k);
      expect((await w.authz("a")).challenges[0]?.error?.type).toBe(type);
      answers.shift();
      w.clock.advance(5 * k);
    }
    expect((await w.authz("a")).status).toBe("invalid");
  });

  it("gives a row of an earlier version the full time from its next failure", () => {
    const now = 1_800_000_000_000;
    const challenge = { type: "http-01", token: "t", status: "processing", attempts: 6 } as const;
    const fault = new CaError("connection", "refused");
    const row = storedAcme.authz({ status: "pending", challenges: [challenge] });
    const changed = failChallenge(row, { type: "http-01", fault, timeout: 60 }, now);
    expect(changed.row.challenges[0]).toMatchObject({ accepted_ms: now, due_ms: now + 30_000 });
    const last = failChallenge(changed.row, { type: "http-01", fault, timeout: 60 }, now + 50_000);
    expect(last.row.status).toBe("invalid");
  });

  it.each([
    ["at once", 0, 30, 30_000],
    ["later", 12, 30, 18_000],
    ["after it waited for its turn", 25, 30, 10_000],
    ["long after", 600, 30, 10_000],
    ["with little time in all", 3, 5, 5000],
    ["by a clock that was ahead", -3600, 30, 30_000],
  ])("B 5.10 attempt time: limits an attempt that begins %s", (_, after, timeout, time) => {
    const accepted_ms = 1_800_000_000_000;
    const challenge = { type: "http-01", token: "t", status: "processing", attempts: 0 } as const;
    expect(attemptTime({ ...challenge, accepted_ms }, timeout, accepted_ms + after * 1000)).toBe(
      time,
    );
  });

  it("retries on time although other validations begin meanwhile, and gives each a time limit", async () => {
    const { dial } = answering((host) => (host.startsWith("stall") ? undefined : busy));
    const w = await acmeWorld({ dial });
    await w.order("acc", ["a"]);
    await w.ca.tick();
    await until(async () => (await w.authz("a")).challenges[0]?.attempts === 1);
    const due = (await w.authz("a")).challenges[0]?.due_ms ?? 0;
    for (const id of ["b", "stall1", "stall2"]) {
      w.clock.advance(1);
      await w.order("acc", [id]);
      await w.ca.tick();
    }
    const jobs = await w.jobs("acme-validation");
    expect(jobs.some((at) => at >= due && at < due + 1000)).toBe(true);
    expect(jobs.some((at) => at > w.clock.now + 15_000 && at <= w.clock.now + 40_000)).toBe(true);
    w.clock.now = due + 1000;
    await w.ca.tick();
    await until(async () => (await w.authz("a")).challenges[0]?.attempts === 2);
  });

  it("uses the current configuration, even if another engine has just changed it", async () => {
    const { dial, asked } = answering(() => busy);
    const w = await acmeWorld({ dial });
    await w.ca.tick();
    const [row] = await w.store.get(["config/acme"]);
    const value = { ...(row?.value as object), challenge_excluded_ip_ranges: ["8.8.0.0/16"] };
    await w.store.commit({ epoch: "next", put: [["config/acme", value]] });
    await w.order("acc", ["a"]);
    await w.ca.tick();
    await until(async () => (await w.authz("a")).challenges[0]?.attempts === 1);
    expect(asked).toEqual([]);
  });

  it.each([61, 75, 3 * 3600])(
    "continues after a clock that was ahead by %d s is corrected before the next attempt",
    async (ahead) => {
      const answers = [busy];
      const { dial } = answering(() => answers[0]);
      const w = await acmeWorld({ dial });
      await w.order("acc", ["a"]);
      await w.ca.tick();
      await until(async () => (await w.authz("a")).challenges[0]?.attempts === 1);
      answers[0] = (await w.proof("a")).keyAuthorization;
      w.clock.advance(-ahead);
      expect(retryAfterOf(await w.authz("a"), w.clock.now)).toBe(1);
      await w.ca.tick();
      await until(async () => (await w.authz("a")).status === "valid");
    },
  );

  it("removes the error when the challenge becomes valid", async () => {
    let isRight = false;
    const { dial } = answering(() => (isRight ? good : busy));
    const w = await acmeWorld({ dial });
    const good = (await w.proof("a")).keyAuthorization;
    await w.order("acc", ["a"]);
    await w.ca.tick();
    await until(async () => (await w.authz("a")).challenges[0]?.attempts === 1);
    isRight = true;
    w.clock.advance(6);
    await w.ca.tick();
    await until(async () => (await w.authz("a")).status === "valid");
    expect((await w.authz("a")).challenges[0]).not.toHaveProperty("error");
  });

  it("returns immediately while servers stall, so that CRLs are built meanwhile", async () => {
    const w = await acmeWorld({ dial: async () => stalled() });
    await w.order(
      "acc",
      Array.from({ length: 20 }, (_, at) => `n${at}`),
    );
    await w.role("web");
    const { serial_number } = await w.pki.issue({ role: "web", common_name: "b.example" });
    await w.ca.tick();
    await w.pki.revoke({ serial_number });
    const list = async () => (await w.call("GET", "pki/crl/pem")).text;
    const revoked = await list();
    w.clock.advance(71 * 3600);
    await w.ca.tick();
    expect((await w.authz("n0")).challenges[0]?.status).toBe("processing");
    expect(await list()).not.toBe(revoked);
  });

  it("starts no validation twice concurrently, however often it runs (security row 44)", async () => {
    const { dial, asked } = answering(() => undefined);
    const w = await acmeWorld({ dial });
    await w.order("acc", ["a", "b"]);
    for (let run = 0; run < 5; run++) {
      await w.ca.tick();
      await w.ca.run(w.uuid, "acme-validation", "due");
      await settle();
      w.clock.advance(61);
    }
    expect(asked.sort()).toEqual(["a.example", "b.example"]);
  });

  it("B 5.10 restart: another engine over the same rows resumes what a crashed one started", async () => {
    const gone = await acmeWorld({ dial: async () => stalled() });
    await gone.order("acc", ["a"]);
    await gone.ca.tick();
    await settle();
    const { dial } = answering(() => good);
    const good = (await gone.proof("a")).keyAuthorization;
    const { authority } = await import("../support/authority.ts");
    const next = authority({
      stores: gone.stores,
      clock: gone.clock,
      dial,
      resolve: async ({ type }) => (type === "A" ? ["8.8.4.4"] : []),
    });
    const due = await next.ca.tick();
    expect(due).toBeDefined();
    gone.clock.now = due ?? 0;
    await next.ca.tick();
    await until(async () => (await gone.authz("a")).status === "valid");
  });

  it("B 5.10 restart: schedules its next run even if the configuration changes while validations start", async () => {
    const w = await acmeWorld({ dial: async () => stalled() });
    await w.order("acc", ["a"]);
    const commit = w.store.commit.bind(w.store);
    w.store.commit = async (batch) => {
      if (batch.put?.some(([key]) => key.includes("/acme-validation/"))) {
        w.store.commit = commit;
        const [row] = await w.store.get([mountKey]);
        await commit({ epoch: "next", put: [[mountKey, row?.value]] });
      }
      return commit(batch);
    };
    await w.ca.tick();
    await settle();
    const jobs = await w.store.list("job/", { values: false });
    expect(jobs.filter(([key]) => key.includes("/acme-validation/"))).toHaveLength(1);
  });

  it.each([
    ["the account was deactivated", acmeKeys.account("acc"), { status: "deactivated" }],
    ["the order has expired", acmeKeys.order("a"), { expires: 1 }],
  ])("discards a result if %s meanwhile", async (_, key, change) => {
    let answer: (connection: Connection) => void = () => undefined;
    const w = await acmeWorld({ dial: () => new Promise((resolve) => (answer = resolve)) });
    await w.order("acc", ["a"]);
    await w.ca.tick();
    await settle();
    const [row] = await w.store.get([key]);
    const value = { ...(row?.value as object), ...change };
    await w.store.commit({ put: [[key, value]] });
    answer(page((await w.proof("a")).keyAuthorization));
    await until(async () => (await w.authz("a")).status !== "pending");
    expect((await w.authz("a")).status).toBe("invalid");
    expect(await w.store.list("", { by: { name: acmeIndexes.due } })).toEqual([]);
  });

  it("B 5.10 attempt time: an attempt that exceeds its time fails with connection", async () => {
    const w = await acmeWorld({ dial: async () => stalled() });
    await w.order("acc", ["a"]);
    const { attempt } = await import("../../src/acme/validation/attempt.ts");
    const ca = mountOver(w.store, { dial: async () => stalled(), now: () => w.clock.now });
    const stop = new AbortController();
    const ended = attempt(ca, { id: "a", account: "acc", order: "a" }, stop.signal);
    await settle();
    stop.abort(new DOMException("took too long", "TimeoutError"));
    await (
      await ended
    )();
    expect((await w.authz("a")).challenges[0]).toMatchObject({
      status: "processing",
      attempts: 1,
      error: { type: "connection", detail: "the validation took too long" },
    });
  });

  it("discards a result if the authorization was deactivated meanwhile", async () => {
    let answer: (connection: Connection) => void = () => undefined;
    const w = await acmeWorld({ dial: () => new Promise((resolve) => (answer = resolve)) });
    await w.order("acc", ["a"]);
    await w.ca.tick();
    await settle();
    const row = { ...(await w.authz("a")), status: "deactivated" } as const;
    await w.store.commit({ put: [[acmeKeys.authz("a"), row]] });
    answer(page((await w.proof("a")).keyAuthorization));
    await settle(30);
    expect(await w.authz("a")).toEqual(row);
  });

  it("fails the attempt without dialling while ACME is disabled", async () => {
    const { dial, asked } = answering(() => busy);
    const w = await acmeWorld({ dial });
    await w.order("acc", ["a"]);
    await w.call("POST", "pki/config/acme", { enabled: false });
    await w.ca.tick();
    await until(async () => (await w.authz("a")).challenges[0]?.attempts === 1);
    expect(asked).toEqual([]);
    expect((await w.authz("a")).challenges[0]?.error).toEqual({
      type: "serverInternal",
      detail: "ACME is disabled",
    });
  });

  it("logs an internal error without revealing it to the client", async () => {
    const w = await acmeWorld({
      dial: async () => stalled(),
      resolve: () => {
        throw new TypeError("a defect with secrets");
      },
    });
    await w.order("acc", ["a"]);
    await w.ca.tick();
    await until(async () => (await w.authz("a")).challenges[0]?.attempts === 1);
    expect((await w.authz("a")).challenges[0]?.error).toEqual({
      type: "serverInternal",
      detail: "the validation failed because of an internal error",
    });
    expect(w.events.some(({ endpoint }) => endpoint === "job acme-validation")).toBe(true);
  });

  it("retries after a failed commit", async () => {
    const { dial } = answering(() => good);
    const w = await acmeWorld({ dial });
    const good = (await w.proof("a")).keyAuthorization;
    await w.order("acc", ["a"]);
    const { store } = w;
    const commit = store.commit.bind(store);
    let fails = true;
    store.commit = async (batch) => {
      if (fails && batch.put?.some(([key]) => key === acmeKeys.authz("a"))) {
        throw new CaError("storage", "the disk is full");
      }
      return commit(batch);
    };
    await w.ca.tick();
    await until(() => w.events.some(({ status }) => status === 500));
    expect((await w.authz("a")).status).toBe("pending");
    fails = false;
    w.clock.advance(121);
    await w.ca.tick();
    await until(async () => (await w.authz("a")).status === "valid");
  });
});

describe("fairness of validations", () => {
  const ids = (name: string, count: number) =>
    Array.from({ length: count }, (_, at) => `${name}-${at}`);

  it.each([
    ["500 stalled targets of one account", 1, 500],
    ["30,000 stalled targets of one account", 1, 30_000],
    ["500 stalled targets over fifty accounts", 50, 10],
  ])(
    "%s do not delay the validation of another account, which needs little CPU time",
    async (_, accounts, each) => {
      const { dial, asked } = answering((host) => (host.startsWith("good") ? good : undefined));
      const w = await acmeWorld({ dial });
      const good = (await w.proof("good")).keyAuthorization;
      for (let at = 0; at < accounts; at++) await w.order(`bad${at}`, ids(`bad${at}`, each));
      await w.ca.tick();
      await until(() => asked.length >= Math.min(10 * accounts, 50));
      w.clock.advance(1);
      // the wait for a slot is tested in validation-slots.test.ts with a fake clock
      const before = threadTime();
      await w.order("zz", ["good"]);
      await w.ca.tick();
      await until(async () => (await w.authz("good")).status === "valid");
      expect(threadTime() - before).toBeLessThan(1000);
    },
  );

  it("many due validations use few jobs, which leaves room for those of CRLs", async () => {
    const w = await acmeWorld({ dial: async () => stalled() });
    for (let second = 0; second < 300; second++) {
      await w.order("acc", ids(`s${second}`, 10));
      w.clock.advance(0.01);
    }
    expect((await w.jobs("acme-validation")).length).toBeLessThanOrEqual(4);
  });
});

describe("a runtime that cannot dial", () => {
  const questions: Probe[] = [];
  const challenger = (answer: (probe: Probe) => Promise<void>) => (probe: Probe) => {
    questions.push(probe);
    return answer(probe);
  };

  it.each([
    ["http-01", "http://a.example/.well-known/acme-challenge/token-axxxxxxxxxxxxxxxxxxxxx"],
    ["dns-01", "_acme-challenge.a.example"],
    ["tls-alpn-01", "a.example:443"],
  ] as const)(
    "lets its host validate %s, with the request it would have made",
    async (type, asked) => {
      questions.length = 0;
      const w = await acmeWorld({ challenger: challenger(async () => undefined) });
      await w.order("acc", ["a"], type);
      await w.ca.tick();
      await until(async () => (await w.authz("a")).status === "valid");
      expect(questions).toMatchObject([
        { type, asked, identifier: { type: "dns", value: "a.example" } },
      ]);
      const { keyAuthorization } = await w.proof("a");
      expect(questions[0]?.expected).toMatch(
        type === "http-01"
          ? keyAuthorization
          : type === "dns-01"
            ? /^[\w-]{43}$/
            : /^[0-9a-f]{64}$/,
      );
    },
  );

  it("treats a rejection by the host as permanent, with its reason", async () => {
    const w = await acmeWorld({
      challenger: challenger(async () => {
        throw new CaError("incorrect_response", "the operator said no");
      }),
    });
    await w.order("acc", ["a"]);
    await w.ca.tick();
    await until(async () => (await w.authz("a")).status === "invalid");
    expect((await w.authz("a")).challenges[0]).toMatchObject({
      status: "invalid",
      attempts: 1,
      error: { type: "incorrectResponse", detail: "the operator said no" },
    });
  });

  it("waits for many decisions concurrently and requests each once", async () => {
    questions.length = 0;
    const w = await acmeWorld({ challenger: challenger(() => new Promise(() => undefined)) });
    await w.order(
      "acc",
      Array.from({ length: 15 }, (_, at) => `n${at}`),
    );
    for (let run = 0; run < 3; run++) {
      await w.ca.tick();
      await settle();
      w.clock.advance(61);
    }
    expect(questions).toHaveLength(15);
  });

  it("reports a missing resolver if it can only dial, and does not retry", async () => {
    const dial = () => Promise.reject(new Error("not to be dialled"));
    // undefined stands for the default, which is no resolver; the types exclude it
    const w = await acmeWorld({ dial, resolve: undefined as never });
    await w.order("acc", ["a"]);
    await w.ca.tick();
    await until(async () => (await w.authz("a")).challenges[0]?.error !== undefined);
    expect((await w.authz("a")).challenges[0]).toMatchObject({
      status: "invalid",
      error: {
        type: "serverInternal",
        detail: "no DNS resolver is configured; cannot resolve a.example",
      },
    });
  });

  it("reports that it cannot validate if no challenger is configured", async () => {
    const w = await acmeWorld({});
    await w.order("acc", ["a"]);
    await w.ca.tick();
    await until(async () => (await w.authz("a")).status === "invalid");
    expect((await w.authz("a")).challenges[0]?.error).toEqual({
      type: "connection",
      detail: "this server cannot open connections, and no `challenger` is configured",
    });
  });

  it("still queries DNS for dns-01 if it has a resolver", async () => {
    const w = await acmeWorld({
      resolve: async ({ name, type }) =>
        type === "TXT" && name === "_acme-challenge.a.example" ? ["x", text] : [],
    });
    const { digestText } = await import("../../src/acme/validation/proof.ts");
    const text = digestText(await w.proof("a"));
    await w.order("acc", ["a"], "dns-01");
    await w.ca.tick();
    await until(async () => (await w.authz("a")).status === "valid");
    expect(storedAcme.authz(await w.authz("a")).challenges[0]?.status).toBe("valid");
  });
});
