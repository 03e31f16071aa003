import { endpoint } from "../../wire/endpoint.ts";
import { raw } from "../../wire/style.ts";
import { open } from "./published-certificate.ts";
import { crlDer, crlText, defaultCrl, issuerCrl, type Which } from "./published-crl.ts";

/**
 * Distribution points are the configured addresses of a list with `/shard/<n>-<i>` behind their
 * paths. What certificates name is found whether or not `unified_crl` is on: both lists are the
 * same (D 4).
 */
const ofShard = { ...open, style: raw, reply: {} } as const;
const ofIssuer = { ...ofShard, refuses: ["unknown_issuer"] } as const;
/** The list of a shard, or its delta. */
const whole = ({ shard }: { readonly shard: string }): Which => ({ shard });
const delta = ({ shard }: { readonly shard: string }): Which => ({ shard, delta: true });

export const readShardCrl = endpoint({
  ...ofShard,
  id: "readShardCrl",
  at: ["GET /crl/shard/:shard", "GET /unified-crl/shard/:shard"],
  doc: "The default issuer's CRL of a shard, `<n>-<i>`, as DER.",
  run: async (ca, input) => crlDer(ca, await defaultCrl(ca, whole(input))),
});

export const readShardCrlPem = endpoint({
  ...ofShard,
  id: "readShardCrlPem",
  at: ["GET /crl/pem/shard/:shard", "GET /unified-crl/pem/shard/:shard"],
  doc: "The default issuer's CRL of a shard as PEM.",
  run: async (ca, input) => crlText(ca, await defaultCrl(ca, whole(input))),
});

export const readShardDelta = endpoint({
  ...ofShard,
  id: "readShardDelta",
  at: ["GET /crl/delta/shard/:shard", "GET /unified-crl/delta/shard/:shard"],
  doc: "The default issuer's delta CRL of a shard as DER; without entries while `enable_delta` is off.",
  run: async (ca, input) => crlDer(ca, await defaultCrl(ca, delta(input))),
});

export const readShardDeltaPem = endpoint({
  ...ofShard,
  id: "readShardDeltaPem",
  at: ["GET /crl/delta/pem/shard/:shard", "GET /unified-crl/delta/pem/shard/:shard"],
  doc: "The default issuer's delta CRL of a shard as PEM; without entries while `enable_delta` is off.",
  run: async (ca, input) => crlText(ca, await defaultCrl(ca, delta(input))),
});

export const readIssuerShardCrl = endpoint({
  ...ofIssuer,
  id: "readIssuerShardCrl",
  at: [
    "GET /issuer/:issuer_ref/crl/shard/:shard",
    "GET /issuer/:issuer_ref/crl/der/shard/:shard",
    "GET /issuer/:issuer_ref/unified-crl/shard/:shard",
    "GET /issuer/:issuer_ref/unified-crl/der/shard/:shard",
  ],
  doc: "An issuer's CRL of a shard as DER.",
  run: async (ca, input) => crlDer(ca, await issuerCrl(ca, input.issuer_ref, whole(input))),
});

export const readIssuerShardCrlPem = endpoint({
  ...ofIssuer,
  id: "readIssuerShardCrlPem",
  at: [
    "GET /issuer/:issuer_ref/crl/pem/shard/:shard",
    "GET /issuer/:issuer_ref/unified-crl/pem/shard/:shard",
  ],
  doc: "An issuer's CRL of a shard as PEM.",
  run: async (ca, input) => crlText(ca, await issuerCrl(ca, input.issuer_ref, whole(input))),
});

export const readIssuerShardDelta = endpoint({
  ...ofIssuer,
  id: "readIssuerShardDelta",
  at: [
    "GET /issuer/:issuer_ref/crl/delta/shard/:shard",
    "GET /issuer/:issuer_ref/crl/delta/der/shard/:shard",
    "GET /issuer/:issuer_ref/unified-crl/delta/shard/:shard",
    "GET /issuer/:issuer_ref/unified-crl/delta/der/shard/:shard",
  ],
  doc: "An issuer's delta CRL of a shard as DER; without entries while `enable_delta` is off.",
  run: async (ca, input) => crlDer(ca, await issuerCrl(ca, input.issuer_ref, delta(input))),
});

export const readIssuerShardDeltaPem = endpoint({
  ...ofIssuer,
  id: "readIssuerShardDeltaPem",
  at: [
    "GET /issuer/:issuer_ref/crl/delta/pem/shard/:shard",
    "GET /issuer/:issuer_ref/unified-crl/delta/pem/shard/:shard",
  ],
  doc: "An issuer's delta CRL of a shard as PEM; without entries while `enable_delta` is off.",
  run: async (ca, input) => crlText(ca, await issuerCrl(ca, input.issuer_ref, delta(input))),
});
