/**
 * ID of an issuer, a UUID. The type is branded because code that confused it with a key ID would
 * sign with the wrong key.
 */
export type IssuerId = string & { readonly brand?: "issuer" };
/** ID of a key, a UUID. */
export type KeyId = string & { readonly brand?: "key" };
