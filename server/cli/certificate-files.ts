import { X509Certificate } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { makeDirectory, readIfThere } from "../data/data-dir.ts";
import { parseIfJson } from "../client/http-client.ts";
import { LaunchError } from "../settings/launch-error.ts";
import { certificatesIn, type Chain } from "../../src/node/certificate-chain.ts";
import { checkOwner } from "./directory-owner.ts";
import { checkOutputDirectory } from "./output-path.ts";

/** The request by which a certificate was issued, stored for its renewal. */
export interface Order {
  /** URL of the server, or the absolute path of a local server's data directory. */
  readonly server: string;
  readonly mount: string;
  readonly role: string;
  /** The first name that is valid as a common name becomes the common name. */
  readonly names: readonly string[];
  readonly ttl?: string;
  /** Absolute path of the PEM file with the root certificate of the server's certificate. */
  readonly ca?: string;
}

/** A certificate that is stored in a directory, and the request by which it was issued. */
export interface StoredCertificate {
  readonly order: Order;
  /** The certificate as PEM. */
  readonly certificate: string;
  readonly serial: string;
  /** Validity period, in Unix ms. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** The files of a certificate, in the order in which they are documented. */
export const fileNames = {
  key: "privkey.pem",
  fullchain: "fullchain.pem",
  certificate: "cert.pem",
  chain: "chain.pem",
  root: "root.pem",
} as const;
const orderFile = "order.json";
/** Mode of directories: only the owner can write to them. */
const folderMode = 0o755;
/** Name of the directory with all versions, and name of the link to the current version. */
const [versions, current] = [".versions", ".current"];

/**
 * Writes a certificate with its key and chain to a directory, which is created if missing. Readers
 * see either all old files or all new files: each file is a link into the current version, and a
 * single rename switches the version.
 */
export function writeCertificate(
  dir: string,
  { key, chain, order }: { readonly key: string; readonly chain: Chain; readonly order: Order },
): void {
  const { certificate, intermediates, root } = chain;
  const files: Readonly<Record<string, string>> = {
    [fileNames.key]: key.trim() === "" ? "" : `${key.trim()}\n`,
    [fileNames.fullchain]: [certificate, ...intermediates].join(""),
    [fileNames.certificate]: certificate,
    [fileNames.chain]: intermediates.join(""),
    [fileNames.root]: root ?? "",
    [orderFile]: `${JSON.stringify(order, undefined, 2)}\n`,
  };
  const version = new X509Certificate(certificate).serialNumber.toLowerCase();
  try {
    if (process.platform === "win32") replaceFiles(dir, files);
    else switchVersion(dir, version, files);
  } catch (error) {
    const { code, path = dir } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new LaunchError(`${path} cannot be written (${code}).`);
  }
}

type Texts = Readonly<Record<string, string>>;

function switchVersion(dir: string, version: string, files: Texts): void {
  makeDirectory(dir, folderMode);
  const all = join(dir, versions);
  if (!lstatSync(all, { throwIfNoEntry: false })) mkdirSync(all, { mode: folderMode });
  // if this were a link, files elsewhere could be replaced and deleted
  if (!lstatSync(all).isDirectory()) throw new LaunchError(`${all} is not a directory.`);
  checkOwner(all);
  const folder = join(all, version);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: folderMode });
  for (const [name, text] of Object.entries(files)) writeText(join(folder, name), text);
  link(join(versions, version), join(dir, current));
  for (const name of Object.keys(files)) link(join(current, name), join(dir, name));
  removeOldVersions(dir, version);
}

/** Replaces the files one by one. Used on Windows, where creating links requires special rights. */
function replaceFiles(dir: string, files: Texts): void {
  makeDirectory(dir, folderMode);
  for (const [name, text] of Object.entries(files)) writeText(join(dir, `${name}.new`), text);
  for (const name of Object.keys(files)) renameSync(join(dir, `${name}.new`), join(dir, name));
}

/** Writes a file or replaces an existing file. Does not follow links. */
function writeText(path: string, text: string): void {
  rmSync(path, { force: true });
  const mode = path.includes(fileNames.key) ? 0o600 : 0o644;
  writeFileSync(path, text, { flag: "wx", mode, flush: true });
}

/** Creates a link, or atomically replaces an existing link. */
function link(target: string, path: string): void {
  if (linkTargetOf(path) === target) return;
  const draft = `${path}.${process.pid}`;
  rmSync(draft, { force: true });
  symlinkSync(target, draft);
  renameSync(draft, path);
}

function linkTargetOf(path: string): string | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()
    ? readlinkSync(path)
    : undefined;
}

/** Deletes all versions except the current one: their keys are no longer needed. */
function removeOldVersions(dir: string, version: string): void {
  for (const name of readdirSync(join(dir, versions)))
    if (name !== version && /^[0-9a-f]+$/.test(name))
      rmSync(join(dir, versions, name), { recursive: true, force: true });
}

/**
 * Throws {@link LaunchError} if other users can change a directory, or if it contains files that
 * `issue` did not write. If names are given, a certificate for other names is also an error.
 */
export function checkDirectory(dir: string, names?: readonly string[]): void {
  checkOutputDirectory(dir);
  if (existsSync(dir)) checkOwner(dir);
  const order = parseIfJson(readIfThere(join(dir, orderFile)) ?? "");
  if (isOrder(order)) {
    if (names && order.names.toSorted().join() !== names.toSorted().join())
      throw new LaunchError(
        `${dir} contains a certificate for ${order.names.join(", ")}; choose another directory with --out, or replace it with --force.`,
      );
    return;
  }
  const foreign = Object.values(fileNames).find((name) => existsSync(join(dir, name)));
  if (foreign !== undefined)
    throw new LaunchError(
      `${join(dir, foreign)} was not written by sealwright issue; choose another directory with --out.`,
    );
}

/**
 * Reads the certificate in a directory. Throws {@link LaunchError} if there is none. Also throws if
 * other users can change the directory, because the order stored there specifies the server to
 * which the token is sent.
 */
export function readCertificate(dir: string): StoredCertificate {
  if (existsSync(dir)) checkOwner(dir);
  const order = parseIfJson(readIfThere(join(dir, orderFile)) ?? "");
  const [certificate] = certificatesIn(readIfThere(join(dir, fileNames.certificate)) ?? "");
  if (!isOrder(order) || certificate === undefined)
    throw new LaunchError(`${dir} contains no certificate written by sealwright issue.`);
  const { serialNumber, validFromDate, validToDate } = new X509Certificate(certificate);
  return {
    order,
    certificate,
    serial: (serialNumber.toLowerCase().match(/../g) ?? []).join(":"),
    notBefore: validFromDate.getTime(),
    notAfter: validToDate.getTime(),
  };
}

function isOrder(value: unknown): value is Order {
  if (typeof value !== "object" || value === null) return false;
  const { server, mount, role, names } = value as Partial<Record<keyof Order, unknown>>;
  return (
    [server, mount, role].every((one) => typeof one === "string") &&
    Array.isArray(names) &&
    names.every((name) => typeof name === "string")
  );
}

/**
 * Returns the path of the marker file, which is created before the files change and deleted once
 * the reload command has succeeded.
 */
const markIn = (dir: string): string => join(dir, ".reload");

/**
 * Reports whether the reload command still has to run. Throws {@link LaunchError} if the marker is
 * not a regular file.
 */
export function hasReloadMark(dir: string): boolean {
  const mark = lstatSync(markIn(dir), { throwIfNoEntry: false });
  if (mark && !mark.isFile()) throw new LaunchError(`${markIn(dir)} is not a file; delete it.`);
  return mark !== undefined;
}

/** Records that the reload command has to run. Throws as {@link hasReloadMark} does. */
export function writeReloadMark(dir: string): void {
  // the `wx` flag never follows a link
  if (!hasReloadMark(dir)) writeFileSync(markIn(dir), "", { flag: "wx", mode: 0o600 });
}

/** Records that the reload command has succeeded. */
export const removeReloadMark = (dir: string): void => rmSync(markIn(dir), { force: true });
