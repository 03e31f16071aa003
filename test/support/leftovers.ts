/**
 * Functions that end what the tests of a file have left running. `clean-up.ts` calls them at the
 * end of each file; the files of a process share the modules that add to the set.
 */
export const leftovers = new Set<() => void>();
