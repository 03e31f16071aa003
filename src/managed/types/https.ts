import { checkUrl, malformedSetting, type ManagedKeyType } from "./managed-key-type.ts";

/** Keys in a signing service over HTTPS. */
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
      throw malformedSetting("message_type must be digest or raw");
    checkUrl("url", url);
    if (key && !/^[\w.-]{1,128}$/.test(key)) throw malformedSetting("key is not a key name");
    if (trusted_ca && leaves)
      throw malformedSetting("give trusted_ca or trusted_leaf_certificate_bundle, not both");
    const { token, client_cert_bundle: bundle } = secrets;
    if (!token && !bundle)
      throw malformedSetting(
        "set token or client_cert_bundle: without one the service would sign for anyone",
      );
    if (token && !/^[!-~]{1,4096}$/.test(token))
      throw malformedSetting("token is not a bearer token");
    if (!bundle) return;
    if (!trusted_ca && !leaves)
      throw malformedSetting(
        "client_cert_bundle needs trusted_ca or trusted_leaf_certificate_bundle",
      );
    await (await import("../identity.ts")).readIdentity(bundle);
  },
  open: async (...key) => (await import("../https-remote.ts")).httpsRemote(...key),
};
