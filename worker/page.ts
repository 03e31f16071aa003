import type { Address } from "../src/base/address.ts";
import { pageHeaders } from "./policy.ts";
import type { Assets } from "./bindings.ts";

/** What every answer over HTTPS says: that this host is asked over HTTPS only (RFC 6797). */
export const headersFor = (url: Pick<Address, "protocol">): Record<string, string> =>
  url.protocol === "https:" ? { "strict-transport-security": "max-age=31536000" } : {};

/** Leads to another path of the same origin, whatever host the request named. */
export const redirect = (path: string, url: Pick<Address, "protocol">): Response =>
  new Response(null, { status: 302, headers: { location: path, ...headersFor(url) } });

/** Serves the page and its files below `/demo/`, with the security headers of the page. */
export async function servePage(
  request: Request,
  url: Address,
  assets: Assets | undefined,
): Promise<Response> {
  if (!assets)
    return new Response("the page is not part of this deployment\n", {
      status: 404,
      headers: headersFor(url),
    });
  if (url.pathname === "/demo") return redirect(`/demo/${url.search}`, url);
  const file = url.pathname === "/demo/" ? "/demo/index.html" : url.pathname;
  const answer = await assets.fetch(
    new Request(url.origin + file, { method: request.method, headers: request.headers }),
  );
  const headers = new Headers(answer.headers);
  const own = {
    ...pageHeaders(file === "/demo/connect.html" ? "connect" : "index"),
    ...headersFor(url),
  };
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  if (file === "/demo/index.html" && answer.status === 200) return servedIndex(answer, headers);
  if (file.endsWith("/sw.js")) headers.set("service-worker-allowed", "/demo/");
  return new Response(answer.body, { status: answer.status, headers });
}

/**
 * The page, told that it comes from a Worker: it opens on that one. Files of a static host stay a
 * page of the browser's own authority.
 */
async function servedIndex(answer: Response, headers: Headers): Promise<Response> {
  const html = await answer.text();
  headers.delete("content-length");
  return new Response(
    html === "" ? null : html.replace('data-page="index"', 'data-page="worker"'),
    { headers },
  );
}
