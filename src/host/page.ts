import type { RequestUrl } from "../base/request-url.ts";
import { pageHeaders } from "./page-policy.ts";
import { mediaTypes } from "./media-types.ts";

/** The binding for static files. */
export interface Assets {
  fetch(request: Request): Promise<Response>;
}

/** Returns the HSTS header (RFC 6797) for HTTPS, and no header for HTTP. */
export const headersFor = (url: Pick<RequestUrl, "protocol">): Record<string, string> =>
  url.protocol === "https:" ? { "strict-transport-security": "max-age=31536000" } : {};

/**
 * Returns a redirect to another path of the same origin, regardless of the host name in the
 * request.
 */
export const redirect = (path: string, url: Pick<RequestUrl, "protocol">): Response =>
  new Response(null, { status: 302, headers: { location: path, ...headersFor(url) } });

/** Matches file names that contain a hash of the content. */
const hashed = /-[0-9A-Z]{8}\.[a-z]+$/;

/**
 * Returns the file path for a URL path under `/demo/`. The path of the page itself is mapped to the
 * page for Workers.
 */
const fileOf = (path: string): string =>
  path.replace(/^\/demo\/(?:index\.html)?$/, "/demo/worker.html");

/**
 * Serves the console page and its files under `/demo/`, compressed if the client accepts that, and
 * with the security headers of the page. Files whose names contain a hash may be cached forever.
 */
export async function servePage(
  request: Request,
  url: RequestUrl,
  assets: Assets | undefined,
): Promise<Response> {
  const plain = (status: number, text: string, headers: Record<string, string> = {}): Response =>
    new Response(`${text}\n`, { status, headers: { ...headers, ...headersFor(url) } });
  if (!assets) return plain(404, "the page is not part of this deployment");
  if (url.pathname === "/demo") return redirect(`/demo/${url.search}`, url);
  if (request.method !== "GET" && request.method !== "HEAD")
    return plain(405, "Method Not Allowed", { allow: "GET, HEAD" });
  const file = fileOf(url.pathname);
  const type = mediaTypes[file.slice(file.lastIndexOf(".") + 1)];
  const result = type && (await representation(request, url.origin + file, assets));
  if (!result) return plain(404, "Not Found");
  const { answer, encoding } = result;
  const headers = {
    ...pageHeaders(file === "/demo/connect.html" ? "connect" : "index"),
    ...headersFor(url),
    ...selectHeaders(answer, ["etag", "content-length"]),
    "content-type": type,
    vary: "accept-encoding",
    "cache-control": hashed.test(file)
      ? "public, max-age=31536000, immutable"
      : "public, max-age=0, must-revalidate",
    ...(file === "/demo/sw.js" && { "service-worker-allowed": "/demo/" }),
    ...(encoding && answer.status === 200 && { "content-encoding": encoding }),
  };
  // `encodeBody` is an extension of the platform: the bytes are already encoded
  const init: ResponseInit & { encodeBody: "manual" } = {
    status: answer.status,
    headers,
    encodeBody: "manual",
  };
  return new Response(answer.body, init);
}

const selectHeaders = ({ headers }: Response, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );

interface Representation {
  readonly answer: Response;
  /** Content encoding, or "" if the bytes are not encoded. */
  readonly encoding: string;
}

const endings: Readonly<Record<string, string>> = { br: ".br", gzip: ".gz" };

/**
 * Returns the smallest existing representation of a file that the client accepts, or undefined if
 * there is no such file.
 */
async function representation(
  request: Request,
  address: string,
  assets: Assets,
): Promise<Representation | undefined> {
  const validator = request.headers.get("if-none-match");
  const headers: Record<string, string> = validator === null ? {} : { "if-none-match": validator };
  for (const encoding of [...acceptedEncodings(request), ""]) {
    const assetRequest = new Request(address + (endings[encoding] ?? ""), {
      method: request.method,
      headers,
    });
    const answer = await assets.fetch(assetRequest);
    if (answer.status === 200 || answer.status === 304) return { answer, encoding };
    await answer.body?.cancel();
  }
  return undefined;
}

/** Returns the encodings that the client accepts, in order of increasing file size. */
function acceptedEncodings(request: Request): readonly string[] {
  // Cloudflare replaces the Accept-Encoding header and provides the original here
  const { cf } = request as { cf?: { clientAcceptEncoding?: unknown } };
  const original = cf?.clientAcceptEncoding;
  const header =
    typeof original === "string" ? original : (request.headers.get("accept-encoding") ?? "");
  const refused = /^q=0(?:\.0*)?$/;
  const accepted = header
    .toLowerCase()
    .split(",")
    .map((each) => each.split(";").map((part) => part.trim()))
    .flatMap(([name, weight = ""]) => (name && !refused.test(weight) ? [name] : []));
  return Object.keys(endings).filter((encoding) => accepted.includes(encoding));
}
