import { malformed } from "../../base/errors.ts";
import { checkUrl, type ManagedKeyType } from "./managed-key-type.ts";

/** The `awskms` type: keys in AWS KMS, or in a service with a compatible API. */
export const awskms: ManagedKeyType<"awskms"> = {
  type: "awskms",
  settings: ["region", "endpoint", "kms_key", "key_type", "key_bits", "curve", "trusted_ca"],
  secrets: ["access_key", "secret_key"],
  needs: ["kms_key", "access_key", "secret_key"],
  identity: ["region", "endpoint", "kms_key"],
  async check({ region = "", endpoint, key_type: type = "RSA", kms_key = "" }, { access_key }) {
    // the region becomes part of a host name
    if (region !== "" && !/^[a-z\d](?:[a-z\d-]{0,30}[a-z\d])?$/.test(region))
      throw malformed("region must be the name of a region, such as eu-central-1");
    if (endpoint) checkUrl("endpoint", endpoint);
    if (!/^(RSA|ECDSA|EC|ED25519)$/i.test(type))
      throw malformed("key_type must be RSA, ECDSA or ED25519");
    if (!/^[\w:/-]{1,2048}$/.test(kms_key))
      throw malformed("kms_key must be an ID, an ARN or an alias");
    if (!/^[\w-]{1,128}$/.test(access_key ?? ""))
      throw malformed("access_key must be an access key ID");
  },
  open: async (...key) => (await import("../awskms-remote.ts")).awskmsRemote(...key),
};
