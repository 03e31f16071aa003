import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { root } from "../support/syntax.ts";
import { parseCertificate, type Certificate } from "../../src/x509/certificate.ts";
import { parseCrl, type Crl } from "../../src/x509/crl.ts";
import { tryRead } from "../../src/base/try-read.ts";
import { readDistributionPoints } from "../../src/verify/crl-scope.ts";
import { valueOf } from "../../src/verify/parsed-certificate.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { nameKey } from "../../src/verify/path-certificate.ts";

/** The files of PKITS by name, without the extension: `ValidCertificatePathTest1EE`. */
export interface Pkits {
  readonly certificates: ReadonlyMap<string, Uint8Array>;
  readonly crls: ReadonlyMap<string, Uint8Array>;
}

/** Reads the suite. */
export function readPkits(): Pkits {
  const bytes = new Uint8Array(
    brotliDecompressSync(readFileSync(join(root, "test/fixtures/pkits.br"))),
  );
  const text = Buffer.from(bytes.subarray(0, 32_768)).toString("latin1");
  const end = text.indexOf("\n\n");
  const [certificates, crls] = [new Map<string, Uint8Array>(), new Map<string, Uint8Array>()];
  let at = end + 2;
  for (const line of text.slice(0, end).split("\n")) {
    const [file = "", length = "0"] = line.split(" ");
    const der = bytes.subarray(at, at + Number(length));
    (file.endsWith(".crl") ? crls : certificates).set(file.replace(/\.cr[tl]$/, ""), der);
    at += Number(length);
  }
  return { certificates, crls };
}

/** Returns comparable names of the issuers of indirect CRLs that a certificate names. */
function pointIssuers(certificate: Certificate): readonly string[] {
  const points = tryRead(() =>
    valueOf(certificate, extensionOid.crlDistributionPoints, readDistributionPoints),
  );
  return (points ?? []).flatMap(({ crlIssuer }) => crlIssuer?.directory.map(nameKey) ?? []);
}

interface Named<T> {
  readonly der: Uint8Array;
  readonly parsed: T;
}

/**
 * Returns a function that finds, for a certificate, the CA certificates and CRLs that a repository
 * would have under the names of its issuers, of their issuers, and so on.
 */
export function repositoryOf({ certificates, crls }: Pkits): (leaf: Uint8Array) => {
  readonly intermediates: readonly Uint8Array[];
  readonly crls: readonly Uint8Array[];
} {
  const authorities = [...certificates]
    .filter(([name]) => !name.endsWith("EE"))
    .flatMap(([, der]): readonly Named<Certificate>[] => {
      const parsed = tryRead(() => parseCertificate(der));
      return parsed ? [{ der, parsed }] : [];
    });
  const lists = [...crls.values()].flatMap((der): readonly Named<Crl>[] => {
    const parsed = tryRead(() => parseCrl(der));
    return parsed ? [{ der, parsed }] : [];
  });
  return (der) => {
    const leaf = tryRead(() => parseCertificate(der));
    const names = new Set<string>();
    const wanted = leaf ? [nameKey(leaf.issuer), ...pointIssuers(leaf)] : [];
    for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
      if (names.has(name)) continue;
      names.add(name);
      for (const { parsed } of authorities)
        if (nameKey(parsed.subject) === name)
          wanted.push(nameKey(parsed.issuer), ...pointIssuers(parsed));
    }
    return {
      intermediates: authorities
        .filter(({ parsed }) => names.has(nameKey(parsed.subject)))
        .map((one) => one.der),
      crls: lists.filter(({ parsed }) => names.has(nameKey(parsed.issuer))).map((one) => one.der),
    };
  };
}
