import { certsOnly } from "../../../src/archive/pkcs7.ts";
import { writeJks } from "../../../src/archive/jks.ts";
import { writePkcs12 } from "../../../src/archive/pkcs12.ts";
import type { Bytes } from "../../../src/base/bytes.ts";
import { decodePem } from "../../../src/base/pem.ts";
import { readPrivateKeyBlock } from "../../../src/keys/read.ts";
import { readCertificate } from "./decode.ts";

/** The contents of an archive in PEM. The certificate precedes its issuers. */
export interface ArchiveParts {
  readonly certificates: readonly string[];
  /** The private key; empty if there is none. */
  readonly key: string;
}

/** A file format for a certificate with its chain or key. */
interface ArchiveKind {
  readonly id: "modern2026" | "modern2023" | "jks" | "pkcs7";
  readonly title: string;
  readonly about: string;
  readonly ending: string;
  readonly type: string;
  /** Whether the archive is encrypted with a password. */
  readonly locked: boolean;
}

const pkcs12 = { ending: "p12", type: "application/x-pkcs12", locked: true } as const;

/** The archive formats that the console offers, the preferred one first. */
export const archiveKinds: readonly ArchiveKind[] = [
  {
    ...pkcs12,
    id: "modern2026",
    title: "PKCS#12",
    about: "For OpenSSL 3.4, Java 26 and later (PBMAC1, RFC 9579).",
  },
  {
    ...pkcs12,
    id: "modern2023",
    title: "PKCS#12 for older programs",
    about: "For Windows, macOS, OpenSSL before 3.4 and Java before 26.",
  },
  {
    id: "jks",
    title: "JKS",
    about: "For old versions of Java. Requires a long random password.",
    ending: "jks",
    type: "application/octet-stream",
    locked: true,
  },
  {
    id: "pkcs7",
    title: "PKCS#7",
    about: "Certificate and issuers, without the key and unencrypted.",
    ending: "p7b",
    type: "application/pkcs7-mime",
    locked: false,
  },
];

const random = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length));

/** Returns the friendly name of the entry, in ASCII so that every program can show it. */
const friendlyName = (title: string): string => (/^[ -~]{1,64}$/.test(title) ? title : "1");

/** Creates an archive in the browser. */
export async function makeArchive(
  id: ArchiveKind["id"],
  { certificates, key }: ArchiveParts,
  password: string,
): Promise<Bytes> {
  const views = await Promise.all(certificates.map((pem) => readCertificate(pem)));
  const ders = views.map(({ der }) => der);
  if (id === "pkcs7") return certsOnly(ders);
  const name = friendlyName(views[0]?.title ?? "");
  const [block] = decodePem(key);
  const contents = {
    certificates: ders,
    ...(block && { key: (await readPrivateKeyBlock(block)).pkcs8 }),
  };
  if (id === "jks")
    return writeJks(contents, { password, random, now: Date.now(), alias: name.toLowerCase() });
  return writePkcs12(contents, { encoder: id, password, random, name });
}
