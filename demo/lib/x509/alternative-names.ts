import { readDer, sequence } from "../../../src/base/der.ts";
import { CaError } from "../../../src/base/errors.ts";
import type { Certificate } from "../../../src/x509/certificate.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { parseSan, type ParsedNames } from "../../../src/x509/san.ts";
import { visible } from "../format.ts";

/** A name and its type: DNS, IP, mail or URI. */
export interface Name {
  readonly kind: string;
  readonly value: string;
}

function kinds({
  dns,
  email,
  ip,
  uri,
}: Pick<ParsedNames, "dns" | "email" | "ip" | "uri">): readonly Name[] {
  const of = (kind: string, values: readonly string[]): readonly Name[] =>
    values.map((value) => ({ kind, value: visible(value) }));
  return [...of("DNS", dns), ...of("IP", ip), ...of("mail", email), ...of("URI", uri)];
}

interface Names {
  readonly names: readonly Name[];
  readonly broken: readonly string[];
}

/**
 * Returns the alternative names of a certificate or request, and the errors of those that cannot be
 * parsed.
 */
export function namesOf(holder: Pick<Certificate, "extensions">): Names {
  const extension = holder.extensions.find(({ oid }) => oid === extensionOid.subjectAltName);
  if (!extension) return { names: [], broken: [] };
  try {
    return { names: kinds(parseSan(extension.value)), broken: [] };
  } catch (error) {
    if (!(error instanceof CaError)) throw error;
    return namesEach(extension.value, error);
  }
}

/** Parses names one by one if the extension as a whole is malformed. */
function namesEach(value: Uint8Array, whole: CaError): Names {
  const names: Name[] = [];
  const broken: string[] = [];
  try {
    const reader = readDer(value, "subject alternative name").enter("GeneralNames");
    for (let n = 1; reader.tag !== undefined; n++) {
      const { der, content } = reader.element(`name ${n}`);
      try {
        names.push(...kinds(parseSan(sequence(der))));
      } catch (error) {
        if (!(error instanceof CaError)) throw error;
        broken.push(
          `Name ${n}: ${visible(error.message)}. Its bytes read as text: ${visible(new TextDecoder().decode(content)).slice(0, 300)}`,
        );
      }
    }
  } catch (error) {
    if (!(error instanceof CaError)) throw error;
    broken.push(visible(error.message));
  }
  return { names, broken: broken.length > 0 ? broken : [visible(whole.message)] };
}
