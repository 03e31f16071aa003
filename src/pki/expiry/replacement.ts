import { serialKey } from "../../base/ids.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import type { Store } from "../../engine/ports.ts";
import { keys, nameKey, rowPrefixes, storedPki } from "../rows/records.ts";
import type { Certificate } from "../../x509/certificate.ts";
import { comparableName } from "../../x509/name.ts";
import { firstName, readableNames } from "../request/template.ts";
import { readableCertificate } from "./readable-certificate.ts";

/** Maximum number of certificates to compare per indexed name, and the number to read at a time. */
const [maxCandidates, candidatesAtOnce] = [5000, 500];

/** A certificate that may have replaced others. */
interface Candidate {
  readonly serial: Uint8Array;
  readonly same: string;
  /** notAfter, Unix seconds. */
  readonly notAfter: number;
}

/**
 * Returns a string that two certificates share if they have the same issuer and the same set of
 * names.
 */
function sameText(certificate: Certificate): string {
  const { common, dns, email, ip, uri, other } = readableNames(certificate);
  const values = [...common, ...dns, ...email, ...ip, ...uri, ...other.map(({ value }) => value)];
  const names = [...new Set(values.map((name) => name.toLowerCase()))].toSorted();
  return JSON.stringify([comparableName(certificate.issuer), names]);
}

/**
 * Creates a function that reports whether a certificate has been replaced: whether an unrevoked
 * certificate with the same names and issuer expires later. If a large number of certificates are
 * indexed under the same name, only some of them are compared; in case of doubt, a certificate
 * counts as not replaced.
 */
export function replacementFinder(
  store: Pick<Store, "get" | "list">,
): (certificate: Certificate) => Promise<boolean> {
  const candidatesByName = new Map<string, readonly Candidate[]>();
  return async (certificate) => {
    const name = nameKey(firstName(certificate));
    const candidates = candidatesByName.get(name) ?? (await candidatesOf(store, name));
    candidatesByName.set(name, candidates);
    const same = sameText(certificate);
    const newer = candidates.filter(
      (one) => one.notAfter > certificate.notAfter && one.same === same,
    );
    const revoked = await store.get(newer.map(({ serial }) => keys.revoked(serial)));
    return newer.some((_, at) => !revoked[at]);
  };
}

async function candidatesOf(
  store: Pick<Store, "list">,
  name: string,
): Promise<readonly Candidate[]> {
  const candidates = new Map<string, Candidate>();
  let after: readonly [value: string, key: string] | undefined;
  for (let read = 0; read < maxCandidates; read += candidatesAtOnce) {
    const by = { name: "name", from: name, to: name, ...(after ? { after } : {}) };
    const rows = await store.list(rowPrefixes.certs, { by, limit: candidatesAtOnce });
    for (const [, { value }] of rows) {
      const certificate = readableCertificate(storedPki.cert(value));
      if (!certificate) continue;
      const { serial, notAfter } = certificate;
      candidates.set(serialKey(serial), { serial, notAfter, same: sameText(certificate) });
    }
    const last = rows.at(-1);
    if (rows.length < candidatesAtOnce || !last) break;
    after = [name, last[0]];
    await yieldToEventLoop();
  }
  return [...candidates.values()];
}
