import { isHostName } from "../../base/names.ts";
import { ipToBytes } from "../../x509/address.ts";
import { hostOf, PermanentFailure, type ValidationNetwork } from "./challenge-type.ts";

/** The target of a request. */
export interface Location {
  /** Absolute and normalized URL, without a fragment. */
  readonly url: string;
  readonly secure: boolean;
  /** DNS name, or IP address without brackets. */
  readonly host: string;
  /** Value of the `Host` header. */
  readonly hostHeader: string;
  readonly port: number;
  /** Path and query. */
  readonly target: string;
}

/** Maximum length of a URL (B 5.10, security row 36). */
const maxUrlLength = 2000;

/** Returns the URL of an http-01 token (RFC 8555 section 8.3). */
export const challengeUrl = (name: string, token: string): string =>
  `http://${hostOf(name)}/.well-known/acme-challenge/${token}`;
/** Returns the location for a challenge's first request. */
export const firstLocation = (name: string, token: string): Location =>
  locationOf(new URL(challengeUrl(name, token)));

function locationOf(url: URL): Location {
  const secure = url.protocol === "https:";
  return {
    url: `${url.origin}${url.pathname}${url.search}`,
    secure,
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    hostHeader: url.host,
    port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
    target: `${url.pathname}${url.search}`,
  };
}

/**
 * Returns the target of a redirect, if allowed (security row 36). Errors do not quote the target,
 * because it comes from a response. Throws {@link PermanentFailure} `connection`.
 */
export function followRedirect(
  from: Location,
  { to, hop }: { readonly to: string; readonly hop: number },
  { httpPort, tlsPort }: Pick<ValidationNetwork, "httpPort" | "tlsPort">,
): Location {
  const refused = (why: string) => new PermanentFailure("connection", `redirect ${hop} ${why}`);
  // rejects bytes that are not allowed in a URL, which some servers send
  const url = to.length <= maxUrlLength && /^[!-~]+$/.test(to) ? parsed(to, from.url) : undefined;
  if (!url || url.href.length > maxUrlLength)
    throw refused(
      to.length > maxUrlLength || url
        ? `leads to a URL of more than ${maxUrlLength} characters`
        : "leads to an invalid URL",
    );
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw refused("leads to neither http nor https");
  if (url.username !== "" || url.password !== "")
    throw refused("leads to a URL with a user name or password");
  const location = locationOf(url);
  if (![80, 443, httpPort, tlsPort].includes(location.port))
    throw refused("leads to a port other than 80 and 443");
  if (location.host.endsWith(".well-known"))
    throw refused("leads to a host that ends in .well-known: a slash before the path is missing");
  if (!ipToBytes(location.host) && !isHostName(location.host))
    throw refused("leads to an invalid host name");
  return location;
}

function parsed(text: string, base: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
