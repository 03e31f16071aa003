import * as ocsp from "../pki/ocsp/ocsp.ts";

/** Endpoints that respond to OCSP requests. */
export const responding = [
  ocsp.askOcsp,
  ocsp.readOcsp,
  ocsp.askUnifiedOcsp,
  ocsp.readUnifiedOcsp,
] as const;
