import { Session, type Profiler } from "node:inspector/promises";
import { pathToFileURL } from "node:url";
import { createCa, memoryStore, type Ca } from "../src/index.ts";
import { root } from "../server/build/build-page.ts";
import { Client, csrFor, type Send } from "./acme-flows.ts";
import { seeded } from "../test/support/authority.ts";
import { figure } from "./figures.ts";
import { isGiven } from "./flags.ts";

/** Maximum numbers of files and functions of `src` that a warm call may execute. */
interface WalkLimits {
  readonly files: number;
  readonly functions: number;
}
const limits = {
  issue: { files: 60, functions: 300 },
  revoke: { files: 68, functions: 328 },
  finalize: { files: 82, functions: 384 },
  "role read": { files: 28, functions: 84 },
} as const satisfies Readonly<Record<string, WalkLimits>>;
type Walk = keyof typeof limits;

const folder = pathToFileURL(`${root}/src/`).href;
const origin = "http://ca.example.com";
const warmCalls = 3;
const now = Date.UTC(2026, 0, 1);

/**
 * Prints the number of files and functions of `src` that a warm issuance, revocation, ACME
 * finalization and role read execute, as counted by V8's precise coverage. `--rooms` also prints
 * the counts for each folder, and `--functions` the names of the functions.
 */
export async function benchWalk(): Promise<void> {
  // fixed time and random numbers, because the age of caches and the length of random numbers
  // affect the counts
  const ca = createCa({
    stores: memoryStore(),
    now: () => now,
    random: seeded(1),
    authenticate: async (token) =>
      token === "root" ? { id: "root", policies: ["root"], can: () => true } : undefined,
    challenger: async () => undefined,
  });
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  const walked = async <T>(walk: Walk, call: () => Promise<T>): Promise<T> => {
    const recording = { callCount: true, detailed: true };
    await session.post("Profiler.startPreciseCoverage", recording);
    const done = await call();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    await session.post("Profiler.stopPreciseCoverage");
    report(walk, result);
    return done;
  };
  await ca.pki.generateRoot({ common_name: "Root", key_type: "ec", ttl: "720h" });
  await ca.pki.writeRole({ name: "web", allow_any_name: true, key_type: "ec", max_ttl: "72h" });
  await walkApi(ca, walked);
  await walkFinalize(ca, walked);
  session.disconnect();
}

type Walked = <T>(walk: Walk, call: () => Promise<T>) => Promise<T>;
async function walkApi(ca: Ca, walked: Walked): Promise<void> {
  const send = async (path: string, body?: object): Promise<string> => {
    const response = await ca.fetch(
      new Request(`${origin}/v1/pki/${path}`, {
        method: body ? "POST" : "GET",
        headers: { "x-service-token": "root", "content-type": "application/json" },
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
    );
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return text;
  };
  const issue = () => send("issue/web", { common_name: "host.example.com" });
  const serialNumber = async (): Promise<string> =>
    /"serial_number":"([^"]+)"/.exec(await issue())?.[1] ?? "";
  const read = () => send("roles/web");
  for (let i = 0; i < warmCalls; i++) {
    await send("revoke", { serial_number: await serialNumber() });
    await read();
  }
  await walked("issue", issue);
  const serial_number = await serialNumber();
  await walked("revoke", () => send("revoke", { serial_number }));
  await walked("role read", read);
}
async function walkFinalize(ca: Ca, walked: Walked): Promise<void> {
  const base = `${origin}/v1/pki`;
  await ca.pki.writeCluster({ path: base });
  await ca.pki.writeAcmeConfig({ enabled: true, challenge_permitted_ip_ranges: ["192.0.2.0/24"] });
  let finalized = 0;
  const send: Send = async (url, body) => {
    const headers = { "content-type": "application/jose+json" };
    const request = new Request(
      url,
      body === undefined ? { method: "HEAD" } : { method: "POST", body, headers },
    );
    const call = () => ca.fetch(request);
    const response =
      url.endsWith("/finalize") && ++finalized > warmCalls
        ? await walked("finalize", call)
        : await call();
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text: await response.text(),
    };
  };
  const address = "192.0.2.1";
  const client = new Client(send, {
    base: `${base}/acme`,
    address,
    csr: await csrFor(ca, address),
  });
  await client.register();
  for (let i = 0; i <= warmCalls; i++) await client.flow();
}

/** Returns the names of a file's functions that were executed, without the module itself. */
const functionsOf = ({ functions }: Profiler.ScriptCoverage): readonly string[] =>
  functions
    .filter(({ functionName, ranges: [range] }) =>
      Boolean(range && range.count > 0 && (functionName !== "" || range.startOffset > 0)),
    )
    .map(
      ({ functionName, ranges: [{ count } = { count: 0 }] }) =>
        `${functionName || "(anonymous)"}${count > 1 ? `*${count}` : ""}`,
    );
function report(walk: Walk, scripts: readonly Profiler.ScriptCoverage[]): void {
  const files = scripts
    .filter(({ url }) => url.startsWith(folder))
    .map((script) => ({ path: script.url.slice(folder.length), names: functionsOf(script) }))
    .filter(({ names }) => names.length > 0)
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const count = (of: typeof files): number => of.reduce((sum, { names }) => sum + names.length, 0);
  const roomOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));
  const rooms = [...new Set(files.map(({ path }) => roomOf(path)))];
  const { files: maxFiles, functions: maxFunctions } = limits[walk];
  figure(
    `${walk}: files and functions that a warm call executes`,
    `${files.length} and ${count(files)}, in ${rooms.length} rooms`,
    `<= ${maxFiles} and ${maxFunctions}`,
    files.length <= maxFiles && count(files) <= maxFunctions,
  );
  for (const room of isGiven("rooms") ? rooms : []) {
    const own = files.filter(({ path }) => roomOf(path) === room);
    console.log(`         ${room.padEnd(20)} ${own.length} and ${count(own)}`);
  }
  for (const { path, names } of isGiven("functions") ? files : [])
    console.log(`         ${path.padEnd(34)} ${names.join(" ")}`);
}
