import type { RequestUrl } from "../base/request-url.ts";
import { pageHeaders } from "./page-policy.ts";
import { mediaTypes } from "./media-types.ts";

/** Static files. */
export interface Assets {
  fetch(request: Request): Promise<Response>;
}

/** Header of every HTTPS response: use only HTTPS for this host (RFC 6797). */
export const headersFor = (url: Pick<RequestUrl, "protocol">): Record<string, string> =>
  url.protocol === "https:" ? { "strict-transport-security": "max-age=31536000" } : {};

/** Leads to another path of the same origin, regardless of the host in the request. */
export const redirect = (path: string, url: Pick<RequestUrl, "protocol">): Response =>
  new Response(null, { status: 302, headers: { location: path, ...headersFor(url) } });

/** File names with a content hash. */
const hashed = /-[0-9A-Z]{8}\.[a-z]+$/;

/** Returns the file for a path below the page's folder; this Worker itself serves the page. */
const fileOf = (path: string): string =>
  path.replace(/^\/demo\/(?:index\.html)?$/, "/demo/worker.html");

/**
 * Serves the page and its files below `/demo/`: compressed as the client accepts it, with the
 * security headers of the page, and cached forever if the name contains a hash.
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
  // a platform extension: the bytes are already in that encoding
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
  /** Empty for the bytes as they are. */
  readonly encoding: string;
}

const endings: Readonly<Record<string, string>> = { br: ".br", gzip: ".gz" };

/** Returns the smallest encoding of a file that exists and the client accepts, if any. */
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

/** Returns the accepted encodings, smallest first. */
function acceptedEncodings(request: Request): readonly string[] {
  // Cloudflare replaces the header and keeps the original here.
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
