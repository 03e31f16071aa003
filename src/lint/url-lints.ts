import { readDer } from "../base/der.ts";
import { uriHost } from "../base/uri.ts";
import { addressesReadFrom } from "../x509/address.ts";
import { extensionOid, otherOid } from "../x509/oid.ts";
import { readValue } from "./extension-lints.ts";
import { firstDefect, firstRepeated, quoted, when, type Lint } from "./finding.ts";
import { hasExtension, latin1, type LintedCertificate } from "./subject.ts";

/** A location in a certificate, such as the URL of an OCSP responder or a CRL. */
interface Location {
  readonly use: "OCSP" | "issuer" | "CRL" | "other";
  /** The location, if it is a URI. */
  readonly url?: string;
  readonly method?: string;
}

const uriTag = 0x86;

function accessOf(certificate: LintedCertificate): readonly Location[] {
  return (
    readValue(certificate, extensionOid.authorityInfoAccess, (value) => {
      const list = readDer(value, "authority information access").enter("AuthorityInfoAccess");
      const locations: Location[] = [];
      while (list.tag !== undefined) {
        const item = list.enter("an access description");
        const method = item.oid("the method");
        const { tag, content } = item.element("the location");
        const use =
          method === otherOid.accessOcsp
            ? "OCSP"
            : method === otherOid.accessCaIssuers
              ? "issuer"
              : "other";
        locations.push({ use, method, ...(tag === uriTag && { url: latin1(content) }) });
      }
      return locations;
    }) ?? []
  );
}

interface Point {
  readonly urls: readonly string[];
  readonly hasName: boolean;
  readonly hasReasons: boolean;
  readonly hasIssuer: boolean;
}
const pointsOf = (certificate: LintedCertificate): readonly Point[] =>
  [extensionOid.crlDistributionPoints, extensionOid.freshestCrl].flatMap(
    (oid) =>
      readValue(certificate, oid, (value) => {
        const list = readDer(value, "CRL distribution points").enter("CRLDistributionPoints");
        const points: Point[] = [];
        while (list.tag !== undefined) {
          const point = list.enter("a distribution point");
          const name = point.optional("the name", 0xa0);
          const full = name?.optional("fullName", 0xa0);
          const urls: string[] = [];
          while (full?.tag !== undefined) {
            const { tag, content } = full.element("a name");
            if (tag === uriTag) urls.push(latin1(content));
          }
          const rest: number[] = [];
          while (point.tag !== undefined) rest.push(point.element("a field").tag);
          points.push({
            urls,
            hasName: name !== undefined,
            hasReasons: rest.includes(0x81),
            hasIssuer: rest.includes(0xa2),
          });
        }
        return points;
      }) ?? [],
  );

const locationsOf = (certificate: LintedCertificate): readonly Location[] => [
  ...accessOf(certificate),
  ...pointsOf(certificate).flatMap(({ urls }) => urls.map((url) => ({ use: "CRL", url }) as const)),
];
const eachUrl =
  (defect: (url: string, location: Location) => string | undefined) =>
  (certificate: LintedCertificate): string | undefined =>
    firstDefect(locationsOf(certificate), (location) =>
      location.url === undefined ? undefined : defect(location.url, location),
    );

/** Returns the host of a URL without user name, port and brackets, or "" if it has none. */
const hostOf = (url: string): string => (uriHost(url) ?? "").replace(/^\[|\]$/g, "").toLowerCase();
const isLoopback = (host: string): boolean =>
  host === "localhost" ||
  host.endsWith(".localhost") ||
  addressesReadFrom(host).some((address) => /^127\.|^::1$/.test(address));

const infoSection = "RFC 5280 4.2.2.1";
const pointSection = "RFC 5280 4.2.1.13";

const urlLintsOfAll: readonly Lint<LintedCertificate>[] = [
  [
    "warning",
    "url-scheme",
    pointSection,
    eachUrl((url) =>
      when(!/^(?:https?|ldaps?):/i.test(url), `URL ${quoted(url)} is neither http nor ldap`),
    ),
  ],
  [
    "warning",
    "url-https",
    "RFC 5280 8",
    eachUrl((url, { use }) =>
      when(
        /^(?:https|ldaps):/i.test(url) && use !== "other",
        `${use} URL ${quoted(url)} requires TLS, and the certificate of the TLS server would need the same check`,
      ),
    ),
  ],
  [
    "error",
    "url-malformed",
    "RFC 3986 3",
    eachUrl((url) =>
      when(/^https?:/i.test(url) && (uriHost(url) ?? "") === "", `URL ${quoted(url)} has no host`),
    ),
  ],
  [
    "warning",
    "url-loopback",
    "Common practice",
    eachUrl((url) =>
      when(isLoopback(hostOf(url)), `URL ${quoted(url)} reaches only the client's own machine`),
    ),
  ],
  [
    "warning",
    "url-credentials",
    "RFC 3986 3.2.1",
    eachUrl((url) =>
      when(/^[a-z]+:\/\/[^/?#]*@/i.test(url), `URL ${quoted(url)} contains a user name`),
    ),
  ],
  [
    "warning",
    "url-repeated",
    "Common practice",
    (certificate) => {
      const repeated = firstRepeated(
        locationsOf(certificate).flatMap(({ use, url }) =>
          url === undefined ? [] : [`${use} ${url}`],
        ),
      );
      return repeated && `URL ${quoted(repeated.replace(/^\w+ /, ""))} occurs twice`;
    },
  ],
];

const placeLints: readonly Lint<LintedCertificate>[] = [
  [
    "info",
    "issuer-address-missing",
    infoSection,
    (certificate) =>
      when(
        !certificate.isSelfIssued && !accessOf(certificate).some(({ use }) => use === "issuer"),
        "No issuer URL (AIA), so clients cannot complete the chain",
      ),
  ],
  [
    "info",
    "revocation-address-missing",
    pointSection,
    (certificate) =>
      when(
        !certificate.isSelfIssued &&
          !hasExtension(certificate, extensionOid.noRevAvail) &&
          !hasExtension(certificate, extensionOid.ocspNoCheck) &&
          !locationsOf(certificate).some(({ use }) => use === "OCSP" || use === "CRL"),
        "No CRL or OCSP URL, so clients cannot check its revocation",
      ),
  ],
  [
    "warning",
    "access-location-kind",
    infoSection,
    (certificate) =>
      firstDefect(accessOf(certificate), ({ use, url }) =>
        when(
          use !== "other" && url === undefined,
          `${use === "OCSP" ? "OCSP" : "Issuer"} location that is not a URI`,
        ),
      ),
  ],
  [
    "info",
    "access-method-unknown",
    infoSection,
    (certificate) =>
      firstDefect(accessOf(certificate), ({ use, method }) =>
        when(use === "other", `Access method ${method ?? ""}, which no client uses`),
      ),
  ],
  [
    "warning",
    "distribution-point-url",
    pointSection,
    (certificate) =>
      firstDefect(pointsOf(certificate), ({ urls, hasName }) =>
        when(hasName && urls.length === 0, "CRL distribution point without a URL"),
      ),
  ],
  [
    "error",
    "distribution-point-incomplete",
    pointSection,
    (certificate) =>
      firstDefect(pointsOf(certificate), ({ hasName, hasReasons, hasIssuer }) =>
        when(
          !hasName && !hasIssuer,
          hasReasons
            ? "CRL distribution point with reasons only"
            : "CRL distribution point with neither name nor issuer",
        ),
      ),
  ],
  [
    "warning",
    "distribution-points-partial",
    pointSection,
    (certificate) => {
      const points = pointsOf(certificate);
      return when(
        points.length > 0 && points.every(({ hasReasons }) => hasReasons),
        "Every CRL distribution point covers only some reasons",
      );
    },
  ],
  [
    "warning",
    "freshest-crl-alone",
    "RFC 5280 4.2.1.15",
    (certificate) =>
      when(
        hasExtension(certificate, extensionOid.freshestCrl) &&
          !hasExtension(certificate, extensionOid.crlDistributionPoints),
        "URL of a delta CRL without the URL of a complete CRL",
      ),
  ],
  [
    "error",
    "no-revocation-contradiction",
    "RFC 9608 2",
    (certificate) =>
      when(
        hasExtension(certificate, extensionOid.noRevAvail) &&
          locationsOf(certificate).some(({ use }) => use === "OCSP" || use === "CRL"),
        "No Rev Avail together with a CRL or OCSP URL",
      ),
  ],
  [
    "error",
    "no-revocation-ca",
    "RFC 9608 2",
    (certificate) =>
      when(
        certificate.isCa && hasExtension(certificate, extensionOid.noRevAvail),
        "No Rev Avail in a CA, which must be revocable",
      ),
  ],
];

/** Lints of the URLs in a certificate. */
export const urlLints: readonly Lint<LintedCertificate>[] = [...placeLints, ...urlLintsOfAll];
