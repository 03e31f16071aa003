import { place } from "../lib/place.ts";
import { readData } from "./call.ts";
import { readIssuerJson } from "./endpoints/pki.ts";
import { readCertificate } from "../lib/x509/decode.ts";
import { distinctNames } from "../lib/distinct-names.ts";

/** Maximum number of issuers whose certificates are read for their common names. */
const maxRead = 100;

/**
 * Common names by server, mount and issuer ID. They are cached, because the certificate of an
 * issuer never changes.
 */
const read = new Map<string, Promise<string>>();

function commonName(id: string): Promise<string> {
  const { base, mount } = place.get();
  const key = `${base} ${mount} ${id}`;
  const cached = read.get(key);
  if (cached) return cached;
  // this read is public, so it works with every token
  const title = readData(readIssuerJson, { issuer_ref: id }).then(
    async ({ certificate }) => (await readCertificate(certificate)).title,
  );
  read.set(key, title);
  title.catch(() => read.delete(key));
  return title;
}

/** Reads the common names of issuers and returns their display names by ID. */
export async function issuerNames(
  all: readonly (readonly [id: string, name: string])[],
): Promise<ReadonlyMap<string, string>> {
  const titles = await Promise.all(
    all.slice(0, maxRead).map(([id]) => commonName(id).catch(() => "")),
  );
  return distinctNames(all.map(([id, name], i) => [id, name, titles[i] ?? ""]));
}
