import { keyAlgorithms, type KnownAlgorithm } from "./table.ts";

/**
 * All key algorithms in the order in which TLS and JOSE offer them: those that sign in one way
 * first, then RSA. The console, which needs neither, does not load this file.
 */
export const offeredAlgorithms: readonly KnownAlgorithm[] = [
  ...keyAlgorithms.filter(({ choosesScheme }) => !choosesScheme),
  ...keyAlgorithms.filter(({ choosesScheme }) => choosesScheme),
];
