import { CaError } from "../../base/errors.ts";
import { memo } from "../../base/memo.ts";
import { encodePem } from "../../base/pem.ts";
import type { Mount } from "../../engine/mount.ts";
import type { IssuerRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { int, list, text } from "../../wire/field.ts";
import { endpoint, type RawReply } from "../../wire/endpoint.ts";
import { envelope, raw } from "../../wire/style.ts";
import { currentCrl, type PublishedCrl } from "../revocation/crl-read.ts";
import { chainRows, findIssuer, demandIssuer } from "../issuer/issuer.ts";
import { issuerPem } from "../issuer/output.ts";

const pemType = "application/pem-certificate-chain";
const derType = "application/pkix-cert";
/** How long a cache may keep a CA certificate, seconds: a new default issuer is seen after that. */
const caMaxAge = 60;

/** An id names one certificate for good. */
const tagOf = (rows: readonly IssuerRow[]): string => `"${rows.map((row) => row.id).join("+")}"`;
const der = (row: IssuerRow): RawReply => ({
  type: derType,
  bytes: row.der,
  modified: row.modified,
  etag: tagOf([row]),
  maxAge: caMaxAge,
});
const pem = (row: IssuerRow): RawReply => ({ ...der(row), type: pemType, bytes: issuerPem(row) });
const byDefault = async (
  ca: Mount,
): Promise<{ readonly config: Snapshot; readonly row: IssuerRow | undefined }> => {
  const config = await ca.config();
  return { config, row: findIssuer(config, "default") };
};
const open = { access: "open", body: {} } as const;

export const readCa = endpoint({
  ...open,
  id: "readCa",
  at: ["GET /ca", "GET /cert/ca/raw"],
  style: raw,
  doc: "The default issuer's certificate as DER.",
  reply: {},
  run: async (ca) => {
    const { row } = await byDefault(ca);
    return row && der(row);
  },
});

export const readCaPem = endpoint({
  ...open,
  id: "readCaPem",
  at: ["GET /ca/pem", "GET /cert/ca/raw/pem"],
  style: raw,
  doc: "The default issuer's certificate as PEM.",
  reply: {},
  run: async (ca) => {
    const { row } = await byDefault(ca);
    return row && pem(row);
  },
});

/** Members of the JSON forms, where nothing is revoked. */
const unrevoked = { revocation_time: 0, revocation_time_rfc3339: "" };
const wordReply = {
  certificate: text.required("What the path names, PEM."),
  revocation_time: int.required("0."),
  revocation_time_rfc3339: text.required("Empty."),
} as const;
const worded = { ...open, style: envelope, refuses: ["not_found"] } as const;

export const readCaCert = endpoint({
  ...worded,
  id: "readCaCert",
  at: ["GET /cert/ca"],
  doc: "The default issuer's certificate.",
  reply: wordReply,
  run: async (ca, _, caller) => {
    const { row } = await byDefault(ca);
    if (!row) throw new CaError("not_found", "");
    caller.modified(row.modified);
    return { certificate: issuerPem(row), ...unrevoked };
  },
});

export const readChainCert = endpoint({
  ...worded,
  id: "readChainCert",
  at: ["GET /cert/ca_chain"],
  doc: "The default issuer's certificate and its parents, as one text.",
  reply: { ...wordReply, ca_chain: text.required("The same.") },
  run: async (ca, _, caller) => {
    const { config, row } = await byDefault(ca);
    if (!row) throw new CaError("not_found", "");
    caller.modified(row.modified);
    const chain = chainRows(config, row).map(issuerPem).join("\n");
    return { certificate: chain, ...unrevoked, ca_chain: chain };
  },
});

export const readCaChain = endpoint({
  ...open,
  id: "readCaChain",
  at: ["GET /ca_chain"],
  style: raw,
  doc: "The default issuer's certificate and its parents as PEM.",
  reply: {},
  run: async (ca) => {
    const { config, row } = await byDefault(ca);
    // the media type is what clients know, not what the bytes are (B 1.5)
    const chain = row ? chainRows(config, row) : [];
    return (
      row && {
        ...pem(row),
        type: derType,
        bytes: chain.map(issuerPem).join("\n"),
        etag: tagOf(chain),
      }
    );
  },
});

const reference = { refuses: ["unknown_issuer"] } as const;

export const readIssuerJson = endpoint({
  ...open,
  ...reference,
  id: "readIssuerJson",
  at: ["GET /issuer/:issuer_ref/json"],
  style: envelope,
  doc: "An issuer's certificate and chain.",
  reply: {
    certificate: text.required("The certificate, PEM."),
    ca_chain: list.required("The certificate and its parents, PEM."),
    issuer_id: text.required("Its id."),
    issuer_name: text.required("Its name, or empty."),
  },
  run: async (ca, input, caller) => {
    const config = await ca.config();
    const row = demandIssuer(config, input.issuer_ref);
    caller.modified(row.modified);
    return {
      certificate: `${issuerPem(row)}\n`,
      ca_chain: chainRows(config, row).map((one) => `${issuerPem(one)}\n`),
      issuer_id: row.id,
      issuer_name: row.name,
    };
  },
});

export const readIssuerPem = endpoint({
  ...open,
  ...reference,
  id: "readIssuerPem",
  at: ["GET /issuer/:issuer_ref/pem"],
  style: raw,
  doc: "An issuer's certificate as PEM.",
  reply: {},
  run: async (ca, input) => pem(demandIssuer(await ca.config(), input.issuer_ref)),
});

export const readIssuerDer = endpoint({
  ...open,
  ...reference,
  id: "readIssuerDer",
  at: ["GET /issuer/:issuer_ref/der"],
  style: raw,
  doc: "An issuer's certificate as DER.",
  reply: {},
  run: async (ca, input) => der(demandIssuer(await ca.config(), input.issuer_ref)),
});

const crlOf = async (
  ca: Mount,
  find: (config: Snapshot) => IssuerRow | undefined,
): Promise<PublishedCrl | undefined> => {
  const config = await ca.config();
  const row = find(config);
  return row && currentCrl(ca, config, row.crl_set);
};
const defaultCrl = (ca: Mount): Promise<PublishedCrl | undefined> =>
  crlOf(ca, (config) => findIssuer(config, "default"));
const issuerCrl = (ca: Mount, reference: string): Promise<PublishedCrl | undefined> =>
  crlOf(ca, (config) => demandIssuer(config, reference));
const pemOf = memo((der: Uint8Array) => encodePem("X509 CRL", der));
const crlPem = ({ der }: PublishedCrl): string => pemOf(der);
/** A cache may keep a list until it ends, and not for long: a revocation is to be seen soon. */
const published = (
  ca: Mount,
  found: PublishedCrl,
  type: string,
  bytes: Uint8Array | string,
): RawReply => ({
  type,
  bytes,
  modified: found.row.this_update * 1000,
  maxAge: Math.max(0, Math.min(caMaxAge, found.row.next_update - Math.ceil(ca.ports.now() / 1000))),
  etag: `"${found.row.issuer}-${found.row.number}"`,
});
const crlDer = (ca: Mount, found: PublishedCrl | undefined) =>
  found && published(ca, found, "application/pkix-crl", found.der);
const crlText = (ca: Mount, found: PublishedCrl | undefined) =>
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
