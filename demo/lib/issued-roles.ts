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

/** Returns the role with which this page issued a certificate, or undefined if it did not. */
export const rememberedRole = (serial: string): string | undefined => roles.get(keyOf(serial));
