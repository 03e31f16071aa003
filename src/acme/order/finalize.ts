import { fromHex } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { serialKey } from "../../base/ids.ts";
import { acmeIndexes, acmeKeys, type OrderRow } from "../../engine/acme-records.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch, Store } from "../../engine/ports.ts";
import { isIntact, keys } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { stored } from "../../engine/stored.ts";
import { signingIssuer } from "../../pki/issuer/issuer.ts";
import { signLeaf } from "../../pki/leaf/issuance.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { parseCertificate } from "../../x509/certificate.ts";
import { selectionOf } from "../front/selection.ts";
import type { Account } from "../front/signed.ts";
import type { Directory } from "../front/directory.ts";
import { acmeEndpoint } from "../front/endpoint.ts";
import { exactText } from "../front/fields.ts";
import { acmePaths } from "../front/paths.ts";
import { keyOfJwk } from "../jws/jwk.ts";
import { serialIn } from "./certificate-id.ts";
import { checkCsr, readCsr } from "./csr.ts";
import { orderReply } from "./fields.ts";
import { judgeOrder } from "./leaf.ts";
import {
  expecting,
  orderObject,
  orderPut,
  ownOrder,
  statusOf,
  type WholeOrder,
} from "./order-row.ts";
import { replacedKey } from "./replacement.ts";

export const acmeFinalize = acmeEndpoint({
  id: "acmeFinalize",
  at: acmePaths("POST /order/:order_id/finalize"),
  doc: "Issues the certificate of an order whose authorizations are valid, for the key of a CSR.",
  key: "kid",
  payload: { csr: exactText.optional("Certificate signing request: base64url of its DER.") },
  reply: orderReply,
  refuses: ["order_not_ready", "bad_csr", "invalid_profile"],
  reads: ({ params }) => [acmeKeys.order(params.order_id)],
  run: async (it) => {
    const { ca, directory, account, params, rows, now, payload } = it;
    const owner = { account: account.id, directory: directory.prefix };
    const order = await ownOrder(ca.store, { id: params.order_id, row: rows[0] }, owner);
    demandReady(order, now);
    const { row, batch, done } = await issued(it, order, payload.csr);
    return {
      reply: orderObject({ ...order, row }, now, directory.url),
      headers: { location: directory.url(`/order/${order.id}`) },
      batch,
      ...(done ? { done } : {}),
    };
  },
});

/** Refuses an order that cannot be finalized now (B 5.9). */
function demandReady(order: WholeOrder, now: number): void {
  if (order.row.status === "pending" && order.row.expires <= now)
    throw new CaError("malformed", "the order has expired");
  const status = statusOf(order, now);
  if (status !== "ready")
    throw new CaError(
      "order_not_ready",
      `the order is ${status}, and only a ready one is finalized`,
    );
}

/** Who finalizes, and where. */
interface Finalize {
  readonly ca: Mount;
  readonly config: Snapshot;
  readonly caller: Caller;
  readonly directory: Directory;
  readonly account: Account;
}
/** The certificate of an order, and the one batch that stores it and says so in the order. */
async function issued(
  { ca, config, caller, directory, account }: Finalize,
  { row: before, ...order }: WholeOrder,
  csr: string | undefined,
) {
  const request = await readCsr(csr);
  const selection = await selectionOf(config, directory, before.profile);
  const issuer = await signingIssuer(ca, config, selection.issuer_ref);
  checkCsr(request, {
    identifiers: before.identifiers,
    accountKey: keyOfJwk(account.jwk),
    issuerKey: issuer.publicKey,
    anyPurpose: config.acme.allow_role_ext_key_usage,
  });
  const acme = { account: account.id, order: order.id };
  const leaf = judgeOrder({ ca, config, caller, order: before, selection, issuer, request, acme });
  const [{ serial, batch, done }, replaced] = await Promise.all([
    signLeaf({ ca, config, caller }, leaf),
    replacement(ca.store, order.id, before),
  ]);
  const row: OrderRow = {
    ...before,
    status: "valid",
    serial: serialKey(serial),
    ends: leaf.own.notAfter,
  };
  return {
    row,
    batch: {
      // the same rows still say that all names are proven, and that nothing was issued yet
      expect: [
        ...expecting({ ...order, row: before }),
        ...(batch?.expect ?? []),
        ...replaced.expect,
      ],
      put: [orderPut(order.id, row), ...(batch?.put ?? []), ...replaced.put],
    },
    ...(done ? { done } : {}),
  };
}

type Change = Required<Pick<Batch, "expect" | "put">>;
/**
 * What says that an order has replaced a certificate, where none has (RFC 9773 section 5). It goes
 * when that certificate ends.
 */
async function replacement(store: Store, order: string, { replaces }: OrderRow): Promise<Change> {
  const none = { expect: [], put: [] };
  const serial = replaces === undefined ? undefined : serialIn(replaces);
  if (serial === undefined) return none;
  const key = replacedKey(serial);
  const [row, replaced] = await store.get([key, keys.cert(fromHex(serial))]);
  const cert = replaced && stored.cert(replaced.value);
  // what is not there any more, or cannot be read, is replaced no second time
  if (row || !cert || !isIntact(cert)) return none;
  const end = parseCertificate(cert.der).notAfter;
  return { expect: [[key, null]], put: [[key, { order }, { [acmeIndexes.end]: end }]] };
}
