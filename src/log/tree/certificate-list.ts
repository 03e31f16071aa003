import { serialText } from "../../base/ids.ts";
import { tryRead } from "../../base/try-read.ts";
import { parseCertificate, type ParsedCertificate } from "../../verify/parsed-certificate.ts";
import type { DistinguishedName } from "../../verify/parsed-name.ts";
import { deviceNamesOf } from "../../x509/certificate.ts";
import { splitDeviceName, type DeviceName } from "../../x509/device-name.ts";
import { nameOid } from "../../x509/oid.ts";
import type { Entry } from "./entry.ts";

/** A certificate in the log that has the requested name. */
export interface ListedCertificate {
  readonly index: number;
  readonly time: string;
  readonly serial_number: string;
  readonly subject: string;
}
/** A certificate in the log whose names cannot be determined. */
export interface NamelessCertificate {
  readonly index: number;
  readonly time: string;
  /** Serial number; empty if the entry does not contain one. */
  readonly serial_number: string;
  /**
   * `hash` if the entry has only the certificate's SHA-256, `unreadable` if the certificate cannot
   * be parsed.
   */
  readonly reason: "hash" | "unreadable";
}
/** A visitor of entries, and the certificates that it has collected. */
interface CertificateList {
  readonly visit: (entry: Entry, index: number) => void;
  readonly listed: readonly ListedCertificate[];
  readonly nameless: readonly NamelessCertificate[];
}

/**
 * Returns a visitor of entries that collects the certificates with the given name, and the
 * certificates whose names cannot be determined. Without a name, it collects nothing.
 */
export function certificateList(name: string | undefined): CertificateList {
  const listed: ListedCertificate[] = [];
  const nameless: NamelessCertificate[] = [];
  if (name === undefined) return { visit: () => undefined, listed, nameless };
  return {
    listed,
    nameless,
    visit: ({ type, signed, number, time: at }, index) => {
      if (type !== "certificate") return;
      const time = timeText(at);
      // the serial number is that of the entry, because the certificate may be missing or
      // unreadable
      const serial_number = number ? serialText(number) : "";
      if (!("der" in signed)) {
        nameless.push({ index, time, serial_number, reason: "hash" });
        return;
      }
      const named = tryRead(() => withNames(parseCertificate(signed.der)));
      if (!named) nameless.push({ index, time, serial_number, reason: "unreadable" });
      else if (named.names.some((one) => isNameFor(one, name))) {
        const { serialNumber, subject } = named.certificate;
        listed.push({ index, time, serial_number: serialNumber, subject: subject.text });
      }
    },
  };
}
/** Returns a certificate with all its names. Throws `CaError` `malformed`. */
function withNames(certificate: ParsedCertificate) {
  const { names, subject } = certificate;
  const all = [
    ...[subject, ...names.directory].flatMap(namesIn),
    ...names.dns,
    ...names.ip,
    ...names.email,
    ...names.uri,
    ...names.upn,
    ...names.other.map(({ value }) => value),
    ...deviceNamesOf(certificate).flatMap(namesOfDevice),
  ];
  return { certificate, names: all };
}
/** Returns the common names and serial numbers in a subject, either of which may name a device. */
const namesIn = ({ attributes }: DistinguishedName): readonly string[] =>
  attributes.flatMap(({ oid, value }) =>
    oid === nameOid.commonName || oid === nameOid.serialNumber ? [value] : [],
  );
/** Returns a device name, and its identifier without the assigner or type. */
const namesOfDevice = (name: DeviceName): readonly string[] => [
  name.value,
  splitDeviceName(name)?.id ?? name.value,
];
/**
 * Reports whether a name in a certificate equals the requested name or may be a wildcard for it. A
 * first label with an asterisk matches any label.
 */
function isNameFor(own: string, name: string): boolean {
  const [one, searched] = [plainName(own), plainName(name)];
  const [first = "", ...rest] = one.split(".");
  return (
    one === searched ||
    (first.includes("*") && rest.join(".") === searched.split(".").slice(1).join("."))
  );
}
const plainName = (name: string): string => name.toLowerCase().replace(/\.$/, "");
/** Formats the time of an entry. In a damaged log, the time may be outside the range of `Date`. */
export const timeText = (time: number): string =>
  time <= 8.64e15 ? new Date(time).toISOString() : `${time} ms`;
