import { mediaTypes } from "../../src/host/media-types.ts";

/**
 * The worker that stands in for static assets in a local deployment, as source text for the
 * runtime's configuration: the runtime's file service knows no content types and would list
 * directories.
 */
export const assetsWorker = `
const types = ${JSON.stringify({
  ...mediaTypes,
  br: "application/octet-stream",
  gz: "application/gzip",
})};

const plain = (status, text, headers = {}) =>
  new Response(text, { status, headers: { "Content-Type": types.txt, ...headers } });

export default {
  async fetch(request, env) {
    if (request.method !== "GET" && request.method !== "HEAD")
      return plain(405, "Method Not Allowed", { Allow: "GET, HEAD" });
    const url = new URL(request.url);
    if (url.pathname === "/demo")
      return new Response(null, { status: 307, headers: { Location: "/demo/" + url.search } });
    if (!url.pathname.startsWith("/demo/")) return plain(404, "Not Found");
    const index = url.pathname.endsWith("/") ? "index.html" : "";
    const path = url.pathname.slice("/demo".length) + index;
    const type = types[path.slice(path.lastIndexOf(".") + 1)];
    if (type === undefined) return plain(404, "Not Found");
    const file = await env.FILES.fetch("http://files" + path);
    if (!file.ok) return plain(404, "Not Found");
    const bytes = await file.arrayBuffer();
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const etag = '"' + digest.slice(0, 16).toHex() + '"';
    const headers = { ETag: etag, "Cache-Control": "public, max-age=0, must-revalidate" };
    const known = (request.headers.get("If-None-Match") ?? "").split(",").map((each) => each.trim());
    if (known.some((each) => each === "*" || each.replace("W/", "") === etag))
      return new Response(null, { status: 304, headers });
    return new Response(request.method === "HEAD" ? null : bytes, {
      headers: { ...headers, "Content-Type": type, "Content-Length": String(bytes.byteLength) },
    });
  },
};
`;
