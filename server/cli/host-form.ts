import { domainToASCII } from "node:url";
import { hostForm } from "../../src/base/forms.ts";

/**
 * Returns the ASCII form of an internationalized host name, as browsers request it (UTS 46). Names
 * that are ASCII, or that have no such form, are returned unchanged.
 */
export const asciiHost = (name: string): string =>
  /[^\0-\x7f]/.test(name) ? domainToASCII(name) || name : name;

/** Returns the form in which a role contains a domain. */
export const domainForm = (domain: string): string => hostForm(asciiHost(domain));
