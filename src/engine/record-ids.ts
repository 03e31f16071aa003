/**
 * Id of an issuer: a uuid. Branded, because a key's id in its place would sign with the wrong key.
 */
export type IssuerId = string & { readonly brand?: "issuer" };
/** Id of a key: a uuid. */
export type KeyId = string & { readonly brand?: "key" };
