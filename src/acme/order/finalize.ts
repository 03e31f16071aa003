import { fromHex } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { serialKey } from "../../base/ids.ts";
import { truncateForMessage } from "../../base/names.ts";
import type { Mount } from "../../engine/mount.ts";
import { areTogether } from "../../engine/placement.ts";
import type { Expect } from "../../engine/ports.ts";
import { keys } from "../../pki/rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { PolicyDecision } from "../../external/issue/question.ts";
import { keyOfJwk } from "../../jose/jwk.ts";
import { signingIssuer } from "../../pki/issuer/issuer.ts";
import { signLeaf } from "../../pki/leaf/issuance.ts";
import type { ApprovedLeaf } from "../../pki/leaf/leaf.ts";
import { checkRequestKey, type SigningRequest } from "../../pki/request/request.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { isDeviceType } from "../../x509/device-name.ts";
import { refusePrimeModulus } from "../../x509/public-key.ts";
import { isAllowedDevice } from "../attestation/allowed-devices.ts";
import { keyFingerprint } from "../attestation/key-fingerprint.ts";
import type { Directory } from "../protocol/directory.ts";
import { acmeEndpoint } from "../protocol/endpoint.ts";
import { exactText } from "../protocol/fields.ts";
import { acmePaths } from "../protocol/paths.ts";
import { selectionOf } from "../protocol/selection.ts";
import { acmeConfig } from "../rows/config.ts";
import type { Account } from "../protocol/signed.ts";
import { acmeKeys, type OrderRow } from "../rows/records.ts";
import {
  type AccountBinding,
  currentBinding,
  expectLimits,
  orderWithin,
  requireWithin,
} from "./binding.ts";
import { omissionsOf } from "./csr-extensions.ts";
import { checkCsr, devicesOf, readCsr } from "./csr.ts";
import { orderReply } from "./fields.ts";
import { leafFromOrder } from "./leaf.ts";
import {
  expectOrder,
  orderObject,
  orderPut,
  ownOrder,
  statusOf,
  type WholeOrder,
  noteCertificate,
  orderKeys,
} from "./order-row.ts";
import { claimOrder, settleClaim, storeClaimed } from "./claim.ts";
import { replacement } from "./replacement.ts";

export const acmeFinalize = acmeEndpoint({
  id: "acmeFinalize",
  audits: { always: true },
  at: acmePaths("POST /order/:order_id/finalize"),
  doc: "Issues the certificate of an order whose authorizations are all valid, for the key in a CSR.",
  key: "kid",
  payload: { csr: exactText.optional("Certificate signing request: base64url-encoded DER.") },
  reply: orderReply,
  refuses: [
    "order_not_ready",
    "bad_csr",
    "invalid_profile",
    "policy_refused",
    "policy_failed",
    "busy",
  ],
  reads: ({ mount, params }) => orderKeys(mount, params.order_id),
  run: async (it) => {
    const { mount, directory, account, params, rows, now, payload } = it;
    const owner = { account: account.id, directory: directory.prefix };
    const stored = await ownOrder(it.read, { id: params.order_id, row: rows[0] }, owner);
    const binding = await currentBinding(it.read, it, now);
    const order = binding ? orderWithin(stored, binding, now) : stored;
    if (binding) requireWithin(binding, order.row);
    if (order.row.claim)
      return {
        after: async () => {
          await settleClaim(mount, order.id);
          return "again";
        },
      };
    requireReady(order, now);
    const request = await readCsr(payload.csr);
    const leaf = await leafOrRequest({ ...it, binding }, order, request);
    if ("queryPolicy" in leaf) return leaf;
    const { row, batch, done, store } = await issued(it, order, {
      leaf,
      warnings: omissionsOf(request, leaf),
      expect: expectLimits(mount, account.id, binding),
    });
    const finish = (): void => {
      noteCertificate(mount, order.id, keys.cert(fromHex(row.serial ?? "")));
      done();
      mount.ports.meter?.count("orders", [mount.name, "valid"]);
    };
    return {
      reply: orderObject({ ...order, row }, now, directory.url),
      headers: { location: directory.url(`/order/${order.id}`) },
      batch,
      ...(store
        ? {
            after: async () => {
              if ((await store()) === "again") return "again";
              finish();
              return undefined;
            },
          }
        : { done: finish }),
    };
  },
});

/** Rejects an order that is not ready to be finalized (B 5.9). */
function requireReady(order: WholeOrder, now: number): void {
  if (order.row.status === "pending" && order.row.expires <= now)
    throw new CaError("malformed", "the order has expired");
  const status = statusOf(order, now);
  if (status !== "ready")
    throw new CaError(
      "order_not_ready",
      `the order is ${status}; only a ready order can be finalized`,
    );
}

/** The context of a finalization. */
interface Finalize {
  readonly mount: Mount;
  readonly config: Snapshot;
  readonly caller: Caller;
  readonly directory: Directory;
  readonly account: Account;
  readonly answered: PolicyDecision | undefined;
  readonly binding: AccountBinding | undefined;
}
/** Returns the leaf of an order, or the external policy request that must be answered first. */
async function leafOrRequest(
  { mount, config, caller, directory, account, answered, binding }: Finalize,
  order: WholeOrder,
  request: SigningRequest,
): Promise<ApprovedLeaf | { readonly queryPolicy: () => Promise<PolicyDecision> }> {
  const { row } = order;
  const selection = await selectionOf(config, directory, row.profile);
  const { issuer_ref, external } = selection;
  const issuer =
    external === undefined ? await signingIssuer(mount, config, issuer_ref) : undefined;
  if (!issuer && devicesOf(row.identifiers).length > 0)
    throw new CaError(
      "bad_csr",
      "an external policy decides in this directory, and external policies cannot certify devices",
    );
  checkCsr(request, {
    identifiers: row.identifiers,
    accountKey: keyOfJwk(account.jwk),
    issuerKey: issuer?.publicKey,
  });
  requireAttested(request, order, config.get(acmeConfig).attestation_devices);
  const acme = { account: account.id, order: order.id };
  const it = { mount, config, caller, order: row, request, acme, binding };
  if (issuer) {
    const leaf = leafFromOrder({ ...it, selection, issuer });
    await checkKey(request);
    return leaf;
  }
  await checkKey(request, "any");
  const by = await import("./by-policy.ts");
  const asking = { ...it, directory, account, order };
  return answered
    ? by.leafFromPolicyAnswer(asking, answered)
    : { queryPolicy: () => by.requestDecision(asking) };
}

/**
 * Throws `bad_csr` if the CSR's key is not the key that each device of the order attested, and
 * `acme_forbidden` if a device may no longer attest. `globs` match the allowed devices.
 */
function requireAttested(
  { publicKey }: SigningRequest,
  { authorizations }: WholeOrder,
  globs: readonly string[],
): void {
  const devices = authorizations.filter(({ row }) => isDeviceType(row.identifier.type));
  if (devices.length === 0) return;
  const key = keyFingerprint(publicKey);
  const other = devices.find(({ row }) => row.attested?.key !== key);
  if (other)
    throw new CaError(
      "bad_csr",
      `the key of the CSR is not the key that was attested for ${truncateForMessage(other.row.identifier.value)}`,
    );
  for (const { row } of devices) {
    const { value } = row.identifier;
    if (!isAllowedDevice(row.attested?.ids ?? [value], globs))
      throw new CaError(
        "acme_forbidden",
        `the device ${truncateForMessage(value)} is no longer in attestation_devices of config/acme`,
      );
  }
}

/**
 * Throws `bad_csr` for a key that is unsuitable for certificates. `keyType` is undefined if the
 * role has already been checked.
 */
async function checkKey(request: SigningRequest, keyType?: "any"): Promise<void> {
  try {
    checkRequestKey(request, keyType, 0);
    await refusePrimeModulus(request.publicKey);
  } catch (error) {
    throw error instanceof CaError ? new CaError("bad_csr", error.message) : error;
  }
}

/** The leaf of an order, and the parts of the CSR that it omits. */
interface Finalized {
  readonly leaf: ApprovedLeaf;
  readonly warnings: readonly string[];
  /** Additional preconditions of the batch. */
  readonly expect: readonly Expect[];
}
/**
 * Returns the batch that stores the certificate of an order and marks the order as valid. If the
 * certificate belongs to another partition, the batch only claims the order, and `store` does the
 * rest.
 */
async function issued(
  { mount, config, caller }: Pick<Finalize, "mount" | "config" | "caller">,
  { row: before, ...order }: WholeOrder,
  { leaf, warnings, expect }: Finalized,
) {
  const [{ serial, batch, done }, replaced] = await Promise.all([
    signLeaf({ mount, config, caller }, leaf),
    replacement(mount.store, order.id, before),
  ]);
  const row: OrderRow = {
    ...before,
    status: "valid",
    serial: serialKey(serial),
    ends: leaf.own.notAfter,
    ...(warnings.length > 0 ? { warnings } : {}),
  };
  // all authorizations must still be valid, and no certificate may have been issued yet
  const unchanged = [...expectOrder({ ...order, row: before }), ...expect];
  if (batch && !areTogether(mount.store, keys.cert(serial), acmeKeys.order(order.id))) {
    const { claim, put } = claimOrder(mount, order.id, { before, valid: row });
    const certificate = { ...batch, onlyAtEpoch: config.epoch };
    return {
      row,
      batch: { expect: unchanged, put },
      done,
      store: () => storeClaimed(mount, order.id, { claim, certificate }),
    };
  }
  return {
    row,
    batch: {
      expect: [...unchanged, ...(batch?.expect ?? []), ...replaced.expect],
      put: [orderPut(order.id, row), ...(batch?.put ?? []), ...replaced.put],
      ...(batch?.log ? { log: batch.log } : {}),
    },
    done,
  };
}
