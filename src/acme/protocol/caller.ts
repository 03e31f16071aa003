import type { Identity } from "../../engine/ports.ts";
import type { AuditShare } from "../../wire/audits.ts";
import type { Caller } from "../../wire/endpoint.ts";
import type { AccountRow } from "../rows/records.ts";

/** Returns the caller that signs a request, as log and audit name it. */
export const signerOf = (id: string): Identity => ({ id, can: () => false });

/**
 * Returns the audit shares of an account's events. Accounts with bindings created by one caller
 * also have a common share. Anyone can create accounts without a binding, so that the registering
 * network has the share.
 */
export const shareOf = (id: string, { eab, network = "" }: AccountRow): AuditShare =>
  eab
    ? { log: "acme", name: `account ${id}`, owner: eab.owner }
    : { log: "public", name: `network ${network}` };

/** Names the account as the caller in log and audit. */
export function nameAccount(caller: Caller, id: string, row: AccountRow): void {
  caller.audit.note({ account: id });
  caller.audit.setIdentity(signerOf(`acme account ${id}`), shareOf(id, row));
}
