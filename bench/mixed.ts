import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** The URL of a server, and its tokens. */
export interface Target {
  readonly url: string;
  readonly token: string;
  readonly varsToken: string;
}
/** A value that only one caller writes: the last acknowledged value, and the last value sent. */
interface Register {
  readonly name: string;
  stored: number;
  sent: number;
}
/** The acknowledged changes, and the defects found. */
export interface Acknowledged {
  /** Certificates by serial number. `revoked` has the times of revocation. */
  readonly issued: Map<string, string>;
  readonly revoked: Map<string, string>;
  /** Maximum lifetimes of roles (seconds) and values of variables, one of each per caller. */
  readonly roles: readonly Register[];
  readonly variables: readonly Register[];
  /** Digests of the CRLs that were read, by CRL number. */
  readonly lists: Map<number, string>;
  /** Serial numbers that have not been checked yet. */
  readonly unread: Set<string>;
  /** Request IDs of acknowledged changes whose audit events have not been checked yet. */
  readonly unaudited: Set<string>;
  /** Numbers of the audit events that were read, by store and log. */
  readonly events: Map<string, Set<number>>;
  /** Time at which audit events were last checked, in Unix seconds. */
  eventsSince: number;
  /** Number of acknowledged requests, by kind. */
  readonly counts: Record<string, number>;
  readonly defects: string[];
}

/** Returns a seeded generator of numbers from 0 to 1, excluding 1 (xorshift). */
export function chance(seed: number): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

interface CallResult {
  readonly status: number;
  /** ID of the request, as in its audit event; empty if the response contains none. */
  readonly id: string;
  readonly bytes: Buffer;
  readonly data: Record<string, unknown>;
}

/**
 * Sends one request. Returns undefined if the outcome is unknown: the connection broke, or the
 * status was 502 or above.
 */
async function call(
  target: Target,
  method: string,
  path: string,
  body?: unknown,
): Promise<CallResult | undefined> {
  const vars = path.startsWith("/api/");
  const headers = vars
    ? { authorization: `Bearer ${target.varsToken}`, "content-type": "application/vnd.api+json" }
    : { "x-vault-token": target.token };
  try {
    const answer = await fetch(target.url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (answer.status >= 502) return undefined;
    const json =
      bytes.length > 0 && answer.headers.get("content-type")?.includes("json") === true
        ? JSON.parse(bytes.toString("utf8"))
        : {};
    const id = answer.headers.get("x-request-id") ?? String(json.request_id ?? "");
    return { status: answer.status, id, bytes, data: json.data ?? {} };
  } catch {
    return undefined;
  }
}

/** Sends a request that must succeed. */
async function callOrFail(
  target: Target,
  method: string,
  path: string,
  body?: unknown,
): Promise<CallResult> {
  const answer = await call(target, method, path, body);
  if (answer === undefined || answer.status >= 300)
    throw new Error(
      `${method} ${path}: ${answer?.status ?? "no answer"} ${answer?.bytes.toString("utf8").slice(0, 300) ?? ""}`,
    );
  return answer;
}

const idOf = ({ data }: CallResult): string => String(data["id"]);
const roleOf = (maximum: number) => ({
  allowed_domains: "example.com",
  allow_subdomains: true,
  key_type: "ec",
  ttl: "1h",
  max_ttl: maximum,
});
/** Minimum value of a role's lifetime, which is above the lifetimes of the certificates. */
const base = 10_000;

/** Creates a CA in a mount with partitions, and a role and a variable for each caller. */
export async function prepareMixed(
  target: Target,
  callers: number,
  partitions = 1,
): Promise<Acknowledged> {
  // replaces the unused mount that the initialization created
  if (partitions > 1)
    await callOrFail(target, "POST", "/v1/sys/mounts/pki", {
      type: "pki",
      config: { partitions, max_lease_ttl: "87600h" },
    });
  await callOrFail(target, "POST", "/v1/pki/root/generate/internal", {
    common_name: "Bench Root",
    key_type: "ec",
    ttl: "87600h",
  });
  const workspace = idOf(
    await callOrFail(target, "POST", "/api/v2/organizations/default/workspaces", {
      data: { type: "workspaces", attributes: { name: "mixed" } },
    }),
  );
  const [roles, variables]: [Register[], Register[]] = [[], []];
  for (let i = 0; i < callers; i++) {
    await callOrFail(target, "POST", `/v1/pki/roles/r${i}`, roleOf(base));
    roles.push({ name: `/v1/pki/roles/r${i}`, stored: base, sent: base });
    const attributes = { key: `k${i}`, value: String(base), category: "env" };
    const id = idOf(
      await callOrFail(target, "POST", `/api/v2/workspaces/${workspace}/vars`, {
        data: { type: "vars", attributes },
      }),
    );
    variables.push({
      name: `/api/v2/workspaces/${workspace}/vars/${id}`,
      stored: base,
      sent: base,
    });
  }
  return {
    issued: new Map(),
    revoked: new Map(),
    roles,
    variables,
    lists: new Map(),
    unread: new Set(),
    unaudited: new Set(),
    events: new Map(),
    eventsSince: Math.floor(Date.now() / 1000),
    counts: {},
    defects: [],
  };
}

/** The kind of requests that change nothing and cause no audit event. */
const readKind = "CRLs read";

/** A function that sends a caller's next request and reports whether it was acknowledged. */
type Step = (target: Target, told: Acknowledged, caller: number) => Promise<boolean>;

function acknowledged(
  told: Acknowledged,
  kind: string,
  answer: CallResult | undefined,
): answer is CallResult {
  if (answer === undefined) return false;
  if (answer.status >= 300)
    told.defects.push(`${kind}: ${answer.status} ${answer.bytes.toString("utf8").slice(0, 300)}`);
  else {
    told.counts[kind] = (told.counts[kind] ?? 0) + 1;
    if (kind !== readKind && answer.id !== "") told.unaudited.add(answer.id);
  }
  return answer.status < 300;
}

const issue: Step = async (target, told, caller) => {
  const answer = await call(target, "POST", `/v1/pki/issue/r${caller}`, {
    common_name: "www.example.com",
  });
  if (!acknowledged(told, "certificates", answer)) return false;
  const serial = String(answer.data["serial_number"]);
  if (told.issued.has(serial)) told.defects.push(`serial number ${serial} was issued twice`);
  told.issued.set(serial, String(answer.data["certificate"]));
  told.unread.add(serial);
  return true;
};
const revoke: Step = async (target, told, caller) => {
  const issued = await issue(target, told, caller);
  const serial = [...told.issued.keys()].at(-1);
  if (!issued || serial === undefined) return issued;
  const answer = await call(target, "POST", "/v1/pki/revoke", { serial_number: serial });
  if (!acknowledged(told, "revocations", answer)) return false;
  told.revoked.set(serial, String(answer.data["revocation_time_rfc3339"]));
  told.unread.add(serial);
  return true;
};
const writing =
  (kind: "roles" | "variables"): Step =>
  async (target, told, caller) => {
    const register = told[kind][caller];
    if (register === undefined) return false;
    register.sent++;
    const [method, body] =
      kind === "roles"
        ? ["POST", roleOf(register.sent)]
        : ["PATCH", { data: { type: "vars", attributes: { value: String(register.sent) } } }];
    if (!acknowledged(told, kind, await call(target, method, register.name, body))) return false;
    register.stored = register.sent;
    return true;
  };
const readList: Step = async (target, told) => {
  const answer = await call(target, "GET", "/v1/pki/crl");
  if (!acknowledged(told, readKind, answer)) return false;
  noteList(told, answer.bytes);
  return true;
};

/** Returns the CRL number (RFC 5280 section 5.2.3) of a DER CRL. */
function numberOf(list: Buffer): number {
  const at = list.indexOf(Buffer.from("0603551d1404", "hex"));
  const length = list[at + 8] ?? 0;
  return at < 0 ? Number.NaN : list.readUIntBE(at + 9, length);
}

function noteList(told: Acknowledged, list: Buffer): number {
  const number = numberOf(list);
  const digest = createHash("sha256").update(list).digest("hex");
  const known = told.lists.get(number);
  if (known !== undefined && known !== digest)
    told.defects.push(`two CRLs with the number ${number}`);
  told.lists.set(number, digest);
  return number;
}

function stepBy(part: number): Step {
  if (part < 0.55) return issue;
  if (part < 0.75) return revoke;
  if (part < 0.85) return writing("roles");
  return part < 0.95 ? writing("variables") : readList;
}

/** The controls for a stretch of load. */
export interface Stretch {
  readonly next: () => number;
  /**
   * Called before each request. The caller stops if this returns false, and after a request with an
   * unknown outcome.
   */
  goOn(): boolean;
  /** Called after each acknowledged request. */
  done(): void;
}

/**
 * Runs callers that issue, revoke, write and read in turn until the stretch ends. Each caller has
 * its own role and variable.
 */
export async function mixedLoad(
  target: Target,
  told: Acknowledged,
  stretch: Stretch,
): Promise<void> {
  const one = async (caller: number): Promise<void> => {
    while (stretch.goOn()) {
      if (!(await stepBy(stretch.next())(target, told, caller))) return;
      stretch.done();
    }
  };
  await Promise.all(told.roles.map((_, caller) => one(caller)));
}

/**
 * Reads back everything acknowledged since the last check (with `all`: since the start), and
 * records each difference as a defect.
 */
export async function checkAcknowledged(
  target: Target,
  told: Acknowledged,
  all = false,
): Promise<void> {
  const serials = (all ? told.issued : told.unread).keys();
  const lane = async (): Promise<void> => {
    for (const serial of serials) await checkCertificate(target, told, serial);
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  told.unread.clear();
  for (const role of told.roles)
    checkRegister(told, role, Number((await callOrFail(target, "GET", role.name)).data["max_ttl"]));
  for (const variable of told.variables) {
    const { data } = await callOrFail(target, "GET", variable.name);
    checkRegister(told, variable, Number((data["attributes"] as { readonly value: string }).value));
  }
  await checkList(target, told);
}

async function checkCertificate(target: Target, told: Acknowledged, serial: string): Promise<void> {
  const { data } = await callOrFail(target, "GET", `/v1/pki/cert/${serial}`);
  if (String(data["certificate"]).trim() !== told.issued.get(serial)?.trim())
    told.defects.push(`certificate ${serial} was lost or changed`);
  const at = told.revoked.get(serial);
  if (at !== undefined && data["revocation_time_rfc3339"] !== at)
    told.defects.push(`the revocation of ${serial} was lost`);
}

/**
 * Records a defect if a value is neither the last acknowledged value nor the last sent one, which
 * may or may not be stored.
 */
function checkRegister(told: Acknowledged, register: Register, value: number): void {
  if (value !== register.stored && value !== register.sent)
    told.defects.push(
      `${register.name}: ${value} instead of ${register.stored} or ${register.sent}`,
    );
  register.stored = value;
  register.sent = Math.max(register.sent, value);
}

async function checkList(target: Target, told: Acknowledged): Promise<void> {
  const before = Math.max(-1, ...told.lists.keys());
  const served = noteList(told, (await callOrFail(target, "GET", "/v1/pki/crl")).bytes);
  if (served < before) told.defects.push(`CRL ${served} is served after CRL ${before}`);
  await callOrFail(target, "GET", "/v1/pki/crl/rotate");
  const { bytes } = await callOrFail(target, "GET", "/v1/pki/crl");
  if (noteList(told, bytes) <= before)
    told.defects.push(`a new CRL has the number ${numberOf(bytes)} after ${before}`);
  const missing = [...told.revoked.keys()].filter(
    (serial) => !bytes.includes(Buffer.from(serial.replaceAll(":", ""), "hex")),
  );
  if (missing.length > 0)
    told.defects.push(
      `${missing.length} revoked certificates are not on the CRL, such as ${missing[0] ?? ""}`,
    );
}

/** An audit event, as listed in the audit log. */
interface ListedEvent {
  readonly request: string;
  readonly number: number;
  readonly store: string;
  readonly log: string;
}

/**
 * Records a defect for each acknowledged change without an audit event, and for each number that is
 * missing in a log. Works only within the number of events that a log retains.
 */
export async function checkEvents(target: Target, told: Acknowledged): Promise<void> {
  const since = told.eventsSince;
  told.eventsSince = Math.floor(Date.now() / 1000);
  const limit = 1000;
  for (let after = ""; ;) {
    const path = `/v1/sys/audit/events?list=true&limit=${limit}&since=${since}&after=${after}`;
    const { data } = await callOrFail(target, "GET", path);
    const events = Object.values(data["key_info"] as Readonly<Record<string, ListedEvent>>);
    for (const { request, number, store, log } of events) {
      told.unaudited.delete(request);
      const name = `${store} ${log}`;
      const numbers = told.events.get(name) ?? new Set();
      told.events.set(name, numbers.add(number));
    }
    const keys = data["keys"] as readonly string[];
    after = keys.at(-1) ?? "";
    if (keys.length < limit) break;
  }
  if (told.unaudited.size > 0)
    told.defects.push(
      `${told.unaudited.size} changes have left no audit event, such as request ${[...told.unaudited][0] ?? ""}`,
    );
  told.unaudited.clear();
  for (const [name, numbers] of told.events)
    if (Math.max(...numbers) - Math.min(...numbers) >= numbers.size)
      told.defects.push(`an audit event is missing among the ${numbers.size} of ${name}`);
}

/** Returns the size of the largest write-ahead log under a directory (MiB). */
export function maxLogMiB(dataDir: string): number {
  let max = 0;
  for (const name of readdirSync(dataDir)) {
    if (!name.endsWith("-wal")) continue;
    max = Math.max(max, statSync(join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0);
  }
  return max / 2 ** 20;
}
