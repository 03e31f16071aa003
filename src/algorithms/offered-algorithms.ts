import { keyAlgorithms, type KnownAlgorithm } from "./table.ts";

/**
 * All key algorithms in the order in which TLS and JOSE offer them: those with a single signature
 * scheme first, then RSA. In a separate file, so that the console does not load it.
 */
export const offeredAlgorithms: readonly KnownAlgorithm[] = [
  ...keyAlgorithms.filter(({ choosesScheme }) => !choosesScheme),
  ...keyAlgorithms.filter(({ choosesScheme }) => choosesScheme),
];
