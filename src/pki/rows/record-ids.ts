/**
 * Id of an issuer: a uuid. Branded, because confusing it with a key's id would sign with the wrong
 * key.
 */
export type IssuerId = string & { readonly brand?: "issuer" };
/** Id of a key: a uuid. */
export type KeyId = string & { readonly brand?: "key" };
