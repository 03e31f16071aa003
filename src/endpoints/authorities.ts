import * as root from "../pki/ca/root.ts";
import {
  generateExportedIntermediate,
  generateIntermediateFromKey,
  generateIntermediateFromManagedKey,
  generateIntermediate,
} from "../pki/ca/intermediate.ts";
import { signIntermediate } from "../pki/ca/sign-intermediate.ts";
import { signSelfIssued, signSelfIssuedWith } from "../pki/ca/self-issued.ts";
import * as imports from "../pki/ca/import.ts";
import * as issuers from "../pki/ca/issuers.ts";
import * as issuerWrite from "../pki/ca/issuer-write.ts";
import * as issuerDelete from "../pki/ca/issuer-delete.ts";
import * as keys from "../pki/ca/keys.ts";
import {
  generateCaKey,
  generateExportedCaKey,
  generateManagedCaKey,
} from "../pki/ca/key-generate.ts";
import { importKey } from "../pki/ca/key-import.ts";
import * as keysConfig from "../pki/ca/keys-config.ts";
import * as issuersConfig from "../pki/ca/issuers-config.ts";

/** Endpoints that create, import and change CAs and their keys. */
export const authorities = [
  root.generateExportedRoot,
  root.generateRootFromKey,
  root.generateRootFromManagedKey,
  root.generateRoot,
  root.rotateExportedRoot,
  root.rotateRootFromKey,
  root.rotateRootFromManagedKey,
  root.rotateRoot,
  generateExportedIntermediate,
  generateIntermediateFromKey,
  generateIntermediateFromManagedKey,
  generateIntermediate,
  signIntermediate,
  signSelfIssued,
  signSelfIssuedWith,
  imports.setSigned,
  imports.importCertificates,
  imports.importBundle,
  issuers.readIssuer,
  issuerWrite.writeIssuer,
  issuerWrite.patchIssuer,
  issuerDelete.deleteIssuer,
  issuerDelete.deleteRoot,
  keys.listKeys,
  generateCaKey,
  generateExportedCaKey,
  generateManagedCaKey,
  importKey,
  keys.readKey,
  keys.writeKey,
  keys.deleteKey,
  keysConfig.readKeysConfig,
  keysConfig.writeKeysConfig,
  issuersConfig.readIssuersConfig,
  issuersConfig.writeIssuersConfig,
  issuersConfig.replaceRoot,
] as const;
