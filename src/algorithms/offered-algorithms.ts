import { keyAlgorithms, type KnownAlgorithm } from "./table.ts";

/**
 * All key algorithms in the order in which TLS and JOSE offer them: RSA, which has several schemes,
 * comes last. This is a separate file, so that the console does not load it.
 */
export const offeredAlgorithms: readonly KnownAlgorithm[] = [
  ...keyAlgorithms.filter(({ choosesScheme }) => !choosesScheme),
  ...keyAlgorithms.filter(({ choosesScheme }) => choosesScheme),
];
