import { serialText, uuid } from "../../base/ids.ts";
import { goDuration } from "../../base/duration.ts";
import { effectiveTtls } from "../../engine/new-mount.ts";
import type { Batch } from "../../engine/ports.ts";
import { certIndex, certRow, keys } from "../../engine/records.ts";
import { certify } from "../issuer/certify.ts";
import { chainRows } from "../issuer/issuer.ts";
import { certificateOutput, privateKeyOutput } from "../issuer/output.ts";
import { newSerial } from "../issuer/serial.ts";
import type { Case } from "../request/case.ts";
import { templateName } from "../request/first-name.ts";
import type { JudgedLeaf } from "./leaf.ts";
import { metadataRow } from "./metadata.ts";
import { planFor } from "./plan.ts";
import { noteSerial } from "../request/serial-note.ts";

type Asked = Omit<Case<{ readonly remove_roots_from_chain: boolean }>, "judge">;
/** The private key that was made for a leaf, PKCS#8, and whether it is shown so. */
interface NewKey {
  readonly pkcs8: Uint8Array;
  readonly asPkcs8: boolean;
}

/**
 * Signs a leaf as it was judged, under a new serial number. Returns the reply, and the batch that
 * stores the certificate, if anything is stored.
 */
export async function issueLeaf(it: Asked, leaf: JudgedLeaf, key?: NewKey) {
  const { ca, config, caller, input } = it;
  const { issuer, profile, own, format } = leaf;
  const serial = await newSerial(ca, config);
  const der = await certify(planFor(config, issuer, profile), own, serial);
  leaseFor(it, leaf);
  noteSerial(caller, serialText(serial));
  const shown = await certificateOutput({
    der,
    serial,
    notAfter: own.notAfter,
    issuer: issuer.row,
    chain: chainRows(config, issuer.row),
    format,
    dialect: caller.dialect,
    removeRoots: input.remove_roots_from_chain,
    ...(key ? { pkcs8: key.pkcs8 } : {}),
  });
  const reply = { ...shown, ...(key ? privateKeyOutput(key.pkcs8, format, key.asPkcs8) : {}) };
  if (key) await caller.keep?.(reply);
  const batch = batchFor(leaf, { serial, der });
  return { reply, ...(batch ? { batch } : {}) };
}

/**
 * Gives the reply a lease where the role wants one: until the certificate ends, at most the maximum
 * of the mount (A 1.7, D 2, Leases).
 */
function leaseFor({ ca, config, caller }: Asked, { rules, path, own }: JudgedLeaf): void {
  if (!rules.generate_lease || rules.no_store) return;
  const left = Math.max(0, own.notAfter - Math.floor(ca.ports.now() / 1000));
  const { max } = effectiveTtls(config.mount);
  if (left > max)
    caller.warn(
      `The lease ends after ${goDuration(max)}, the mount's maximum, before the certificate does.`,
    );
  const id = `${config.mount.path}/${path}/${uuid(ca.ports.random)}`;
  caller.lease(id, Math.min(left, max));
}

/**
 * The batch that stores a certificate under its serial number, which must be new, and its metadata;
 * undefined when nothing is stored.
 */
function batchFor(
  { issuer, own, role, rules, metadata }: JudgedLeaf,
  { serial, der }: { readonly serial: Uint8Array; readonly der: Uint8Array },
): Batch | undefined {
  const { id, crl_set } = issuer.row;
  const { notAfter } = own;
  const beside =
    metadata === undefined ? [] : [metadataRow(serial, { issuer: id, role, notAfter, metadata })];
  if (rules.no_store) return metadata === undefined ? undefined : { put: beside };
  const key = keys.cert(serial);
  const index = certIndex(notAfter, templateName(own), role, id);
  return {
    expect: [[key, null]],
    put: [[key, certRow({ der, issuer: id, crl_set, role }), index], ...beside],
  };
}
