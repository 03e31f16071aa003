import type { Identity } from "../../engine/ports.ts";
import type { AuditShare } from "../../wire/audits.ts";
import type { Caller } from "../../wire/endpoint.ts";
import type { AccountRow } from "../rows/records.ts";

/** Returns the identity that log and audit events show for the signer of a request. */
export const signerOf = (id: string): Identity => ({ id, can: () => false });

/**
 * Returns the audit quota of an account's events. Accounts whose bindings were created by the same
 * caller also share a quota. Anyone can create accounts without a binding, so the events of such an
 * account count towards the quota of the network that registered it.
 */
export const shareOf = (id: string, { eab, network = "" }: AccountRow): AuditShare =>
  eab
    ? { log: "acme", name: `account ${id}`, owner: eab.owner }
    : { log: "public", name: `network ${network}` };

/** Sets the account as the caller in log and audit events. */
export function nameAccount(caller: Caller, id: string, row: AccountRow): void {
  caller.audit.note({ account: id });
  caller.audit.setIdentity(signerOf(`acme account ${id}`), shareOf(id, row));
}
