import { issuersById, type CertRow } from "../../pki/rows/records.ts";
import { fromHex } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { chainRows } from "../../pki/issuer/issuer.ts";
import { certificatePem, issuerPem } from "../../pki/issuer/output.ts";
import { storedCertificate } from "../../pki/issuer/stored-certificate.ts";
import { acmeEndpoint } from "../protocol/endpoint.ts";
import { acmePaths } from "../protocol/paths.ts";
import { AcmeProblem } from "../protocol/problem.ts";
import { ownOrder, ownOrderRow, statusOf, certificateKeys } from "./order-row.ts";
import { waitOfOrder } from "./wait.ts";

export const acmeCertificate = acmeEndpoint({
  id: "acmeCertificate",
  at: acmePaths("POST /order/:order_id/cert"),
  doc: "Returns the certificate of an order with its full chain, including the root, as PEM.",
  key: "kid",
  payload: "post-as-get",
  reply: {},
  refuses: ["order_not_ready", "damaged"],
  reads: ({ mount, params }) => certificateKeys(mount, params.order_id),
  run: async ({ mount, config, directory, account, params, rows: [row], read, now }) => {
    const owner = { account: account.id, directory: directory.prefix };
    const named = { id: params.order_id, row };
    // once there is a certificate, the authorizations no longer matter
    const { serial } = ownOrderRow(named, owner).row;
    if (serial === undefined) {
      const order = await ownOrder(read, named, owner);
      throw new AcmeProblem(
        "order_not_ready",
        `the order is ${statusOf(order, now)} and has no certificate`,
        { headers: waitOfOrder(order, mount.ports.now()) },
      );
    }
    const stored = await storedCertificate({ store: { get: read } }, fromHex(serial));
    if (!stored) throw new CaError("malformed", "the certificate of the order was deleted");
    return {
      reply: {
        type: "application/pem-certificate-chain",
        bytes: chainOf(config, stored.value),
      },
    };
  },
});

/**
 * Returns the certificate and the current chain of its issuer, or only the certificate if the
 * issuer was deleted.
 */
function chainOf(config: Snapshot, { der, issuer }: CertRow): string {
  const row = issuer === "" ? undefined : config.get(issuersById).get(issuer);
  const above = row ? chainRows(config, row).map(issuerPem) : [];
  return [certificatePem(der), ...above].map((pem) => `${pem}\n`).join("");
}
