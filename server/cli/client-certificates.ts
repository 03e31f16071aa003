import { LaunchError } from "./launch-error.ts";

/** The ways in which clients may present certificates; if all are false, clients cannot. */
export interface ClientCertificates {
  /** The main port requests them. */
  readonly requested: boolean;
  /** A separate port that requests them. */
  readonly port: number | undefined;
  /** Trusted proxies forward them in Client-Cert (RFC 9440). */
  readonly header: boolean;
}

const words = /^(?:optional|header|port:([1-9][0-9]{0,4}))$/;

/**
 * Reads CLIENT_CERTIFICATES. Throws {@link LaunchError} for an invalid value, and if the TLS or
 * proxies that it needs are not configured.
 */
export function readClientCertificates(
  text: string | undefined,
  has: { readonly tls: boolean; readonly proxies: boolean },
): ClientCertificates {
  const { requested, port, header } = parse(text ?? "");
  if ((requested || port !== undefined) && !has.tls)
    throw new LaunchError(
      "CLIENT_CERTIFICATES: only TLS can request certificates; set TLS, or TLS_CERT and TLS_KEY.",
    );
  if (header && !has.proxies)
    throw new LaunchError(
      "CLIENT_CERTIFICATES: the header is only accepted from TRUSTED_PROXIES, which is not set.",
    );
  return { requested, port, header };
}

function parse(text: string): ClientCertificates {
  const entries = text === "" ? [] : text.split(",").map((word) => word.trim());
  const ports = entries.flatMap((word) => words.exec(word)?.[1] ?? []).map(Number);
  const [requested, header] = [entries.includes("optional"), entries.includes("header")];
  // each at most once, and one port that requests them
  const count = (requested ? 1 : 0) + (header ? 1 : 0) + ports.length;
  const isOne = ports.length + (requested ? 1 : 0) <= 1 && (ports[0] ?? 0) < 65_536;
  if (count === entries.length && isOne) return { requested, port: ports[0], header };
  throw new LaunchError(
    `CLIENT_CERTIFICATES must be optional, port:<port> or header, or header with one of the others, separated by a comma, not ${JSON.stringify(text.slice(0, 100))}.`,
  );
}
