/**
 * ID of an issuer, a UUID. The type is branded because confusing it with the ID of a key would sign
 * with the wrong key.
 */
export type IssuerId = string & { readonly brand?: "issuer" };
/** ID of a key, a UUID. */
export type KeyId = string & { readonly brand?: "key" };
