import { serialText } from "../../base/ids.ts";
import { tryRead } from "../../base/try-read.ts";
import { parseCertificate, type ParsedCertificate } from "../../verify/parsed-certificate.ts";
import type { Entry } from "./entry.ts";

/** A certificate in the log with the requested name. */
export interface ListedCertificate {
  readonly index: number;
  readonly time: string;
  readonly serial_number: string;
  readonly subject: string;
}
/** A certificate in the log whose names are unknown. */
export interface NamelessCertificate {
  readonly index: number;
  readonly time: string;
  /** Empty if the entry has none. */
  readonly serial_number: string;
  /** `hash`: the entry has only its SHA-256. `unreadable`: it cannot be parsed. */
  readonly reason: "hash" | "unreadable";
}
/** The certificates that a visitor of entries has listed. */
interface CertificateList {
  readonly visit: (entry: Entry, index: number) => void;
  readonly listed: readonly ListedCertificate[];
  readonly nameless: readonly NamelessCertificate[];
}

/**
 * Returns a visitor of entries that lists the certificates with a name, and those whose names are
 * unknown.
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
      // the entry is the only source about a certificate that cannot be read
      const serial_number = number ? serialText(number) : "";
      if (!("der" in signed)) {
        nameless.push({ index, time, serial_number, reason: "hash" });
        return;
      }
      const certificate = tryRead(() => parseCertificate(signed.der));
      if (!certificate) nameless.push({ index, time, serial_number, reason: "unreadable" });
      else if (namesOf(certificate).some((one) => isNameFor(one, name))) {
        const { serialNumber, subject } = certificate;
        listed.push({ index, time, serial_number: serialNumber, subject: subject.text });
      }
    },
  };
}
const namesOf = ({ names, subject }: ParsedCertificate): readonly string[] => [
  ...subject.commonNames,
  ...names.dns,
  ...names.ip,
  ...names.email,
  ...names.uri,
];
/**
 * Reports whether a name in a certificate is the requested one, or may be a wildcard for it: an
 * asterisk anywhere in the first label is taken for any label.
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
/** Returns the time of an entry, which a damaged log may give beyond the range of dates. */
export const timeText = (time: number): string =>
  time <= 8.64e15 ? new Date(time).toISOString() : `${time} ms`;
