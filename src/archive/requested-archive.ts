import { toBase64 } from "../base/bytes.ts";
import type { RandomBytes } from "../base/random-text.ts";
import { CaError } from "../base/errors.ts";
import { parseCertificate } from "../x509/certificate.ts";
import { nameValues } from "../x509/name.ts";
import { nameOid } from "../x509/oid.ts";
import { jksAlias, writeJks } from "./jks.ts";
import { archivePassword, checkCharacters } from "./password.ts";
import { writePkcs12, type ArchiveContents, type Encoder } from "./pkcs12.ts";

/** Archive formats that a request can select (A 6.9). */
export type ArchiveFormat = "pkcs12_bundle" | "jks_bundle";

/** The archive options in a request. */
export interface ArchiveInput {
  readonly pkcs12_encoder: string;
  readonly pkcs12_password?: string | undefined;
  readonly jks_password?: string | undefined;
  readonly jks_private_key_alias?: string;
}

/** Members of a response: the archive in base64, and its password if it was generated. */
export interface ArchiveMembers {
  readonly certificate: string;
  readonly pkcs12_password?: string;
  readonly jks_password?: string;
}
/** A requested archive whose parameters have been checked. */
export interface RequestedArchive {
  write(contents: ArchiveContents): Promise<ArchiveMembers>;
}
/** Sources of randomness and time for archives. */
export interface ArchiveSources {
  readonly random: RandomBytes;
  /** Returns the current time in Unix milliseconds. */
  now(): number;
}

/** Minimum length of a password that keytool accepts, in characters. */
const minJksPassword = 6;
/** Maximum length of a common name that becomes the friendly name of a key. */
const maxNameLength = 64;

/**
 * Validates the archive options in a request. Generates a missing password, which the response then
 * contains. Throws `CaError` `malformed` for invalid options.
 */
export function readArchiveRequest(
  format: ArchiveFormat,
  input: ArchiveInput,
  sources: ArchiveSources,
): RequestedArchive {
  return format === "jks_bundle" ? jks(input, sources) : pkcs12(input, sources);
}

function jks(input: ArchiveInput, { random, now }: ArchiveSources): RequestedArchive {
  const { jks_password: sent, jks_private_key_alias: called = "1" } = input;
  const password = archivePassword(sent, {
    field: "jks_password",
    minLength: minJksPassword,
    random,
  });
  const alias = jksAlias(called, "jks_private_key_alias");
  return {
    // eslint-disable-next-line require-await -- asynchronous like the function for PKCS#12
    write: async (contents) => ({
      certificate: toBase64(writeJks(contents, { password, random, now: now(), alias })),
      ...(sent === undefined && { jks_password: password }),
    }),
  };
}

function pkcs12(input: ArchiveInput, { random }: ArchiveSources): RequestedArchive {
  const encoder = encoderOf(input.pkcs12_encoder);
  const sent = input.pkcs12_password;
  const password = archivePassword(sent, { field: "pkcs12_password", random });
  return {
    write: async (contents) => ({
      certificate: toBase64(
        await writePkcs12(contents, { encoder, password, random, name: nameOf(contents) }),
      ),
      ...(sent === undefined && { pkcs12_password: password }),
    }),
  };
}

function encoderOf(encoder: string): Encoder {
  if (encoder === "modern2026" || encoder === "modern2023") return encoder;
  throw new CaError("malformed", "pkcs12_encoder must be modern2026 or modern2023");
}

/**
 * Returns the common name of the first certificate if it is suitable as a friendly name, and "1"
 * otherwise.
 */
function nameOf({ certificates: [der = new Uint8Array()] }: ArchiveContents): string {
  const [name = ""] = nameValues(parseCertificate(der).subject, nameOid.commonName);
  try {
    checkCharacters(name, "the common name");
    return name === "" || name.length > maxNameLength ? "1" : name;
  } catch {
    return "1";
  }
}
