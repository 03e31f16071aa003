import { place } from "./place.ts";

/** The roles with which this page issued certificates, by server, mount and serial number. */
const roles = new Map<string, string>();

const keyOf = (serial: string): string => {
  const { base, mount } = place.get();
  return `${base} ${mount} ${serial}`;
};

/** Remembers the role with which a certificate was issued, until the page is closed. */
export const rememberRole = (serial: string, role: string): void =>
  void roles.set(keyOf(serial), role);

/** The certificates that this page had signed from CSRs, whose keys it does not know. */
const signed = new Set<string>();

/** Remembers that a certificate was signed from the user's CSR, until the page is closed. */
export const rememberSigned = (serial: string): void => void signed.add(keyOf(serial));

/** Reports whether this page had a certificate signed from the user's CSR. */
export const wasSigned = (serial: string): boolean => signed.has(keyOf(serial));

/** The certificates that this page issued as renewals of others. */
const renewals = new Set<string>();

/** Remembers that a certificate renews another one, until the page is closed. */
export const rememberRenewal = (serial: string): void => void renewals.add(keyOf(serial));

/** Reports whether this page issued a certificate as a renewal. */
export const wasRenewal = (serial: string): boolean => renewals.has(keyOf(serial));

/** Returns the role with which this page issued a certificate, or undefined if it did not. */
export const rememberedRole = (serial: string): string | undefined => roles.get(keyOf(serial));
