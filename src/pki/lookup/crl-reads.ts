import { CaError } from "../../base/errors.ts";
import { endpoint, type Caller } from "../../wire/endpoint.ts";
import { raw } from "../../wire/style.ts";
import type { CurrentCrl } from "../crl/crl-read.ts";
import { open, unrevoked, worded, wordReply } from "./published-certificate.ts";
import {
  crlDer,
  crlPem,
  crlText,
  defaultCrl,
  delta,
  unified,
  unifiedDelta,
} from "./published-crl.ts";

function asWord(found: CurrentCrl | undefined, caller: Caller) {
  if (!found) throw new CaError("not_found", "");
  caller.modified(found.row.this_update * 1000, found.row.again);
  return { certificate: crlPem(found), ...unrevoked };
}

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
  run: async (ca, _, caller) => asWord(await defaultCrl(ca), caller),
});

export const readDeltaCrl = endpoint({
  ...open,
  id: "readDeltaCrl",
  at: ["GET /crl/delta"],
  style: raw,
  doc: "The default issuer's delta CRL as DER; without entries while `enable_delta` is off.",
  reply: {},
  run: async (ca) => crlDer(ca, await defaultCrl(ca, delta)),
});

export const readDeltaCrlPem = endpoint({
  ...open,
  id: "readDeltaCrlPem",
  at: ["GET /crl/delta/pem"],
  style: raw,
  doc: "The default issuer's delta CRL as PEM; without entries while `enable_delta` is off.",
  reply: {},
  run: async (ca) => crlText(ca, await defaultCrl(ca, delta)),
});

export const readDeltaCrlCert = endpoint({
  ...worded,
  id: "readDeltaCrlCert",
  at: ["GET /cert/delta-crl"],
  doc: "The default issuer's delta CRL.",
  reply: wordReply,
  run: async (ca, _, caller) => asWord(await defaultCrl(ca, delta), caller),
});

export const readUnifiedCrl = endpoint({
  ...open,
  id: "readUnifiedCrl",
  at: ["GET /unified-crl"],
  style: raw,
  doc: "The default issuer's unified CRL as DER; nothing while `unified_crl` is off.",
  reply: {},
  run: async (ca) => crlDer(ca, await defaultCrl(ca, unified)),
});

export const readUnifiedCrlPem = endpoint({
  ...open,
  id: "readUnifiedCrlPem",
  at: ["GET /unified-crl/pem"],
  style: raw,
  doc: "The default issuer's unified CRL as PEM; nothing while `unified_crl` is off.",
  reply: {},
  run: async (ca) => crlText(ca, await defaultCrl(ca, unified)),
});

export const readUnifiedCrlCert = endpoint({
  ...worded,
  id: "readUnifiedCrlCert",
  at: ["GET /cert/unified-crl"],
  doc: "The default issuer's unified CRL.",
  reply: wordReply,
  run: async (ca, _, caller) => asWord(await defaultCrl(ca, unified), caller),
});

export const readUnifiedDeltaCrl = endpoint({
  ...open,
  id: "readUnifiedDeltaCrl",
  at: ["GET /unified-crl/delta"],
  style: raw,
  doc: "The default issuer's unified delta CRL as DER; nothing while `unified_crl` is off.",
  reply: {},
  run: async (ca) => crlDer(ca, await defaultCrl(ca, unifiedDelta)),
});

export const readUnifiedDeltaCrlPem = endpoint({
  ...open,
  id: "readUnifiedDeltaCrlPem",
  at: ["GET /unified-crl/delta/pem"],
  style: raw,
  doc: "The default issuer's unified delta CRL as PEM; nothing while `unified_crl` is off.",
  reply: {},
  run: async (ca) => crlText(ca, await defaultCrl(ca, unifiedDelta)),
});

export const readUnifiedDeltaCrlCert = endpoint({
  ...worded,
  id: "readUnifiedDeltaCrlCert",
  at: ["GET /cert/unified-delta-crl"],
  doc: "The default issuer's unified delta CRL.",
  reply: wordReply,
  run: async (ca, _, caller) => asWord(await defaultCrl(ca, unifiedDelta), caller),
});
