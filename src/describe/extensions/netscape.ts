import { readDer } from "../../base/der.ts";
import { extensionOid } from "../../x509/oid.ts";
import { bitNames, readText } from "../element-text.ts";
import type { ExtensionReaders } from "./reader.ts";

const types = [
  "SSL client",
  "SSL server",
  "S/MIME",
  "object signing",
  "reserved",
  "SSL CA",
  "S/MIME CA",
  "object signing CA",
];

const text = (value: Uint8Array): readonly string[] => [
  readText(readDer(value, "Netscape extension"), "the text"),
];

/** Readers of Netscape's extensions, which predate those of RFC 5280. */
export const netscapeReaders: ExtensionReaders = {
  [extensionOid.netscapeCertType]: (value) =>
    bitNames(readDer(value, "certificate type").bitString("the bits"), types),
  "2.16.840.1.113730.1.2": text,
  "2.16.840.1.113730.1.3": text,
  "2.16.840.1.113730.1.4": text,
  "2.16.840.1.113730.1.7": text,
  "2.16.840.1.113730.1.8": text,
  "2.16.840.1.113730.1.12": text,
  "2.16.840.1.113730.1.13": text,
};
