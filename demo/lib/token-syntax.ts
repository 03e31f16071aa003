/**
 * Returns why a token cannot be sent in a header, or an empty string if it can. An empty token is
 * valid.
 */
export const wrongToken = (token: string): string =>
  /^[!-~]*$/.test(token.trim())
    ? ""
    : "A token can contain only printable ASCII characters, without spaces";

/**
 * Reports whether a string looks like a token, which must not be searched for or written into a
 * URL. A host name with the same prefix contains another dot.
 */
export const isTokenLike = (text: string): boolean =>
  /^(?:hv[sb]|[sbv])\.[\w-]{12,}={0,2}$/.test(text.trim());
