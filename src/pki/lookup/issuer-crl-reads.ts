import { text } from "../../wire/field.ts";
import { endpoint, type Caller } from "../../wire/endpoint.ts";
import { envelope, raw } from "../../wire/style.ts";
import type { CurrentCrl } from "../crl/crl-read.ts";
import { open } from "./published-certificate.ts";
import {
  crlDer,
  crlPem,
  crlText,
  delta,
  issuerCrl,
  unified,
  unifiedDelta,
} from "./published-crl.ts";

const reference = { refuses: ["unknown_issuer"] } as const;
const listed = {
  ...open,
  ...reference,
  style: envelope,
  reply: { crl: text.required("The CRL, PEM; empty when there is none.") },
} as const;
function asMember(found: CurrentCrl | undefined, caller: Caller) {
  if (found) caller.modified(found.row.this_update * 1000, found.row.again);
  return { crl: found ? `${crlPem(found)}\n` : "" };
}

export const readIssuerCrl = endpoint({
  ...listed,
  id: "readIssuerCrl",
  at: ["GET /issuer/:issuer_ref/crl"],
  doc: "An issuer's CRL as PEM; empty when there is none.",
  run: async (ca, input, caller) => asMember(await issuerCrl(ca, input.issuer_ref), caller),
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

export const readIssuerDeltaCrl = endpoint({
  ...listed,
  id: "readIssuerDeltaCrl",
  at: ["GET /issuer/:issuer_ref/crl/delta"],
  doc: "An issuer's delta CRL as PEM; empty when there is none.",
  run: async (ca, input, caller) => asMember(await issuerCrl(ca, input.issuer_ref, delta), caller),
});

export const readIssuerDeltaCrlDer = endpoint({
  ...open,
  ...reference,
  id: "readIssuerDeltaCrlDer",
  at: ["GET /issuer/:issuer_ref/crl/delta/der"],
  style: raw,
  doc: "An issuer's delta CRL as DER; without entries while `enable_delta` is off.",
  reply: {},
  run: async (ca, input) => crlDer(ca, await issuerCrl(ca, input.issuer_ref, delta)),
});

export const readIssuerDeltaCrlPem = endpoint({
  ...open,
  ...reference,
  id: "readIssuerDeltaCrlPem",
  at: ["GET /issuer/:issuer_ref/crl/delta/pem"],
  style: raw,
  doc: "An issuer's delta CRL as PEM; without entries while `enable_delta` is off.",
  reply: {},
  run: async (ca, input) => crlText(ca, await issuerCrl(ca, input.issuer_ref, delta)),
});

export const readIssuerUnifiedCrl = endpoint({
  ...listed,
  id: "readIssuerUnifiedCrl",
  at: ["GET /issuer/:issuer_ref/unified-crl"],
  doc: "An issuer's unified CRL as PEM; empty when there is none.",
  run: async (ca, input, caller) =>
    asMember(await issuerCrl(ca, input.issuer_ref, unified), caller),
});

export const readIssuerUnifiedCrlDer = endpoint({
  ...open,
  ...reference,
  id: "readIssuerUnifiedCrlDer",
  at: ["GET /issuer/:issuer_ref/unified-crl/der"],
  style: raw,
  doc: "An issuer's unified CRL as DER; nothing while `unified_crl` is off.",
  reply: {},
  run: async (ca, input) => crlDer(ca, await issuerCrl(ca, input.issuer_ref, unified)),
});

export const readIssuerUnifiedCrlPem = endpoint({
  ...open,
  ...reference,
  id: "readIssuerUnifiedCrlPem",
  at: ["GET /issuer/:issuer_ref/unified-crl/pem"],
  style: raw,
  doc: "An issuer's unified CRL as PEM; nothing while `unified_crl` is off.",
  reply: {},
  run: async (ca, input) => crlText(ca, await issuerCrl(ca, input.issuer_ref, unified)),
});

export const readIssuerUnifiedDeltaCrl = endpoint({
  ...listed,
  id: "readIssuerUnifiedDeltaCrl",
  at: ["GET /issuer/:issuer_ref/unified-crl/delta"],
  doc: "An issuer's unified delta CRL as PEM; empty when there is none.",
  run: async (ca, input, caller) =>
    asMember(await issuerCrl(ca, input.issuer_ref, unifiedDelta), caller),
});

export const readIssuerUnifiedDeltaCrlDer = endpoint({
  ...open,
  ...reference,
  id: "readIssuerUnifiedDeltaCrlDer",
  at: ["GET /issuer/:issuer_ref/unified-crl/delta/der"],
  style: raw,
  doc: "An issuer's unified delta CRL as DER; nothing while `unified_crl` is off.",
  reply: {},
  run: async (ca, input) => crlDer(ca, await issuerCrl(ca, input.issuer_ref, unifiedDelta)),
});

export const readIssuerUnifiedDeltaCrlPem = endpoint({
  ...open,
  ...reference,
  id: "readIssuerUnifiedDeltaCrlPem",
  at: ["GET /issuer/:issuer_ref/unified-crl/delta/pem"],
  style: raw,
  doc: "An issuer's unified delta CRL as PEM; nothing while `unified_crl` is off.",
  reply: {},
  run: async (ca, input) => crlText(ca, await issuerCrl(ca, input.issuer_ref, unifiedDelta)),
});
