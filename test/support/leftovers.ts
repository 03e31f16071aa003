/**
 * Ends what the tests of a file have left behind; each is called when the file ends, by
 * `clean-up.ts`. The files of a process share the modules that add to it.
 */
export const leftovers = new Set<() => void>();
