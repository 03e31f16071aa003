import { readDer, sequence, type Reader } from "../../../src/base/der.ts";
import { CaError } from "../../../src/base/errors.ts";
import { toHex } from "../../../src/base/bytes.ts";
import { stringText } from "../../../src/describe/string-text.ts";
import type { Certificate } from "../../../src/x509/certificate.ts";
import { nameText } from "../../../src/x509/name.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { parseSan } from "../../../src/x509/san.ts";
import { visible } from "../visible-text.ts";

/** A name and its type: DNS, IP, email, URI, or a type that clients rarely check. */
export interface Name {
  readonly kind: string;
  readonly value: string;
}

/** The types of names that can be requested, in the order in which they are shown. */
export const requestedKinds: readonly string[] = ["DNS", "IP", "email", "URI"];

/** Labels of otherName types, by OID. */
const otherKinds: Readonly<Record<string, string>> = {
  "1.3.6.1.4.1.311.20.2.3": "UPN",
  "1.3.6.1.5.5.7.8.5": "XMPP",
  "1.3.6.1.5.5.7.8.7": "SRV",
  "1.3.6.1.5.5.7.8.9": "SmtpUTF8",
};

/** Labels of rare types, by tag. */
const rareKinds: Readonly<Record<number, string>> = { 0xa3: "X.400", 0xa5: "EDI" };

function readName(reader: Reader): readonly (readonly [kind: string, value: string])[] {
  const tag = reader.tag ?? 0;
  if (tag === 0x88) return [["registered ID", reader.oid("a registered ID", tag)]];
  if (tag === 0xa4) return [["directory", nameText(reader.enter("a name", tag).raw("the name"))]];
  const { der, content } = reader.element("a name");
  const kind = rareKinds[tag];
  if (kind) return [[kind, toHex(content)]];
  if (tag === 0xa0) {
    const other = readDer(der, "otherName").enter("an otherName", tag);
    const type = other.oid("the type");
    const element = other.enter("the value", tag).element("the value");
    return [[otherKinds[type] ?? `other ${type}`, stringText(element) ?? toHex(element.der)]];
  }
  const { dns, ip, email, uri } = parseSan(sequence(der));
  return [dns, ip, email, uri].flatMap((values, i) =>
    values.map((value) => [requestedKinds[i] ?? "", value] as const),
  );
}

interface Names {
  readonly names: readonly Name[];
  readonly broken: readonly string[];
}

/** Returns the sort position of a name for display. Rare types come last. */
const rank = ({ kind }: Name): number => requestedKinds.indexOf(kind) + 1 || 5;

/**
 * Returns the alternative names in a certificate or CSR, and the errors of those that cannot be
 * parsed.
 */
export function namesOf(holder: Pick<Certificate, "extensions">): Names {
  const extension = holder.extensions.find(({ oid }) => oid === extensionOid.subjectAltName);
  if (!extension) return { names: [], broken: [] };
  const { names, broken } = readEach(extension.value);
  return { names: names.toSorted((a, b) => rank(a) - rank(b)), broken };
}

function readEach(value: Uint8Array): Names {
  const names: Name[] = [];
  const broken: string[] = [];
  try {
    const reader = readDer(value, "subject alternative name").enter("GeneralNames");
    if (reader.tag === undefined) throw reader.refuse("is empty");
    for (let n = 1; reader.tag !== undefined; n++) {
      const { der, content } = reader.element(`name ${n}`);
      try {
        const read = readName(readDer(der, "alternative name"));
        names.push(...read.map(([kind, value]) => ({ kind, value: visible(value) })));
      } catch (error) {
        if (!(error instanceof CaError)) throw error;
        broken.push(
          `Name ${n}: ${visible(error.message)}. As text, its bytes are: ${visible(new TextDecoder().decode(content)).slice(0, 300)}`,
        );
      }
    }
  } catch (error) {
    if (!(error instanceof CaError)) throw error;
    broken.push(visible(error.message));
  }
  return { names, broken };
}
