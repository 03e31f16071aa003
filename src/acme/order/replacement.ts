import { fromHex } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { lowerAscii } from "../../base/names.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch, Expect, Store } from "../../engine/ports.ts";
import { isIntact, keys, storedPki } from "../../pki/rows/records.ts";
import { readableNames } from "../../pki/request/template.ts";
import { parseCertificate } from "../../x509/certificate.ts";
import { isDeviceType } from "../../x509/device-name.ts";
import {
  acmeIndexes,
  acmeKeys,
  type AcmeIdentifier,
  type OrderRow,
  storedAcme,
} from "../rows/records.ts";
import { findCertificateById, type CertificateById, serialIn } from "./certificate-id.ts";
import { addressOf } from "./csr.ts";
import type { OrderOwner } from "./order-row.ts";

/**
 * Checks that an order may replace a certificate (RFC 9773 section 5): it must belong to the
 * account, share a name with the order, and not have been replaced already. Returns the
 * preconditions for the order's batch, or none if the order replaces no certificate.
 */
export async function requireReplaceable(
  mount: Mount,
  id: string | undefined,
  order: { readonly owner: OrderOwner; readonly identifiers: readonly AcmeIdentifier[] },
): Promise<readonly Expect[]> {
  if (id === undefined) return [];
  const existing = await findCertificateById(mount, id);
  if (!existing || existing.row.acme?.account !== order.owner.account)
    throw new CaError("malformed", "replaces: the account has no such certificate");
  if (!sharesName(existing, order.identifiers))
    throw new CaError(
      "malformed",
      "replaces: the certificate has no name in common with the order",
    );
  const key = replacedKey(existing.serial, order.owner.account);
  const [row] = await mount.store.get([key]);
  if (row)
    throw new CaError(
      "already_replaced",
      `replaces: the order ${storedAcme.replaced(row.value).order} has already replaced the certificate`,
    );
  return [[key, null]];
}
/**
 * Returns the key of the row that records the replacement of an account's certificate. `serial` has
 * the form used in row keys.
 */
const replacedKey = (serial: string, account: string): string =>
  acmeKeys.replaced(fromHex(serial), account);

function sharesName(
  { certificate }: CertificateById,
  identifiers: readonly AcmeIdentifier[],
): boolean {
  const { dns, ip, common, device = [] } = readableNames(certificate);
  const names = new Set(
    [...dns, ...common, ...ip.map((text) => addressOf(text) ?? text)].map(lowerAscii),
  );
  return identifiers.some(({ type, value }) =>
    isDeviceType(type)
      ? device.some((name) => name.type === type && name.value === value)
      : names.has(value),
  );
}

type Change = Required<Pick<Batch, "expect" | "put">>;
/**
 * Returns the change that records which certificate an order replaces, unless another order already
 * replaces that certificate (RFC 9773 section 5). The row expires with that certificate.
 */
export async function replacement(
  store: Store,
  order: string,
  { account, replaces }: OrderRow,
): Promise<Change> {
  const none = { expect: [], put: [] };
  const serial = replaces === undefined ? undefined : serialIn(replaces);
  if (serial === undefined) return none;
  const key = replacedKey(serial, account);
  const [row, replaced] = await store.get([key, keys.cert(fromHex(serial))]);
  const cert = replaced && storedPki.cert(replaced.value);
  // the replacement of a missing or damaged certificate is not recorded
  if (row || !cert || !isIntact(cert)) return none;
  const end = parseCertificate(cert.der).notAfter;
  return { expect: [[key, null]], put: [[key, { order }, { [acmeIndexes.end]: end }]] };
}
