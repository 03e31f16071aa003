import { describeCause, jsonLine, levelOf, type LogLevel } from "../../src/host/log-line.ts";
import type { CaOptions, LogEvent } from "../../src/index.ts";

/** The output streams of a log, and its clock (Unix ms). */
interface LogOutput {
  stdout(line: string): void;
  stderr(line: string): void;
  /** Whether a user reads stdout. */
  readonly isTerminal: boolean;
  now(): number;
}

/** A function that logs an event of the server in one sentence, with its cause, if any. */
export type Report = (level: "error" | "warn", sentence: string, cause?: unknown) => void;

/** The log of one process of the server. */
export interface ServerLog {
  /** The authority's options for logging requests. */
  readonly requests: Pick<CaOptions, "log" | "logFrom">;
  readonly report: Report;
  /**
   * Prints the start banner, or a line before it: with `LOG=json` as one JSON line, except on a
   * terminal.
   */
  announce(text: string): void;
}

const consoleOutput: LogOutput = {
  stdout: (line) => console.log(line),
  stderr: (line) => console.error(line),
  isTerminal: process.stdout.isTTY,
  now: Date.now,
};

/** Minimum HTTP status of the requests that each level logs. */
const minStatus: Readonly<Record<LogLevel, number>> = { info: 0, warn: 400, error: 500 };

/**
 * Returns the log that LOG and LOG_LEVEL configure. Failed requests and reports always go to
 * stderr, other requests to stdout.
 */
export function serverLog(
  { LOG, LOG_LEVEL }: Readonly<Record<string, string>>,
  output: LogOutput = consoleOutput,
): ServerLog {
  const lineOf = LOG === "json" ? jsonLine : textLine;
  const logFrom = minStatus[LOG ? readLevel(LOG_LEVEL) : "error"];
  const log = (event: LogEvent): void => {
    const level = levelOf(event);
    if (level === "error") output.stderr(lineOf(event));
    else if (minStatus[level] >= logFrom) output.stdout(lineOf(event));
  };
  const report: Report = (level, sentence, cause) => {
    const time = new Date(output.now()).toISOString();
    const because = cause === undefined ? {} : { cause: describeCause(cause) };
    if (LOG === "json")
      return output.stderr(JSON.stringify({ level, time, message: sentence, ...because }));
    const text = [sentence, ...Object.values(because)].join(" ");
    output.stderr(LOG ? `${time} ${level} ${text}` : text);
  };
  const announce = (text: string): void => {
    const time = new Date(output.now()).toISOString();
    const isJson = LOG === "json" && !output.isTerminal;
    output.stdout(isJson ? JSON.stringify({ level: "info", time, message: text }) : text);
  };
  return { requests: { log, logFrom }, report, announce };
}

/** Parses a log level that `requireValidSettings` has accepted. The default is `info`. */
const readLevel = (text: string | undefined): LogLevel =>
  text === "error" || text === "warn" ? text : "info";

/**
 * Formats a request as one line of text: time, level, method, endpoint, status and the other
 * fields.
 */
function textLine(event: LogEvent): string {
  const { endpoint, status, time = 0, ms, cause, fields = {}, ...others } = event;
  const { method = "-", ...notes } = fields;
  const because = cause === undefined ? {} : { cause: describeCause(cause) };
  const rest = Object.entries({ ...others, ...notes, ...because });
  return [
    new Date(time).toISOString(),
    levelOf(event),
    method,
    endpoint,
    status,
    `${ms}ms`,
    ...rest.map(([name, value]) => `${name}=${wordOf(value)}`),
  ].join(" ");
}

/** Quotes a value that is not a plain word, so that it cannot look like another field or line. */
function wordOf(value: string | number | boolean): string {
  const text = String(value);
  return /^[\w.:/@+%-]+$/.test(text) ? text : JSON.stringify(text);
}
