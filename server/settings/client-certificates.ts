import { SettingError } from "./launch-error.ts";

/**
 * The ways in which clients may present certificates. If none is set, client certificates are not
 * accepted.
 */
export interface ClientCertificates {
  /** Whether the main port requests client certificates. */
  readonly requested: boolean;
  /** A separate port that requests client certificates. */
  readonly port: number | undefined;
  /** Whether trusted proxies forward client certificates in Client-Cert (RFC 9440). */
  readonly header: boolean;
}

const words = /^(?:optional|header|port:([1-9][0-9]{0,4}))$/;

/**
 * Parses CLIENT_CERTIFICATES. Throws {@link SettingError} if the value is invalid, or if it
 * requires TLS or trusted proxies that are not configured.
 */
export function readClientCertificates(
  text: string | undefined,
  has: { readonly tls: boolean; readonly proxies: boolean },
): ClientCertificates {
  const { requested, port, header } = parse(text ?? "");
  if ((requested || port !== undefined) && !has.tls)
    throw new SettingError(
      "CLIENT_CERTIFICATES: requesting client certificates requires TLS; set TLS, or TLS_CERT and TLS_KEY.",
      "CLIENT_CERTIFICATES",
    );
  if (header && !has.proxies)
    throw new SettingError(
      "CLIENT_CERTIFICATES: the header is accepted only from trusted proxies; set TRUSTED_PROXIES.",
      "CLIENT_CERTIFICATES",
    );
  return { requested, port, header };
}

function parse(text: string): ClientCertificates {
  const entries = text === "" ? [] : text.split(",").map((word) => word.trim());
  const ports = entries.flatMap((word) => words.exec(word)?.[1] ?? []).map(Number);
  const [requested, header] = [entries.includes("optional"), entries.includes("header")];
  // each entry may occur once, and at most one entry may request client certificates
  const count = (requested ? 1 : 0) + (header ? 1 : 0) + ports.length;
  const isOne = ports.length + (requested ? 1 : 0) <= 1 && (ports[0] ?? 0) < 65_536;
  if (count === entries.length && isOne) return { requested, port: ports[0], header };
  throw new SettingError(
    `CLIENT_CERTIFICATES must be "optional", "port:<port>", "header", or "header" with one of the others, such as "header,optional", not ${JSON.stringify(text.slice(0, 100))}.`,
    "CLIENT_CERTIFICATES",
  );
}
