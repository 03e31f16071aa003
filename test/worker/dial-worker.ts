import { DurableObject } from "cloudflare:workers";
import { dial } from "../../worker/dial.ts";
import { resolverOf, type DnsEnv } from "../../src/host/resolve.ts";

interface Told {
  readonly text?: string;
  readonly aborted?: boolean;
  readonly error?: string;
  readonly name?: string;
  readonly failed?: string;
}
const told = new Map<string, Told | string>();

const text = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

/** Dials, writes a line and reads to the end. */
async function talk(id: string, address: string, port: number): Promise<Told> {
  const controller = new AbortController();
  try {
    const connection = await dial({ address, port }, controller.signal);
    told.set(id, "connected");
    await connection.writable.getWriter().write(Uint8Array.from([104, 105, 10]));
    let all = "";
    for await (const part of connection.readable) {
      all += text(part);
      told.set(id, `got ${all}`);
      if (all.endsWith("enough")) break;
      if (all.endsWith("half")) setTimeout(() => controller.abort(new Error("late")));
    }
    connection.close();
    connection.close();
    return { text: all, aborted: controller.signal.aborted };
  } catch (error) {
    return errorOf(error);
  }
}

function errorOf(error: unknown): Told {
  if (!(error instanceof Error)) return { error: String(error) };
  return {
    error: error.message,
    name: error.name,
    ...("failed" in error ? { failed: String(error.failed) } : {}),
  };
}

/** Resolves a name, with the nameserver of the environment or of the query. */
async function resolved(env: DnsEnv, query: URLSearchParams): Promise<readonly string[] | Told> {
  const dns = query.get("dns");
  const name = query.get("name") ?? "";
  try {
    const type = query.get("type") === "TXT" ? "TXT" : "A";
    const resolve = resolverOf(dns === null ? env : (JSON.parse(dns) as DnsEnv), dial);
    return await resolve({ name, type }, AbortSignal.timeout(10_000));
  } catch (error) {
    return errorOf(error);
  }
}

/** Dials on request, inside an object or outside. */
export class MountObject extends DurableObject<DnsEnv> {
  async fetch(request: Request): Promise<Response> {
    return answer(this.env, new URL(request.url));
  }
}

async function answer(env: DnsEnv, { pathname, searchParams }: URL): Promise<Response> {
  if (pathname === "/resolve") return Response.json(await resolved(env, searchParams));
  const id = searchParams.get("id") ?? "";
  const [address, port] = [searchParams.get("address") ?? "", Number(searchParams.get("port"))];
  if (pathname === "/talk") return Response.json(await talk(id, address, port));
  // continues after the response
  if (pathname === "/begin") void talk(id, address, port).then((how) => told.set(id, how));
  return Response.json(told.get(id) ?? null);
}

interface Env extends DnsEnv {
  readonly MOUNT: {
    idFromName(name: string): unknown;
    get(id: unknown): { fetch(url: string): Promise<Response> };
  };
}
export default {
  fetch(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url);
    return url.searchParams.has("inside")
      ? env.MOUNT.get(env.MOUNT.idFromName("a")).fetch(request.url)
      : answer(env, url);
  },
};
