import { addressOf, type Address } from "../src/base/address.ts";
import type { Ca } from "../src/index.ts";
import { varsApi } from "../src/vars/index.ts";
import { mountObject } from "./object.ts";
import { peerOf } from "./peer.ts";
import { headersFor, redirect, servePage } from "./page.ts";
import { streamed } from "./stream.ts";
import { NotConfigured, objectCa, workerCa, type Env } from "./ports.ts";

export type { Env } from "./ports.ts";

/** The object that holds one store: rows, jobs and an alarm. */
export class MountObject extends mountObject<Env>((env, name, store) => {
  const ca = objectCa(env, name, store);
  return { tick: () => ca.tickStore(name), run: (kind, id) => ca.run(name, kind, id) };
}) {}

// an isolate has one environment: what it read may serve its later requests
let made: { readonly env: Env; readonly ca: Ca; readonly origins: readonly string[] } | undefined;
function madeOf(env: Env): { readonly ca: Ca; readonly origins: readonly string[] } {
  if (made?.env !== env) made = { env, ca: workerCa(env), origins: originsOf(env) };
  return made;
}

const originsOf = (env: Env): readonly string[] =>
  (env.ALLOWED_ORIGINS ?? "")
    .split(",")
    .map((origin) => origin.trim())
    .filter(Boolean);

const isApi = (path: string): boolean =>
  /^\/(?:v1|\.well-known\/est)\//.test(path) || varsApi.answers(path);

/**
 * The Worker: the API below `/v1`, EST's own paths, the variables API below `/api/v2`, the page
 * below `/demo/`.
 */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const url = addressOf(request.url);
    if (isApi(url.pathname)) return api(request, url, env);
    if (url.pathname === "/demo" || url.pathname.startsWith("/demo/"))
      return servePage(request, url, env.ASSETS);
    if (url.pathname === "/") return redirect("/demo/", url);
    return Response.json({ errors: [] }, { status: 404, headers: headersFor(url) });
  },
};

async function api(request: Request, url: Address, env: Env): Promise<Response> {
  try {
    const { ca, origins } = madeOf(env);
    return await ca.fetch(request, {
      url,
      allowedOrigins: origins,
      peer: peerOf(request),
      stream: streamed,
    });
  } catch (error) {
    if (!(error instanceof NotConfigured)) throw error;
    return Response.json(
      { errors: [`this deployment is not configured: ${error.message}`] },
      { status: 503, headers: headersFor(url) },
    );
  }
}
