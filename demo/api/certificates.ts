import type {
  IssueInput,
  IssueReply,
  ReadCertReply,
  RevokeReply,
  SignInput,
  SignReply,
} from "../../src/client/pki.ts";
import { call, listing, readData } from "./call.ts";
import * as pki from "./endpoints/pki.ts";
import type { Reply } from "./transport.ts";
import { colons } from "../lib/hex-text.ts";
import type { Reason } from "../lib/revocation-reasons.ts";

/** The response of `issue` and `sign`. Only `issue` returns a private key. */
export type IssuedCertificate = SignReply &
  Partial<Record<keyof Pick<IssueReply, "private_key" | "private_key_type">, string>>;

/** The fields of a request to `issue`, other than the role. */
export type IssueFields = Omit<IssueInput, "role">;
/** The fields of a request to `sign`, other than the role. */
export type SignFields = Omit<SignInput, "role">;

export const issue = (role: string, fields: IssueFields): Promise<Reply<IssuedCertificate>> =>
  call(pki.issue, { ...fields, role });

export const sign = (role: string, fields: SignFields): Promise<Reply<IssuedCertificate>> =>
  call(pki.sign, { ...fields, role });

export const serials = async (): Promise<readonly string[]> => (await listing(pki.listCerts)).keys;

export const certificate = (serial: string): Promise<ReadCertReply> =>
  readData(pki.readCert, { serial: colons(serial) });

/** Returns certificates (PEM) by serial number; null for certificates that are not stored. */
export const certificates = async (
  serials: readonly string[],
): Promise<Readonly<Record<string, string | null>>> =>
  (await readData(pki.readCertBatch, { serial_numbers: serials })).certificates;

export const revoke = (serial: string, reason: Reason): Promise<Reply<RevokeReply>> =>
  call(pki.revoke, { serial_number: colons(serial), reason: reason || undefined });

/** Revokes a certificate, with its private key (PEM) as proof of possession. */
export const revokeWithKey = (
  serial: string,
  key: string,
  reason: Reason,
): Promise<Reply<RevokeReply>> =>
  call(pki.revokeWithKey, {
    serial_number: colons(serial),
    private_key: key,
    reason: reason || undefined,
  });
