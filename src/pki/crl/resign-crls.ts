import { CaError } from "../../base/errors.ts";
import { serialKey, serialText } from "../../base/ids.ts";
import { decodePem, type PemBlock } from "../../base/pem.ts";
import { verifySignature } from "../../x509/algorithm.ts";
import { eachRevoked, encodeRevokedEntry, parseCrl, type Revoked } from "../../x509/crl.ts";
import { strings } from "../../wire/field.ts";
import { endpoint, type Caller } from "../../wire/endpoint.ts";
import type { SigningIssuer } from "../issuer/issuer.ts";
import { listFields, listSigner, signList, signsList } from "./signed-list.ts";

export const resignCrls = endpoint({
  ...signsList,
  id: "resignCrls",
  audits: { always: true },
  at: ["POST /issuer/:issuer_ref/resign-crls"],
  doc: "Merges CRLs that were signed by the key of one issuer into one signed CRL. Nothing is stored.",
  body: { ...listFields, crls: strings.default([], "CRLs, one PEM block each.") },
  run: (ca, input, caller) =>
    ca.decideFor(caller, async (config, caller) => {
      const issuer = await listSigner(ca, config, input.issuer_ref);
      const entries = await merged(input.crls, issuer, caller);
      const pages = entries.map(encodeRevokedEntry);
      return { reply: { crl: await signList(ca, issuer, input, { pages }) } };
    }),
});

/** The entries of all lists, for each serial number the earliest, without its reason. */
async function merged(crls: readonly string[], issuer: SigningIssuer, caller: Caller) {
  const entries = new Map<string, Revoked>();
  for (const [i, pem] of crls.entries())
    for (const { serial, revokedAt } of await entriesOf(pem, i, issuer)) {
      const key = serialKey(serial);
      const held = entries.get(key);
      if (held && held.revokedAt !== revokedAt)
        caller.warn(
          `Duplicate serial ${serialText(serial)} with different revocation times: the earliest was taken.`,
        );
      if (!held || revokedAt < held.revokedAt) entries.set(key, { serial, revokedAt });
    }
  return [...entries.values()];
}

async function entriesOf(pem: string, index: number, issuer: SigningIssuer) {
  let blocks: readonly PemBlock[] | undefined;
  try {
    blocks = decodePem(pem);
  } catch {
    blocks = undefined;
  }
  const [block] = blocks ?? [];
  if (!block || blocks?.length !== 1)
    throw new CaError("malformed", "invalid crl; should be one PEM block only");
  let crl;
  try {
    crl = parseCrl(block.der);
  } catch (error) {
    throw new CaError(
      "malformed",
      `CRL index: ${index} could not be parsed: ${error instanceof Error ? error.message : ""}`,
    );
  }
  if (!(await verifySignature(issuer.certificate.spki, crl.algorithm, crl.tbs, crl.signature)))
    throw new CaError("malformed", `CRL index: ${index} was not signed by requested issuer`);
  return [...eachRevoked(crl)];
}
