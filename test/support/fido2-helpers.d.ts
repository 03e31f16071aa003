// the package has no types
declare module "fido2-helpers" {
  /** Responses of authenticators, as browsers return them. */
  export const lib: {
    readonly makeCredentialAttestationTpmResponse: {
      readonly response: { readonly attestationObject: ArrayBuffer };
    };
  };
}
