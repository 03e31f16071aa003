import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import type { IssuerRow } from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { text } from "../../wire/field.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { raw } from "../../wire/style.ts";
import { chainRows, findIssuer } from "../issuer/issuer.ts";
import { issuerPem } from "../issuer/output.ts";
import {
  issuerDer,
  derType,
  openRead,
  issuerPemReply,
  tagOf,
  unrevokedMembers,
  certificateReads,
  wordReply,
} from "./published-certificate.ts";

const byDefault = async (
  mount: Mount,
): Promise<{ readonly config: Snapshot; readonly row: IssuerRow | undefined }> => {
  const config = await mount.config();
  return { config, row: findIssuer(config, "default") };
};

export const readCa = endpoint({
  ...openRead,
  id: "readCa",
  at: ["GET /ca", "GET /cert/ca/raw"],
  style: raw,
  doc: "Returns the default issuer's certificate as DER.",
  reply: {},
  run: async (mount) => {
    const { row } = await byDefault(mount);
    return row && issuerDer(mount, row);
  },
});

export const readCaPem = endpoint({
  ...openRead,
  id: "readCaPem",
  at: ["GET /ca/pem", "GET /cert/ca/raw/pem"],
  style: raw,
  doc: "Returns the default issuer's certificate as PEM.",
  reply: {},
  run: async (mount) => {
    const { row } = await byDefault(mount);
    return row && issuerPemReply(mount, row);
  },
});

export const readCaCert = endpoint({
  ...certificateReads,
  id: "readCaCert",
  at: ["GET /cert/ca"],
  doc: "Returns the default issuer's certificate.",
  reply: wordReply,
  run: async (mount, _, caller) => {
    const { row } = await byDefault(mount);
    if (!row) throw new CaError("not_found", "");
    caller.reply.modified(row.modified);
    return { certificate: issuerPem(row), ...unrevokedMembers };
  },
});

export const readChainCert = endpoint({
  ...certificateReads,
  id: "readChainCert",
  at: ["GET /cert/ca_chain"],
  doc: "Returns the default issuer's certificate chain as one string.",
  reply: { ...wordReply, ca_chain: text.required("The same value as `certificate`.") },
  run: async (mount, _, caller) => {
    const { config, row } = await byDefault(mount);
    if (!row) throw new CaError("not_found", "");
    caller.reply.modified(row.modified);
    const chain = chainRows(config, row).map(issuerPem).join("\n");
    return { certificate: chain, ...unrevokedMembers, ca_chain: chain };
  },
});

export const readCaChain = endpoint({
  ...openRead,
  id: "readCaChain",
  at: ["GET /ca_chain"],
  style: raw,
  doc: "Returns the default issuer's certificate chain as PEM.",
  reply: {},
  run: async (mount) => {
    const { config, row } = await byDefault(mount);
    // clients expect the media type of DER, although the body is PEM (B 1.5)
    const chain = row ? chainRows(config, row) : [];
    return (
      row && {
        ...issuerPemReply(mount, row),
        type: derType,
        bytes: chain.map(issuerPem).join("\n"),
        etag: tagOf(chain),
      }
    );
  },
});
