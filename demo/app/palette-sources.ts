import * as pki from "../api/endpoints/pki.ts";
import type { Issuers } from "../api/inventory-search.ts";
import { mayCallAny } from "../api/permissions.ts";
import { usableRoles } from "../api/roles.ts";
import { addressOfMount, visibleMounts } from "../api/visible-mounts.ts";
import { place, signedOut } from "../lib/place.ts";
import { visible } from "../lib/visible-text.ts";
import { queryWords } from "../lib/word-match.ts";
import { address } from "../lib/route.ts";
import { digitsIn } from "../routes/certificates/serial-prefix.ts";
import type { PaletteEntry } from "./palette-entries.ts";

/** A function that returns the titles of the issuers, which it requests only once. */
export type Titles = () => Promise<Issuers>;

/** Returns a function that requests the titles of the issuers once, or again after a failure. */
export function issuersOnce(): Titles {
  let reading: Promise<Issuers> | undefined;
  const read = async (): Promise<Issuers> =>
    (await import("../api/inventory-search.ts")).issuerTitles();
  return () => {
    reading ??= read().catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}

/** Maximum number of certificates, and of API calls, shown for a query. */
export const maxResults = 6;

async function mountEntries(): Promise<readonly PaletteEntry[]> {
  const now = place.get().mount;
  return (await visibleMounts())
    .filter((mount) => mount !== now)
    .map((mount) => ({
      id: `mount ${mount}`,
      group: "Mounts",
      title: visible(mount),
      hint: "Open this mount",
      words: "mount switch",
      icon: "swap",
      to: addressOfMount(mount),
    }));
}

async function issuerEntries(titles: Titles): Promise<readonly PaletteEntry[]> {
  const { names, apiNames } = await titles();
  return [...names].map(([id, title]) => ({
    id: `issuer ${id}`,
    group: "CAs",
    title,
    ...(apiNames?.has(id) && { name: apiNames.get(id) ?? "" }),
    words: `${apiNames?.get(id) ?? ""} ${id} ca authority issuer rotate rotation successor trust cross-sign`,
    icon: "overview",
    to: address("authorities", id),
  }));
}

async function roleEntries(): Promise<readonly PaletteEntry[]> {
  const issues = mayCallAny([pki.issue, pki.sign]);
  return (await usableRoles()).flatMap((name): PaletteEntry[] => [
    {
      id: `role ${name}`,
      group: "Roles",
      title: visible(name),
      words: "role edit",
      icon: "roles",
      to: address("roles", name),
    },
    ...(issues
      ? [
          {
            id: `issue ${name}`,
            group: "Roles" as const,
            title: `Issue with ${visible(name)}`,
            words: "role certificate new sign",
            icon: "issue" as const,
            to: address("issue", name),
          },
        ]
      : []),
  ]);
}

/** Returns entries for the CAs, roles and mounts. Omits those that the token may not list. */
export async function namedEntries(titles: Titles): Promise<readonly PaletteEntry[]> {
  if (signedOut(place.get())) return [];
  const read = [issuerEntries(titles), roleEntries(), mountEntries()].map((one) =>
    one.catch((): readonly PaletteEntry[] => []),
  );
  return (await Promise.all(read)).flat();
}

/** Number of digits in the longest serial number, and in a SHA-1 fingerprint. */
export const maxSerialDigits = 40;

/** Reports whether the current token may search certificates. */
export const searchesCertificates = (): boolean =>
  !signedOut(place.get()) && mayCallAny([pki.searchCerts, pki.listCerts]);

/**
 * Returns the entry that opens the list of matching certificates or, for a complete serial number,
 * the certificate.
 */
export function searchEntry(query: string): PaletteEntry {
  const q = query.trim();
  const digits = digitsIn(q);
  // a hexadecimal string of this length can only be a serial number
  const isSerial = /^(?:[0-9a-f]{2}){19,20}$/.test(digits);
  return {
    id: "search",
    group: "Certificates",
    title: isSerial ? `Certificate ${visible(q)}` : `Search certificates for “${visible(q)}”`,
    icon: "search",
    to: isSerial ? address("certificates", digits) : address("certificates", "", { q }),
  };
}

/** Finds API calls by path, name and description, best match first. */
export async function callEntries(query: string): Promise<readonly PaletteEntry[]> {
  if (query.trim().length < 3 || place.get().onlyNamed) return [];
  const [{ callsOf, matchingCalls }, { description }] = await Promise.all([
    import("../api/openapi-calls.ts"),
    import("../api/openapi.ts"),
  ]);
  const calls = callsOf((await description()).paths, place.get().mount);
  return matchingCalls(calls, queryWords(query))
    .slice(0, maxResults)
    .map(({ verb, path, operation }) => ({
      id: `call ${verb} ${path}`,
      group: "API calls",
      title: `${verb} ${path}`,
      hint: operation.summary?.replaceAll("`", "") ?? "",
      icon: "api",
      to: address("api", operation.operationId),
    }));
}
