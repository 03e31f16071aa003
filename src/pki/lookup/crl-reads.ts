import { CaError } from "../../base/errors.ts";
import { memo } from "../../base/memo.ts";
import { encodePem } from "../../base/pem.ts";
import type { Mount } from "../../engine/mount.ts";
import type { IssuerRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { text } from "../../wire/field.ts";
import { endpoint, type RawReply } from "../../wire/endpoint.ts";
import { envelope, raw } from "../../wire/style.ts";
import { demandIssuer, findIssuer } from "../issuer/issuer.ts";
import { currentCrl, type CurrentCrl } from "../revocation/crl-read.ts";
import { caMaxAge, open, unrevoked, worded, wordReply } from "./published-certificate.ts";

const reference = { refuses: ["unknown_issuer"] } as const;

const crlOf = async (
  ca: Mount,
  find: (config: Snapshot) => IssuerRow | undefined,
): Promise<CurrentCrl | undefined> => {
  const config = await ca.config();
  const row = find(config);
  return row && currentCrl(ca, config, row.crl_set);
};
const defaultCrl = (ca: Mount): Promise<CurrentCrl | undefined> =>
  crlOf(ca, (config) => findIssuer(config, "default"));
const issuerCrl = (ca: Mount, reference: string): Promise<CurrentCrl | undefined> =>
  crlOf(ca, (config) => demandIssuer(config, reference));
const pemOf = memo((der: Uint8Array) => encodePem("X509 CRL", der));
const crlPem = ({ der }: CurrentCrl): string => pemOf(der);
/** A cache may keep a list until it ends, and not for long: a revocation is to be seen soon. */
const published = (
  ca: Mount,
  found: CurrentCrl,
  type: string,
  bytes: Uint8Array | string,
): RawReply => ({
  since: Math.min(ca.checked, found.read),
  type,
  bytes,
  modified: found.row.this_update * 1000,
  maxAge: Math.max(0, Math.min(caMaxAge, found.row.next_update - Math.ceil(ca.ports.now() / 1000))),
  etag: `"${found.row.issuer}-${found.row.number}"`,
});
const crlDer = (ca: Mount, found: CurrentCrl | undefined) =>
  found && published(ca, found, "application/pkix-crl", found.der);
const crlText = (ca: Mount, found: CurrentCrl | undefined) =>
  found && published(ca, found, "application/x-pem-file", crlPem(found));

export const readCrl = endpoint({
  ...open,
  id: "readCrl",
  at: ["GET /crl"],
  style: raw,
  doc: "The default issuer's CRL as DER.",
  reply: {},
  run: async (ca) => crlDer(ca, await defaultCrl(ca)),
});

export const readCrlPem = endpoint({
  ...open,
  id: "readCrlPem",
  at: ["GET /crl/pem"],
  style: raw,
  doc: "The default issuer's CRL as PEM.",
  reply: {},
  run: async (ca) => crlText(ca, await defaultCrl(ca)),
});

export const readCrlCert = endpoint({
  ...worded,
  id: "readCrlCert",
  at: ["GET /cert/crl"],
  doc: "The default issuer's CRL.",
  reply: wordReply,
  run: async (ca, _, caller) => {
    const found = await defaultCrl(ca);
    if (!found) throw new CaError("not_found", "");
    caller.modified(found.row.this_update * 1000);
    return { certificate: crlPem(found), ...unrevoked };
  },
});

export const readIssuerCrl = endpoint({
  ...open,
  ...reference,
  id: "readIssuerCrl",
  at: ["GET /issuer/:issuer_ref/crl"],
  style: envelope,
  doc: "An issuer's CRL as PEM; empty when none was built.",
  reply: { crl: text.required("The CRL, PEM.") },
  run: async (ca, input, caller) => {
    const found = await issuerCrl(ca, input.issuer_ref);
    if (found) caller.modified(found.row.this_update * 1000);
    return { crl: found ? `${crlPem(found)}\n` : "" };
  },
});

export const readIssuerCrlDer = endpoint({
  ...open,
  ...reference,
  id: "readIssuerCrlDer",
  at: ["GET /issuer/:issuer_ref/crl/der"],
  style: raw,
  doc: "An issuer's CRL as DER.",
  reply: {},
  run: async (ca, input) => crlDer(ca, await issuerCrl(ca, input.issuer_ref)),
});

export const readIssuerCrlPem = endpoint({
  ...open,
  ...reference,
  id: "readIssuerCrlPem",
  at: ["GET /issuer/:issuer_ref/crl/pem"],
  style: raw,
  doc: "An issuer's CRL as PEM.",
  reply: {},
  run: async (ca, input) => crlText(ca, await issuerCrl(ca, input.issuer_ref)),
});
