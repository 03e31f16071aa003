import * as root from "../pki/ca/root.ts";
import {
  generateExportedIntermediate,
  generateIntermediateFromKey,
  generateIntermediateFromManagedKey,
  generateIntermediate,
} from "../pki/ca/intermediate.ts";
import { signIntermediate } from "../pki/ca/sign-intermediate.ts";
import * as imports from "../pki/ca/import.ts";
import * as issuers from "../pki/ca/issuers.ts";
import * as keys from "../pki/ca/keys.ts";
import {
  generateCaKey,
  generateExportedCaKey,
  generateManagedCaKey,
} from "../pki/ca/key-generate.ts";
import { importKey } from "../pki/ca/key-import.ts";
import * as keysConfig from "../pki/ca/keys-config.ts";
import * as issuersConfig from "../pki/ca/issuers-config.ts";

/** Endpoints that create, import and read CAs, and those for CA keys. */
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
  imports.setSigned,
  imports.importCertificates,
  imports.importBundle,
  issuers.readIssuer,
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
