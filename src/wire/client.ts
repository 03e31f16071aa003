import { CaError, type Refusal, refusals } from "../base/errors.ts";
import { fromUtf8, utf8 } from "../base/bytes.ts";
import { library } from "./dialect.ts";
import type { AnyEndpoint, Call, Client, Reply } from "./endpoint.ts";
import { parametersOf, spellings } from "./spelling.ts";

/** Carries a call to an authority and brings the reply back. */
export type Transport = (call: Call) => Promise<Reply>;
/** A refusal that an authority gave: its HTTP status and its texts. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly status: number;
  readonly errors: readonly string[];
  constructor(status: number, errors: readonly string[]) {
    super(errors.join("\n") || `the authority answered ${status}`);
    this.status = status;
    this.errors = errors;
  }
}

/** A typed client of the endpoints below `base` (such as `/v1/pki`) over any transport. Its methods throw `RefusedError`. */
export function client<const Es extends readonly AnyEndpoint[]>(endpoints: Es, base: string, send: Transport): Client<Es> {
  const methods = endpoints.map((endpoint) => [endpoint.id, (input: Readonly<Record<string, unknown>> = {}) => invoke(endpoint, base, send, input)] as const);
  // built from the same list that the type is built from
  return Object.fromEntries(methods) as unknown as Client<Es>;
}

async function invoke(endpoint: AnyEndpoint, base: string, send: Transport, input: Readonly<Record<string, unknown>>): Promise<unknown> {
  const [method, path] = spellingFor(endpoint, input);
  const names = parametersOf(path);
  const url = path.replace(/:(\w+)\+?/g, (_, name: string) => String(input[name]).split("/").map(encodeURIComponent).join("/"));
  const members = Object.entries(input).filter(([name, value]) => !names.includes(name) && value !== undefined);
  const writes = method === "POST" || method === "PATCH";
  const query = new URLSearchParams(writes ? [] : members.map(([name, value]) => [name, String(value)]));
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const reply = await send({
    method,
    path: base + url,
    query,
    header: (name) => (name.toLowerCase() === "content-type" ? type : null),
    body: writes ? utf8(JSON.stringify(Object.fromEntries(members))) : new Uint8Array(0),
    token: undefined,
    dialect: library,
  });
  return readReply(endpoint, reply);
}

/** The spelling with the most parameters that the input has values for. */
function spellingFor(endpoint: AnyEndpoint, input: Readonly<Record<string, unknown>>): readonly [method: string, path: string] {
  const fits = spellings(endpoint).filter(([, path]) => parametersOf(path).every((name) => input[name] !== undefined));
  const [best] = fits.toSorted(([, a], [, b]) => parametersOf(b).length - parametersOf(a).length);
  if (!best) throw new TypeError(`${endpoint.id} needs ${parametersOf(spellings(endpoint)[0]?.[1] ?? "").join(", ")}`);
  return best;
}

function readReply(endpoint: AnyEndpoint, reply: Reply): unknown {
  if (reply.status >= 400) throw new RefusedError(reply.status, errorsOf(reply.body));
  if (reply.body === null || reply.status === 204) return undefined;
  if (endpoint.style.name === "raw") return { type: reply.headers["content-type"] ?? "", bytes: typeof reply.body === "string" ? utf8(reply.body) : reply.body };
  const document = parseBody(reply.body);
  const { data = document, warnings } = document as { data?: unknown; warnings?: unknown };
  if (typeof data !== "object" || data === null) return data;
  const out: Record<string, unknown> = { ...data };
  // replies of other dialects print numbers as text: the fields read both
  for (const [name, field] of Object.entries(endpoint.reply)) if (out[name] !== undefined) out[name] = field.parse(out[name], name);
  const texts = typeof warnings === "string" ? warnings.split("\n").filter(Boolean) : warnings;
  return Array.isArray(texts) && texts.length ? { ...out, warnings: texts as readonly string[] } : out;
}
const parseBody = (body: Uint8Array | string): unknown => JSON.parse(typeof body === "string" ? body : fromUtf8(body));
function errorsOf(body: Reply["body"]): readonly string[] {
  if (body === null) return [];
  try {
    const { errors, detail } = parseBody(body) as { errors?: unknown; detail?: unknown };
    return Array.isArray(errors) ? errors.map((error: unknown) => (typeof error === "string" ? error : JSON.stringify(error))) : [String(detail ?? "")];
  } catch {
    return [];
  }
}

/** A transport over HTTP to an authority elsewhere: `url` is its address without a slash at the end; the token goes into `X-Service-Token`. */
export const httpTransport =
  (url: string, token: string | (() => string), send: typeof fetch = fetch): Transport =>
  async (call) => {
    const query = new URLSearchParams(call.query);
    if (call.method === "LIST") query.set("list", "true");
    const search = query.size ? `?${query}` : "";
    const writes = call.method === "POST" || call.method === "PATCH";
    const response = await send(`${url}${call.path}${search}`, {
      method: call.method === "LIST" ? "GET" : call.method,
      headers: { "x-service-token": typeof token === "string" ? token : token(), ...(writes ? { "content-type": call.header("content-type") ?? "" } : {}) },
      // bytes of our own, never shared memory
      ...(writes ? { body: call.body as BodyInit } : {}),
    });
    const body = response.status === 204 ? null : new Uint8Array(await response.arrayBuffer());
    return { status: response.status, headers: Object.fromEntries(response.headers), body };
  };
export { CaError, refusals, type Refusal };
