import { pageHeaders } from "./policy.ts";
import type { Assets } from "./bindings.ts";

/** Serves the page and its files below `/demo/`, with the security headers of the page. */
export async function servePage(request: Request, url: URL, assets: Assets | undefined): Promise<Response> {
  if (!assets) return new Response("the page is not part of this deployment\n", { status: 404 });
  if (url.pathname === "/demo") return Response.redirect(new URL("/demo/", url).href, 302);
  const file = url.pathname === "/demo/" ? "/demo/index.html" : url.pathname;
  const answer = await assets.fetch(new Request(new URL(file, url), { method: request.method, headers: request.headers }));
  const headers = new Headers(answer.headers);
  for (const [name, value] of Object.entries(pageHeaders(file === "/demo/connect.html" ? "connect" : "index"))) headers.set(name, value);
  if (file.endsWith("/sw.js")) headers.set("service-worker-allowed", "/demo/");
  return new Response(answer.body, { status: answer.status, headers });
}
