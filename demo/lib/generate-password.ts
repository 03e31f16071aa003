import { alphanumeric, randomText } from "../../src/base/random-text.ts";

/** Generates a password with 131 bits of entropy. */
export const generatePassword = (): string =>
  randomText((length) => crypto.getRandomValues(new Uint8Array(length)), alphanumeric, 22);
