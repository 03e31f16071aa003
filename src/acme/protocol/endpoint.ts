import type { Refusal } from "../../base/errors.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { bytes, type Shape } from "../../wire/field.ts";
import type { AllParams } from "../../wire/route-patterns.ts";
import { answerAcme } from "./answer.ts";
import type { AcmeDeclaration, Payload } from "./declaration.ts";
import type { AcmePath } from "./paths.ts";
import type { KeyUse } from "./signed.ts";
import { acmeStyle } from "./style.ts";

/** Error codes of every JWS endpoint; `ofKey` adds those that depend on the signing key. */
const general: readonly Refusal[] = [
  "acme_disabled",
  "acme_forbidden",
  "acme_unauthorized",
  "bad_nonce",
  "bad_signature_algorithm",
  "server_internal",
];
const ofKey: Readonly<Record<KeyUse, readonly Refusal[]>> = {
  kid: ["account_does_not_exist", "external_account_required"],
  jwk: ["bad_public_key"],
  either: ["account_does_not_exist", "external_account_required", "bad_public_key"],
};

const jws = bytes.required(
  "JWS in flattened JSON serialization (RFC 7515 section 7.2.2). Its protected header has alg, nonce, url, and either jwk or kid (RFC 8555 section 6.2).",
);

/**
 * Declares an ACME endpoint whose requests are JWSs (RFC 8555 section 6). Handles everything that
 * these endpoints have in common: whether ACME is enabled, the JWS, the account, the nonce, headers
 * and problem documents. Example:
 *
 * ```ts
 * export const readOrder = acmeEndpoint({
 *   id: "acmeOrder",
 *   at: acmePaths("POST /order/:order_id"),
 *   doc: "Returns an order.",
 *   key: "kid",
 *   payload: "post-as-get",
 *   reply: orderReply,
 *   reads: ({ params }) => [acmeKeys.order(params.order_id)],
 *   run: async ({ rows: [row], account, directory, params }) => {
 *     const order = row && stored.order(row.value);
 *     if (order?.account !== account.id) throw new CaError("malformed", "there is no such order");
 *     return {
 *       reply: printed(order),
 *       headers: { location: directory.url(`/order/${params.order_id}`) },
 *       // if it changes rows: batch: { expect: [[key, row.rev]], put: [[key, value, index]] },
 *     };
 *   },
 * });
 * ```
 */
export const acmeEndpoint = <
  const Id extends string,
  const P extends AcmePath<"POST", string>,
  const K extends KeyUse,
  const L extends Payload,
  R extends Shape,
>(
  declared: AcmeDeclaration<Id, P, L, K, R>,
) => ({
  key: declared.key,
  ...endpoint({
    id: declared.id,
    at: declared.at,
    doc: declared.doc,
    access: "open",
    style: acmeStyle,
    bodyLimits: { bytes: 64 * 1024, members: 2000 },
    body: { jws },
    reply: declared.reply,
    ...(declared.audits ? { audits: declared.audits } : {}),
    ...(declared.status ? { status: declared.status } : {}),
    refuses: [...new Set([...general, ...ofKey[declared.key], ...(declared.refuses ?? [])])],
    run: (mount, { jws: body, ...params }, caller) =>
      // the types of the parameters follow from the declared paths
      answerAcme(declared, { mount, caller, body, params: params as unknown as AllParams<P> }),
  }),
});
