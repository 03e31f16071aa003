/**
 * Returns the header line that says when an answer was made (RFC 9110 section 6.6.1), without its
 * line end. `now` is in Unix milliseconds.
 */
export const dateLine = (now: number): string => `Date: ${new Date(now).toUTCString()}`;
