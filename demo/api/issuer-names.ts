import { distinctNames } from "../lib/distinct-names.ts";
import { place } from "../lib/place.ts";
import { readCertificate } from "../lib/x509/decode.ts";
import { readData } from "./call.ts";
import { readIssuerJson } from "./endpoints/pki.ts";
import type { ListedIssuer } from "./issuers.ts";

/** Maximum number of issuers whose certificates are read for their common names. */
const maxRead = 100;

/**
 * Common names by server, mount and issuer ID. They are cached, because the certificate of an
 * issuer never changes.
 */
const read = new Map<string, Promise<string>>();

/** Returns the certificate of an issuer. Older servers do not list it, but anyone may read it. */
const certificateOf = async (id: string, { certificate }: ListedIssuer): Promise<string> =>
  certificate ?? (await readData(readIssuerJson, { issuer_ref: id })).certificate;

function commonName(id: string, listed: ListedIssuer): Promise<string> {
  const { base, mount } = place.get();
  const key = `${base} ${mount} ${id}`;
  const cached = read.get(key);
  if (cached) return cached;
  const title = certificateOf(id, listed).then(async (pem) => (await readCertificate(pem)).title);
  read.set(key, title);
  title.catch(() => read.delete(key));
  return title;
}

/** Reads the common names of listed issuers and returns their display names by ID. */
export async function issuerNames(
  info: Readonly<Record<string, ListedIssuer>>,
): Promise<ReadonlyMap<string, string>> {
  const all = Object.entries(info);
  const titles = await Promise.all(
    all.slice(0, maxRead).map(([id, listed]) => commonName(id, listed).catch(() => "")),
  );
  return distinctNames(all.map(([id, { issuer_name: name }], i) => [id, name, titles[i] ?? ""]));
}
