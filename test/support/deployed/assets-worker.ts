import { mediaTypes } from "../../../src/host/media-types.ts";

interface Env {
  /** workerd's directory service, rooted at the built console. */
  readonly FILES: { fetch(url: string): Promise<Response> };
}

const types: Readonly<Record<string, string>> = {
  ...mediaTypes,
  br: "application/octet-stream",
  gz: "application/gzip",
};

/**
 * Stands in for static assets as `wrangler.toml` configures them (`html_handling = "none"`): exact
 * paths only, with a media type and an ETag, which the directory service lacks.
 */
export default {
  async fetch(request: Request, { FILES }: Env): Promise<Response> {
    const { pathname } = new URL(request.url);
    const path = pathname.startsWith("/demo/") ? pathname.slice("/demo".length) : "";
    const type = types[path.slice(path.lastIndexOf(".") + 1)];
    const file = type === undefined ? undefined : await FILES.fetch(`http://files${path}`);
    if (type === undefined || !file?.ok) return new Response("Not Found", { status: 404 });
    const bytes = await file.arrayBuffer();
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const etag = `"${digest.slice(0, 16).join("-")}"`;
    const headers = { ETag: etag, "Cache-Control": "public, max-age=0, must-revalidate" };
    if (request.headers.get("If-None-Match")?.replace("W/", "") === etag)
      return new Response(null, { status: 304, headers });
    return new Response(request.method === "HEAD" ? null : bytes, {
      headers: { ...headers, "Content-Type": type, "Content-Length": String(bytes.byteLength) },
    });
  },
};
