import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { announceBuild } from "../../server/build/announced-build.ts";
import { serverLog } from "../../server/process/server-log.ts";
import type { LogEvent } from "../../src/index.ts";
import { builtServer } from "../support/built.ts";
import { pinnedNode, surroundings, temporaryDirectory } from "../support/server.ts";

const now = Date.UTC(2026, 10, 28, 4, 5, 6, 789);
const time = "2026-11-28T04:05:06.789Z";
const issued: LogEvent = {
  endpoint: "issue",
  status: 200,
  time: now,
  ms: 3,
  request: "r-1",
  mount: "pki",
  caller: "root",
  fields: { method: "POST", dialect: "documented" },
};
const rejected: LogEvent = { ...issued, status: 400, refusal: "unknown_role" };
/** Also a rejection, despite its status 500 in the compat dialect. */
const unknown: LogEvent = { ...issued, status: 500, refusal: "unknown_issuer" };
const failed: LogEvent = { ...issued, status: 503, refusal: "storage" };
const defect: LogEvent = { ...issued, status: 500, cause: { what: "a\nb" } };

function logTo(variables: Record<string, string>, isTerminal = false) {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const log = serverLog(variables, {
    stdout: (line) => void stdout.push(line),
    stderr: (line) => void stderr.push(line),
    isTerminal,
    now: () => now,
  });
  return { stdout, stderr, ...log };
}
function logged(variables: Record<string, string>, ...events: readonly LogEvent[]) {
  const { stdout, stderr, requests, report } = logTo(variables);
  for (const event of events) if (event.status >= (requests.logFrom ?? 0)) requests.log?.(event);
  return { stdout, stderr, report };
}
const text = "POST issue";
const about = "request=r-1 mount=pki caller=root";

describe("the log of the server", () => {
  it("without LOG has only failed requests, on stderr", () => {
    for (const level of ["info", "warn", "error"]) {
      const { stdout, stderr } = logged(
        { LOG_LEVEL: level },
        issued,
        rejected,
        unknown,
        failed,
        defect,
      );
      expect(stdout).toEqual([]);
      expect(stderr).toEqual([
        `${time} error ${text} 503 3ms ${about} refusal=storage dialect=documented`,
        `${time} error ${text} 500 3ms ${about} dialect=documented cause=${JSON.stringify('{"what":"a\\nb"}')}`,
      ]);
    }
  });

  it("as text has a line per request with an RFC 3339 time", () => {
    const { stdout, stderr } = logged({ LOG: "text" }, issued, rejected, unknown, failed);
    expect(stdout).toEqual([
      `${time} info ${text} 200 3ms ${about} dialect=documented`,
      `${time} warn ${text} 400 3ms ${about} refusal=unknown_role dialect=documented`,
      `${time} warn ${text} 500 3ms ${about} refusal=unknown_issuer dialect=documented`,
    ]);
    expect(stderr).toHaveLength(1);
  });

  it("as text quotes values that could look like another line or field", () => {
    const { stdout } = logged({ LOG: "text" }, { ...issued, caller: "a b=c\nd\u001b[31m" });
    expect(stdout.join("\n")).toContain(String.raw`caller="a b=c\nd\u001b[31m"`);
    expect(stdout.join("")).not.toMatch(/\p{Cc}/u);
  });

  it("as JSON has an object per request with an RFC 3339 time", () => {
    const { stdout, stderr } = logged({ LOG: "json" }, issued, defect);
    expect(stdout.map((line) => JSON.parse(line) as unknown)).toEqual([{ ...issued, time }]);
    expect(stderr.map((line) => JSON.parse(line) as unknown)).toEqual([
      { ...defect, time, cause: '{"what":"a\\nb"}' },
    ]);
  });

  it.each([
    ["info", 3, 1],
    ["warn", 2, 1],
    ["error", 0, 1],
  ])("at LOG_LEVEL=%s has requests of this severity and above", (LOG_LEVEL, out, err) => {
    for (const LOG of ["text", "json"]) {
      const events = [issued, rejected, unknown, failed];
      const { stdout, stderr } = logged({ LOG, LOG_LEVEL }, ...events);
      expect([stdout.length, stderr.length]).toEqual([out, err]);
    }
  });

  it("has the server's own errors and warnings on stderr in each form, at any level", () => {
    const lines = [{}, { LOG: "text" }, { LOG: "json" }].map((variables) => {
      const { stdout, stderr, report } = logged({ ...variables, LOG_LEVEL: "error" });
      report("warn", "The disk is full.");
      report("error", "Jobs failed.", "why");
      expect(stdout).toEqual([]);
      return stderr;
    });
    expect(lines).toEqual([
      ["The disk is full.", 'Jobs failed. "why"'],
      [`${time} warn The disk is full.`, `${time} error Jobs failed. "why"`],
      [
        `{"level":"warn","time":"${time}","message":"The disk is full."}`,
        `{"level":"error","time":"${time}","message":"Jobs failed.","cause":"\\"why\\""}`,
      ],
    ]);
  });

  it("as JSON contains the banner as one line, except on a terminal", () => {
    const banners = (["text", "json"] as const).flatMap((LOG) =>
      [false, true].map((isTerminal) => {
        const { announce, stdout } = logTo({ LOG }, isTerminal);
        announce("Sealwright serves\n  page");
        return stdout;
      }),
    );
    const text = ["Sealwright serves\n  page"];
    expect(banners).toEqual([
      text,
      text,
      [`{"level":"info","time":"${time}","message":"Sealwright serves\\n  page"}`],
      text,
    ]);
  });

  it("shows before the banner that the console is being built, and how long that took", async () => {
    const { announce, stdout } = logTo({ LOG: "json" });
    let at = now;
    const build = async (): Promise<void> => {
      expect(stdout).toHaveLength(1);
      at += 3420;
    };
    await announceBuild(build, announce, () => at);
    expect(stdout.map((line) => JSON.parse(line) as unknown)).toEqual(
      ["Building the console. This takes a few seconds.", "Built the console in 3.4 s."].map(
        (message) => ({ level: "info", time, message }),
      ),
    );
  });

  it("begins after the banner, which prints no token outside a terminal", async () => {
    const env = { ...surroundings, PORT: "0", DATA_DIR: temporaryDirectory() };
    const server = spawn(pinnedNode(), [await builtServer(), "serve"], {
      env: { ...env, WORKERS: "2", LOG: "text", DEMO_DIR: temporaryDirectory() },
      stdio: ["ignore", "pipe", "pipe"],
    });
    try {
      let [stdout, stderr] = ["", ""];
      server.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
      server.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
      const greeted = /^Sealwright serves (\S+)$[^]*issue\/web$/m;
      await expect.poll(() => stdout).toMatch(greeted);
      const [, url = ""] = greeted.exec(stdout) ?? [];
      const answer = await fetch(`${url}/v1/sys/none`);
      const id = answer.headers.get("x-request-id") ?? "none";
      await expect.poll(() => stdout).toContain(id);
      const line = stdout.split("\n").find((line) => line.includes(id));
      expect(line).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z warn GET none 403 \d+ms /);
      expect(stdout).not.toMatch(/\b[sv]\.[\w-]{20}/);
      expect(stderr).toBe("");
    } finally {
      server.kill("SIGTERM");
      await once(server, "close");
    }
  });
});
