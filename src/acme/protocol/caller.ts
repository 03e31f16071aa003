import type { Identity } from "../../engine/ports.ts";
import type { AuditShare } from "../../wire/audits.ts";
import type { Caller } from "../../wire/endpoint.ts";
import type { AccountRow } from "../rows/records.ts";

/** Returns the caller that signs a request, as log and audit name it. */
export const signerOf = (id: string): Identity => ({ id, can: () => false });

/**
 * Returns where the events of an account go. Accounts whose bindings one caller has created have a
 * second share together. Accounts without a binding are free, so that the network which registered
 * them has the share.
 */
export const shareOf = (id: string, { eab, network = "" }: AccountRow): AuditShare =>
  eab
    ? { log: "acme", name: `account ${id}`, owner: eab.owner }
    : { log: "public", name: `network ${network}` };

/** Tells log and audit which account is the caller. */
export function nameAccount(caller: Caller, id: string, row: AccountRow): void {
  caller.note({ account: id });
  caller.setIdentity(signerOf(`acme account ${id}`), shareOf(id, row));
}
