import { issuersById } from "../rows/records.ts";
import { utf8 } from "../../base/bytes.ts";
import { rfc3339, rfc3339nano } from "../../base/duration.ts";
import { serialText } from "../../base/ids.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { CertificateData } from "../../events/certificate-events.ts";
import type { NewEvent } from "../../events/event-table.ts";
import { parseCertificate, type Certificate } from "../../x509/certificate.ts";
import { revocationReasons } from "../../x509/crl.ts";
import { readableNames } from "../request/template.ts";
import type { EventCertificate, EventRevocation } from "./certificate-events.ts";

/** Maximum length of the common name in characters, and of all other names as JSON in octets. */
const [maxCommonName, maxNames] = [256, 32_768];

/** Returns as many of the names as an event may contain, and the number of omitted names. */
function limitedNames(all: readonly string[]): Pick<CertificateData, "names" | "names_omitted"> {
  let size = 0;
  const end = all.findIndex((name) => (size += utf8(JSON.stringify(name)).length) > maxNames);
  return end < 0 ? { names: all } : { names: all.slice(0, end), names_omitted: all.length - end };
}

/** Returns the data that describes a certificate in events. */
export function certificateData(
  config: Snapshot,
  { der, issuer, role }: EventCertificate,
  certificate: Certificate = parseCertificate(der),
): CertificateData {
  const { common, dns, email, ip, uri } = readableNames(certificate);
  return {
    mount: config.mount.path,
    serial_number: serialText(certificate.serial),
    issuer_id: issuer,
    issuer_name: config.get(issuersById).get(issuer)?.name ?? "",
    role,
    common_name: (common[0] ?? "").slice(0, maxCommonName),
    ...limitedNames([...dns, ...email, ...ip, ...uri]),
    not_before: rfc3339(certificate.notBefore),
    not_after: rfc3339(certificate.notAfter),
  };
}

/** Returns the event about a new certificate. */
export function issuedEvent(config: Snapshot, cert: EventCertificate): NewEvent {
  const data = certificateData(config, cert);
  return { type: "sealwright.certificate.issued", subject: data.serial_number, data };
}

/** Returns the event about a revocation. */
export function revokedEvent(config: Snapshot, { cert, at, reason }: EventRevocation): NewEvent {
  const data = certificateData(config, cert);
  const [name = ""] = Object.entries(revocationReasons).find(([, code]) => code === reason) ?? [];
  return {
    type: "sealwright.certificate.revoked",
    subject: data.serial_number,
    data: { ...data, revoked_at: rfc3339nano(at), reason: name },
  };
}
