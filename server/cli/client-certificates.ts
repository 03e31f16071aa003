import { LaunchError } from "./launch-error.ts";

/** The ways in which clients may present certificates; none where all are false. */
export interface ClientCertificates {
  /** The port where everybody is served requests them. */
  readonly requested: boolean;
  /** A separate port that requests them. */
  readonly port: number | undefined;
  /** Trusted proxies forward them in Client-Cert (RFC 9440). */
  readonly header: boolean;
}

const words = /^(?:optional|header|port:([1-9][0-9]{0,4}))$/;

/**
 * Reads CLIENT_CERTIFICATES. Throws {@link LaunchError} for another text, and where TLS or the
 * proxies are missing that it needs.
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
      "CLIENT_CERTIFICATES: the header is accepted from TRUSTED_PROXIES only, and none is set.",
    );
  return { requested, port, header };
}

function parse(text: string): ClientCertificates {
  const given = text === "" ? [] : text.split(",").map((word) => word.trim());
  const ports = given.flatMap((word) => words.exec(word)?.[1] ?? []).map(Number);
  const [requested, header] = [given.includes("optional"), given.includes("header")];
  // each at most once, and one port that requests them
  const count = (requested ? 1 : 0) + (header ? 1 : 0) + ports.length;
  const isOne = ports.length + (requested ? 1 : 0) <= 1 && (ports[0] ?? 0) < 65_536;
  if (count === given.length && isOne) return { requested, port: ports[0], header };
  throw new LaunchError(
    `CLIENT_CERTIFICATES must be optional, port:<port> or header, or header with one of the others, separated by a comma, not ${JSON.stringify(text.slice(0, 100))}.`,
  );
}
