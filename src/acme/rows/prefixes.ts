/** Key prefixes of ACME rows. */
export const acmeBelow = {
  eabs: "eab/",
  bindings: "binding/",
  bindingUses: "bindinguse/",
  accounts: "account/",
  thumbs: "thumb/",
  orders: "order/",
  authorizations: "authz/",
  nonces: "nonce/",
  replaced: "replaced/",
  addresses: "acmeaddress/",
  failures: "acmefailures/",
  attestations: "acmeattestation/",
  unused: "acmeunused/",
  registrations: "acmeregistering/",
} as const;
/**
 * Position of the slot in a nonce: the base64url digit with the slot of the account to which the
 * nonce was sent. The digit is 0 if the nonce was not sent to an account.
 */
export const nonceSlotDigit = 20;

/** Kind of the job that removes rows whose `acme_end` has passed. */
export const acmeExpiry = "acme-expiry";
/** Kind of the job that settles claims from interrupted requests. */
export const acmeClaim = "acme-claim";
/** Kind of the job that finishes interrupted registrations and removals of accounts. */
export const acmeAccount = "acme-account";
/** Kind of the job that finishes interrupted changes of account keys. */
export const acmeKey = "acme-key";
/** Kind of the job that starts due validations. */
export const acmeValidation = "acme-validation";
