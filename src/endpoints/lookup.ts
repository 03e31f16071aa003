import * as caReads from "../pki/lookup/ca-reads.ts";
import { defaultCrlReads, issuerCrlReads } from "../pki/lookup/crl-reads.ts";
import * as certs from "../pki/lookup/certs.ts";
import { listIssuers } from "../pki/ca/issuer-list.ts";
import * as issuerReads from "../pki/lookup/issuer-reads.ts";

/** Endpoints that return CA certificates, CRLs and certificates, and list issuers. */
export const lookup = [
  caReads.readCaPem,
  caReads.readCa,
  caReads.readCaChain,
  caReads.readCaCert,
  caReads.readChainCert,
  ...defaultCrlReads,
  certs.readCert,
  certs.readCertRaw,
  certs.readCertPem,
  certs.listCerts,
  certs.listRevoked,
  listIssuers,
  issuerReads.readIssuerJson,
  issuerReads.readIssuerPem,
  issuerReads.readIssuerDer,
  ...issuerCrlReads,
] as const;
