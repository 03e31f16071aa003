import type { ReadUrlsReply, WriteUrlsInput } from "../../src/client/pki.ts";
import { call, readData } from "./call.ts";
import {
  fillUrls,
  readCluster,
  readIssuersConfig,
  readUrls,
  writeCluster,
  writeUrls,
} from "./endpoints/pki.ts";
import { can } from "./openapi.ts";
import { crlConfig } from "./crls.ts";
import type { CrlConfig } from "../lib/crl-config.ts";
import type { Reply } from "./transport.ts";
import { place } from "../lib/place.ts";

/** The URLs in certificates. Older servers omit some members. */
export type Urls = Partial<ReadUrlsReply>;

/** The kinds of URLs in certificates, by API name. */
export const urlKinds = [
  ["issuing_certificates", "Issuer’s certificate"],
  ["crl_distribution_points", "CRL"],
  ["delta_crl_distribution_points", "Delta CRL"],
  ["ocsp_servers", "OCSP"],
] as const;

/** The URLs of a mount or an issuer. */
export type UrlLists = Pick<Urls, (typeof urlKinds)[number][0]>;

/**
 * Reports whether an issuer has URLs that replace those of the mount. A delta CRL URL alone does
 * not count.
 */
export const hasOwnUrls = (urls: UrlLists): boolean =>
  urlKinds.some(
    ([name]) => name !== "delta_crl_distribution_points" && (urls[name] ?? []).length > 0,
  );

export const urls = (): Promise<Urls> => readData(readUrls);

export const saveUrls = (fields: WriteUrlsInput): Promise<Reply<unknown>> =>
  call(writeUrls, fields);

/**
 * Returns the URL of this mount, or an empty string for a CA in the browser, which clients cannot
 * reach.
 */
export function mountUrl(): string {
  const { kind, base, mount: at } = place.get();
  return kind === "worker" && base !== "" ? `${base}/v1/${at}` : "";
}

/** Reports whether the server can fill in the URLs in certificates. */
export const fillable = async (): Promise<boolean> => mountUrl() !== "" && (await can(fillUrls));

/** Reports whether a URL that the server can fill in is missing. */
const lacksUrls = (
  { issuing_certificates: issuer, crl_distribution_points: crl, ...more }: Urls,
  { enable_delta: hasDeltas = false, ocsp_disable: hasNoOcsp = false }: Partial<CrlConfig>,
): boolean =>
  [
    issuer,
    crl,
    ...(hasDeltas ? [more.delta_crl_distribution_points] : []),
    ...(hasNoOcsp ? [] : [more.ocsp_servers]),
  ].some((urls = []) => urls.length === 0);

/**
 * Returns the base URL that would be filled in for a mount without a configured URL. Returns "" if
 * the server cannot fill in URLs, or if no URL is missing.
 */
export async function urlToFill(): Promise<string> {
  if (!(await fillable())) return "";
  const [held, crl] = await Promise.all([
    urls().catch((): Urls => ({})),
    crlConfig().catch(() => ({})),
  ]);
  return lacksUrls(held, crl) ? mountUrl() : "";
}

/**
 * Sets the URLs in certificates to those of this mount. If the mount has no configured URL, first
 * sets it to the URL that this page uses for the mount.
 */
export async function fillAddresses(): Promise<Reply<Urls>> {
  const { path, aia_path: aia } = await readData(readCluster);
  if (path === "" && aia === "") await call(writeCluster, { path: mountUrl() });
  return call(fillUrls, {});
}

/** The values of placeholders in URLs, by name. */
type Placeholders = Readonly<Record<string, string>>;

/** Reads the values of the URL placeholders for certificates of the default issuer. */
export async function readPlaceholders(): Promise<Placeholders> {
  const [{ path, aia_path: aia }, { default: issuer }] = await Promise.all([
    readData(readCluster),
    readData(readIssuersConfig),
  ]);
  return { cluster_path: path, cluster_aia_path: aia, issuer_id: issuer };
}

/**
 * Replaces the placeholders in a URL, as the server does. Leaves placeholders that have no value
 * unchanged.
 */
export const fillPlaceholders = (url: string, values: Placeholders): string =>
  url.replace(/\{\{(\w+)\}\}(\/?)/g, (whole, name: string, slash: string) => {
    const value = values[name] ?? "";
    if (value === "") return whole;
    return value.endsWith("/") ? value : value + slash;
  });
