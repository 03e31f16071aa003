import { parseRequestUrl } from "../src/base/request-url.ts";
import { headersFor, redirect, servePage } from "../src/host/page.ts";
import { deployment, type Env } from "./ports.ts";

export type { Env } from "./ports.ts";

/** The Durable Object that contains one store: its rows, its jobs and an alarm. */
export class MountObject extends deployment.MountObject {}

/**
 * The Worker, which serves the API at `/v1`, EST at its own paths, the variables API at `/api/v2`
 * and the console at `/demo/`.
 */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const url = parseRequestUrl(request.url);
    if (deployment.answers(url.pathname)) return deployment.fetch(request, env);
    if (url.pathname === "/demo" || url.pathname.startsWith("/demo/"))
      return servePage(request, url, env.ASSETS);
    if (url.pathname === "/") return redirect("/demo/", url);
    return Response.json({ errors: [] }, { status: 404, headers: headersFor(url) });
  },
};
