import { createCa, memoryStore, type Identity } from "../src/index.ts";
import { atLeast, atMost, cpuOf, figure, median, round } from "./figures.ts";
import { medianOf, ratio, roundsOf, type Kind } from "./kinds.ts";
import { liveBytes } from "./live-bytes.ts";
import { post } from "./load.ts";
import { startSubject } from "./server.ts";

const policy = (name: string): string =>
  `path "pki/issue/${name}" { capabilities = ["update"] }\npath "pki/sign/${name}" { capabilities = ["update"] }\n`;
const [tokens, policies] = [10_000, 1000];

/** A function that writes a policy or creates a token. Resolves with the token, if any. */
type Send = (path: string, body: unknown) => Promise<string>;
/** Returns the token in a response, or "" if it contains none. */
async function tokenIn(response: Response): Promise<string> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${text.slice(0, 300)}`);
  const document: { auth?: { client_token: string } } = text === "" ? {} : JSON.parse(text);
  return document.auth?.client_token ?? "";
}

/**
 * Measures the cost of tokens, policies and the audit log: for issuing over HTTP, and with many
 * tokens in this process.
 */
export async function benchTokens(length: {
  readonly seconds: number;
  readonly rounds: number;
}): Promise<void> {
  await overHttp(length);
  await audited(length);
  await inProcess();
}

async function overHttp(length: {
  readonly seconds: number;
  readonly rounds: number;
}): Promise<void> {
  const server = await startSubject();
  try {
    const send: Send = async (path, body) =>
      tokenIn(
        await fetch(`${server.url}/v1/${path}`, {
          method: "POST",
          headers: { "x-vault-token": server.token, "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
      );
    await send("sys/policies/acl/issuing", { policy: policy("web") });
    const tokenFields = { policies: ["issuing"], ttl: "10h" };
    const [service, batch] = [
      await send("auth/token/create", tokenFields),
      await send("auth/token/create", { ...tokenFields, type: "batch" }),
    ];
    let drawn = 0;
    const issuing = (token: string): Kind => ({
      server,
      connections: 32,
      request: () =>
        post(
          "/v1/pki/issue/web",
          token,
          JSON.stringify({ common_name: `t${drawn++}.example.com` }),
        ),
    });
    const kinds = { root: issuing(server.token), service: issuing(service), batch: issuing(batch) };
    const seen = await roundsOf(kinds, length);
    for (const name of Object.keys(kinds))
      figure(`issue with a ${name} token`, `${round(medianOf(seen, name, ({ rps }) => rps))}/s`);
    for (const name of ["service", "batch"]) {
      const cpu = ratio(seen, name, "root", (one) => one.cpu);
      figure(`issue with a ${name} token: CPU time relative to the root token`, round(cpu));
      atLeast(
        `issue with a ${name} token, relative to the root token`,
        ratio(seen, name, "root", ({ rps }) => rps),
        0.85,
      );
    }
  } finally {
    await server.stop();
  }
}

async function audited(length: {
  readonly seconds: number;
  readonly rounds: number;
}): Promise<void> {
  const servers = [await startSubject({ env: { AUDIT: "false" } }), await startSubject()] as const;
  try {
    let drawn = 0;
    const kindOf = (server: (typeof servers)[number]): Kind => ({
      server,
      connections: 32,
      request: () => {
        const body = JSON.stringify({ common_name: `a${drawn++}.example.com` });
        return post("/v1/pki/issue/web", server.token, body);
      },
    });
    const seen = await roundsOf(
      { without: kindOf(servers[0]), audited: kindOf(servers[1]) },
      length,
    );
    const cpu = ratio(seen, "audited", "without", (one) => one.cpu);
    figure("issue with audit: CPU time, relative to one without", round(cpu));
    const rates = ratio(seen, "audited", "without", ({ rps }) => rps);
    atLeast("issue with audit, relative to one without", rates, 0.75);
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function inProcess(): Promise<void> {
  const root: Identity = { id: "root", policies: ["root"], can: () => true };
  // the clock stands still, so that all reads are cached at the same time and stay fresh
  const now = Date.now();
  const ca = createCa({
    stores: memoryStore(),
    now: () => now,
    authenticate: async (token) => (token === "root" ? root : undefined),
  });
  const ask = (path: string, token: string, body?: unknown): Promise<Response> =>
    ca.fetch(
      new Request(`http://ca.test/v1/${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { "x-vault-token": token },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  const send: Send = async (path, body) => tokenIn(await ask(path, "root", body));
  for (let n = 0; n < policies; n++)
    await send(`sys/policies/acl/p${n}`, { policy: policy(`r${n}`) });
  const made: string[] = [];
  for (let n = 0; n < tokens; n++)
    made.push(
      await send("auth/token/create", {
        policies: [`p${n % policies}`, `p${(n * 7 + 1) % policies}`],
        ttl: "10h",
      }),
    );
  const each = async (tokenOf: (n: number) => string): Promise<number> => {
    // measure CPU time, which excludes other load on the machine
    const used = await cpuOf(async () => {
      for (let n = 0; n < tokens; n++) await ask("auth/token/lookup-self", tokenOf(n));
    });
    return used / tokens;
  };
  await each(() => "root");
  const before = liveBytes();
  await each((n) => made[n] ?? "");
  const usedMiB = (liveBytes() - before) / 2 ** 20;
  const rounds: number[] = [];
  for (let n = 0; n < 5; n++)
    rounds.push((await each((at) => made[at] ?? "")) - (await each(() => "root")));
  atMost(`${tokens} tokens and ${policies} policies: memory`, usedMiB, 20, "MiB");
  atMost("the same: CPU time they add to a request", median(rounds), 50, "us");
}
