import { malformed } from "../../base/errors.ts";
import { checkUrl, type ManagedKeyType } from "./managed-key-type.ts";

/** The `https` type: keys in an HTTPS signing service. */
export const https: ManagedKeyType<"https"> = {
  type: "https",
  settings: ["url", "key", "message_type", "trusted_ca", "trusted_leaf_certificate_bundle"],
  secrets: ["token", "client_cert_bundle"],
  needs: ["url"],
  identity: ["url", "key"],
  sendsSecret: { secret: "token", to: ["url", "trusted_ca", "trusted_leaf_certificate_bundle"] },
  async check(settings, secrets) {
    const { url = "", key, trusted_ca, trusted_leaf_certificate_bundle: leaves } = settings;
    if (!["digest", "raw", undefined].includes(settings["message_type"]))
      throw malformed("message_type must be digest or raw");
    checkUrl("url", url);
    if (key && !/^[\w.-]{1,128}$/.test(key))
      throw malformed(
        "key must consist of 1 to 128 letters, digits, underscores, dots and hyphens",
      );
    if (trusted_ca && leaves)
      throw malformed("set either trusted_ca or trusted_leaf_certificate_bundle, not both");
    const { token, client_cert_bundle: bundle } = secrets;
    if (!token && !bundle)
      throw malformed(
        "set token or client_cert_bundle, because otherwise the service would sign for anyone",
      );
    if (token && !/^[!-~]{1,4096}$/.test(token))
      throw malformed("token must be 1 to 4096 printable ASCII characters without spaces");
    if (!bundle) return;
    if (!trusted_ca && !leaves)
      throw malformed("client_cert_bundle requires trusted_ca or trusted_leaf_certificate_bundle");
    await (await import("../identity.ts")).readIdentity(bundle);
  },
  open: async (...key) => (await import("../https-remote.ts")).httpsRemote(...key),
};
