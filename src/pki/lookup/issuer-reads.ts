import { list, text } from "../../wire/field.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { envelope, raw } from "../../wire/style.ts";
import { chainRows, getIssuer } from "../issuer/issuer.ts";
import { issuerPem } from "../issuer/output.ts";
import { issuerDer, openRead, issuerPemReply } from "./published-certificate.ts";

const reference = { refuses: ["unknown_issuer"] } as const;

export const readIssuerJson = endpoint({
  ...openRead,
  ...reference,
  id: "readIssuerJson",
  at: ["GET /issuer/:issuer_ref/json"],
  style: envelope,
  doc: "Returns an issuer's certificate and chain.",
  reply: {
    certificate: text.required("CA certificate, PEM."),
    ca_chain: list.required("The chain, PEM: the CA certificate, followed by its issuers."),
    issuer_id: text.required("ID of the issuer."),
    issuer_name: text.required("Name of the issuer, or empty if it has none."),
  },
  run: async (mount, input, caller) => {
    const config = await mount.config();
    const row = getIssuer(config, input.issuer_ref);
    caller.reply.modified(row.modified);
    return {
      certificate: `${issuerPem(row)}\n`,
      ca_chain: chainRows(config, row).map((one) => `${issuerPem(one)}\n`),
      issuer_id: row.id,
      issuer_name: row.name,
    };
  },
});

export const readIssuerPem = endpoint({
  ...openRead,
  ...reference,
  id: "readIssuerPem",
  at: ["GET /issuer/:issuer_ref/pem"],
  style: raw,
  doc: "Returns an issuer's certificate as PEM.",
  reply: {},
  run: async (mount, input) =>
    issuerPemReply(mount, getIssuer(await mount.config(), input.issuer_ref)),
});

export const readIssuerDer = endpoint({
  ...openRead,
  ...reference,
  id: "readIssuerDer",
  at: ["GET /issuer/:issuer_ref/der"],
  style: raw,
  doc: "Returns an issuer's certificate as DER.",
  reply: {},
  run: async (mount, input) => issuerDer(mount, getIssuer(await mount.config(), input.issuer_ref)),
});
