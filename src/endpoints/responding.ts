import * as ocsp from "../pki/ocsp/ocsp.ts";

/** What answers OCSP requests. */
export const responding = [
  ocsp.askOcsp,
  ocsp.readOcsp,
  ocsp.askUnifiedOcsp,
  ocsp.readUnifiedOcsp,
] as const;
