import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import { text } from "../../wire/field.ts";
import { endpoint, type Caller } from "../../wire/endpoint.ts";
import { envelope, raw } from "../../wire/style.ts";
import type { CurrentCrl } from "../crl/crl-read.ts";
import {
  openRead,
  unrevokedMembers,
  certificateReads,
  wordReply,
} from "./published-certificate.ts";
import {
  crlDer,
  crlPem,
  crlText,
  defaultCrl,
  issuerCrl,
  type CrlSelector,
} from "./published-crl.ts";

/** A kind of CRL with its own URL paths. */
interface CrlScope {
  /** The part of the endpoint IDs that identifies the kind of CRL. */
  readonly id: string;
  /** URL paths under the mount or an issuer, with a leading slash. */
  readonly paths: readonly `/${string}`[];
  /**
   * The word that selects the CRL in place of a serial number (`cert/<word>`), or undefined for
   * shards.
   */
  readonly word?: string;
  readonly noun: string;
  /**
   * End of the endpoint's description, which says when the CRL has no entries or the response is
   * empty.
   */
  readonly note: string;
  readonly which: CrlSelector;
}
const noEntries = ". It has no entries while `enable_delta` is off";
const notUnified = ". The response is empty while `unified_crl` is off";
const complete: CrlScope = {
  id: "Crl",
  paths: ["/crl"],
  word: "crl",
  noun: "CRL",
  note: "",
  which: {},
};
const delta: CrlScope = {
  id: "DeltaCrl",
  paths: ["/crl/delta"],
  word: "delta-crl",
  noun: "delta CRL",
  note: noEntries,
  which: { delta: true },
};
const unified: CrlScope = {
  id: "UnifiedCrl",
  paths: ["/unified-crl"],
  word: "unified-crl",
  noun: "unified CRL",
  note: notUnified,
  which: { unified: true },
};
const unifiedDelta: CrlScope = {
  id: "UnifiedDeltaCrl",
  paths: ["/unified-crl/delta"],
  word: "unified-delta-crl",
  noun: "unified delta CRL",
  note: notUnified,
  which: { delta: true, unified: true },
};
/**
 * The CRLs of shards. Their distribution points are the configured URLs of the unsharded CRL, with
 * `/shard/<n>-<i>` appended to the path. Both paths work with and without `unified_crl`, because
 * they serve the same CRL (D 4).
 */
const shard: CrlScope = {
  id: "ShardCrl",
  paths: ["/crl", "/unified-crl"],
  noun: "CRL of a shard",
  note: "",
  which: {},
};
const shardDelta: CrlScope = {
  id: "ShardDelta",
  paths: ["/crl/delta", "/unified-crl/delta"],
  noun: "delta CRL of a shard",
  note: noEntries,
  which: { delta: true },
};

/** The URL path parameters that select a CRL. */
interface CrlPath {
  readonly issuer_ref?: string;
  readonly shard?: string;
}
type CrlEndpointPath = `GET /${string}`;
const findCrl = (mount: Mount, path: CrlPath, scope: CrlScope): Promise<CurrentCrl | undefined> => {
  const which = path.shard === undefined ? scope.which : { ...scope.which, shard: path.shard };
  return path.issuer_ref === undefined
    ? defaultCrl(mount, which)
    : issuerCrl(mount, path.issuer_ref, which);
};

/** Declares an endpoint that replies with a CRL as DER or PEM. */
const rawEndpoint = (
  id: string,
  at: readonly CrlEndpointPath[],
  scope: CrlScope,
  format: "DER" | "PEM",
) => {
  const isDefault = !at.some((path) => path.includes(":issuer_ref"));
  const bytes = format === "DER" ? crlDer : crlText;
  return endpoint({
    ...openRead,
    ...(isDefault ? {} : { refuses: ["unknown_issuer"] as const }),
    id,
    at,
    style: raw,
    doc: `Returns ${isDefault ? "the default issuer" : "an issuer"}'s ${scope.noun} as ${format}${scope.note}.`,
    reply: {},
    run: async (mount, input) => bytes(mount, await findCrl(mount, input, scope)),
  });
};
const noteDate = ({ row }: CurrentCrl, caller: Caller): void =>
  caller.reply.modified(row.this_update * 1000, row.again);

/**
 * Declares the endpoints that return a CRL of the default issuer: as DER, as PEM, and in JSON under
 * `cert/<word>`.
 */
function defaultReads(scope: CrlScope) {
  const [path = "/"] = scope.paths;
  return [
    rawEndpoint(`read${scope.id}`, [`GET ${path}`], scope, "DER"),
    rawEndpoint(`read${scope.id}Pem`, [`GET ${path}/pem`], scope, "PEM"),
    endpoint({
      ...certificateReads,
      id: `read${scope.id}Cert`,
      at: [`GET /cert/${scope.word ?? ""}`],
      doc: `Returns the default issuer's ${scope.noun}.`,
      reply: wordReply,
      run: async (mount, _, caller) => {
        const crl = await defaultCrl(mount, scope.which);
        if (!crl) throw new CaError("not_found", "");
        noteDate(crl, caller);
        return { certificate: crlPem(crl), ...unrevokedMembers };
      },
    }),
  ] as const;
}
/** Declares the endpoints that return a CRL of a named issuer: in JSON, as DER and as PEM. */
function issuerReads(scope: CrlScope) {
  const path = `GET /issuer/:issuer_ref${scope.paths[0] ?? ""}` as const;
  return [
    endpoint({
      ...openRead,
      id: `readIssuer${scope.id}`,
      at: [path],
      style: envelope,
      doc: `Returns an issuer's ${scope.noun} as PEM.`,
      reply: { crl: text.required("CRL, PEM; empty if there is none.") },
      refuses: ["unknown_issuer"],
      run: async (mount, input, caller) => {
        const crl = await findCrl(mount, input, scope);
        if (crl) noteDate(crl, caller);
        return { crl: crl ? `${crlPem(crl)}\n` : "" };
      },
    }),
    rawEndpoint(`readIssuer${scope.id}Der`, [`${path}/der`], scope, "DER"),
    rawEndpoint(`readIssuer${scope.id}Pem`, [`${path}/pem`], scope, "PEM"),
  ] as const;
}
/** Declares the endpoints that return the CRL of a shard: as DER and as PEM. */
function shardReads(scope: CrlScope, owner: "" | "Issuer") {
  const base = owner === "" ? "GET " : "GET /issuer/:issuer_ref";
  const at = (forms: readonly string[]): readonly CrlEndpointPath[] =>
    scope.paths.flatMap((path) =>
      forms.map((form): CrlEndpointPath => `${base}${path}${form}/shard/:shard`),
    );
  return [
    rawEndpoint(`read${owner}${scope.id}`, at(owner === "" ? [""] : ["", "/der"]), scope, "DER"),
    rawEndpoint(`read${owner}${scope.id}Pem`, at(["/pem"]), scope, "PEM"),
  ] as const;
}

/** The endpoints that read the CRLs of the default issuer. */
export const defaultCrlReads = [
  ...[complete, delta, unified, unifiedDelta].flatMap(defaultReads),
  ...[shard, shardDelta].flatMap((scope) => shardReads(scope, "")),
];
/** The endpoints that read the CRLs of a named issuer. */
export const issuerCrlReads = [
  ...[complete, delta, unified, unifiedDelta].flatMap(issuerReads),
  ...[shard, shardDelta].flatMap((scope) => shardReads(scope, "Issuer")),
];
