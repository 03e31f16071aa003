import { askOcsp, askUnifiedOcsp, readOcsp, readUnifiedOcsp } from "../pki/ocsp/ocsp.ts";

/** Endpoints that respond to OCSP requests. */
export const ocsp = [askOcsp, readOcsp, askUnifiedOcsp, readUnifiedOcsp] as const;
