import type { ReadCrlConfigReply, WriteCrlConfigInput } from "../../src/client/pki.ts";

/** The configuration of CRLs and OCSP. Older servers omit some members. */
export type CrlConfig = Partial<ReadCrlConfigReply> & Readonly<Record<string, unknown>>;

/** Name of a CRL or OCSP setting. */
export type CrlSetting = keyof WriteCrlConfigInput;
