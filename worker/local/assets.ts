/**
 * The worker that stands in for static assets in a local deployment, as source text for the
 * runtime's configuration: the runtime's file service knows no content types and would list
 * directories.
 */
export const assetsWorker = `
const types = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  json: "application/json",
  map: "application/json",
  webmanifest: "application/manifest+json",
  txt: "text/plain; charset=utf-8",
  png: "image/png",
  ico: "image/x-icon",
  woff2: "font/woff2",
  wasm: "application/wasm",
};

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
    const file = await env.FILES.fetch("http://files" + path, { method: request.method });
    if (!file.ok) return plain(404, "Not Found");
    const headers = new Headers({
      "Content-Type": type,
      "Cache-Control": "public, max-age=0, must-revalidate",
    });
    for (const name of ["Content-Length", "Last-Modified"])
      if (file.headers.has(name)) headers.set(name, file.headers.get(name));
    const modified = headers.get("Last-Modified");
    const unchanged = modified !== null && request.headers.get("If-Modified-Since") === modified;
    if (!unchanged) return new Response(file.body, { headers });
    await file.body?.cancel();
    headers.delete("Content-Length");
    return new Response(null, { status: 304, headers });
  },
};
`;
