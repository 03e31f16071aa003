import { issue, type IssuedCertificate } from "../../api/certificates.ts";
import { row } from "../../api/inventory.ts";
import { fieldsOf } from "../../lib/request-fields.ts";
import type { InventoryRow } from "../../api/inventory-search.ts";
import { asError } from "../../lib/store.ts";
import { fileName } from "../../lib/file-name.ts";
import { bareHex } from "../../lib/hex-text.ts";
import { utf8, type Bytes } from "../../../src/base/bytes.ts";
import { zip } from "./zip.ts";

/** Returns why a certificate is skipped in a bulk renewal, or an empty string if it is renewed. */
export function notRenewed({ authority, acme, role }: InventoryRow): string {
  if (authority) return "a CA certificate";
  if (acme) return "its ACME client renews it";
  return role === "" ? "its issuing role is unknown" : "";
}

/** The result of renewing a certificate. */
export interface RenewalResult {
  readonly of: InventoryRow;
  readonly issued?: IssuedCertificate;
  /** The error; empty on success. */
  readonly why: string;
}

/** Renews a certificate: issues one with the same names, the same role and a new key. */
export async function renewOne(of: InventoryRow): Promise<RenewalResult> {
  try {
    const { view } = await row(of.serial, new Date());
    const names = [view.commonName, ...view.names.map(({ value }) => value)];
    const { data } = await issue(of.role, { ...fieldsOf(names), private_key_format: "pkcs8" });
    return { of, issued: data, why: "" };
  } catch (error) {
    return { of, why: asError(error).message };
  }
}

/**
 * Returns a ZIP archive with one file per certificate. The file contains the certificate's key and
 * chain.
 */
export const archiveOf = (all: readonly RenewalResult[]): Bytes =>
  zip(
    all.flatMap(({ of, issued }) => {
      if (!issued) return [];
      const chain = [issued.certificate, ...(issued.ca_chain ?? [issued.issuing_ca]).slice(0, -1)];
      const text = [issued.private_key ?? "", ...chain].map((pem) => `${pem.trim()}\n`).join("");
      const name = fileName(of.title, bareHex(issued.serial_number));
      return [[`${name}.key-and-chain.pem`, utf8(text)] as const];
    }),
  );
