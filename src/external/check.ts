import { policyFunction } from "./policy-function.ts";
import { externalPolicyConfig } from "./rows/records.ts";
import { CaError } from "../base/errors.ts";
import type { Mount } from "../engine/mount.ts";
import { findIssuer } from "../pki/issuer/issuer.ts";
import type { Caller } from "../wire/endpoint.ts";
import { callPolicy } from "./policy-call.ts";

/** A CSR without names, signed with a P-256 key that was discarded. */
const request = `-----BEGIN CERTIFICATE REQUEST-----
MIG6MGICAQAwADBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABETp9RxtpT7v46MM
Xd9VzbUXFOkQ+tAmQMKoLYAiRP4ix69hdxERW5Oq7/nKS3wADGZPLS/StGLYDgXV
cQtxcl6gADAKBggqhkjOPQQDAgNIADBFAiEA94sA6JhmfQvRwnt7rIlqOXwy0knB
R4bBjYc/YXsBl0gCIBKA6uQc8XbXEGdNVAMPkbwHRGmVSFbyaDG0/TkUOxK4
-----END CERTIFICATE REQUEST-----
`;

/**
 * Sends a test request to the policy service and returns the outcome; nothing is issued (B 7.1).
 */
export async function checkPolicy(mount: Mount, policy: string, caller: Caller) {
  const config = await mount.config();
  const { external_service_url, service } = config.get(externalPolicyConfig);
  if (external_service_url === "" && service === "" && !policyFunction(mount.storeContext))
    throw new CaError(
      "malformed",
      "no policy service is configured: set external_service_url or service",
    );
  const issuer = findIssuer(config, "default");
  const begun = mount.ports.now();
  const response = await callPolicy(
    { mount, config, caller },
    {
      mode: "sign",
      policy,
      csr: request,
      parameters: { check: true },
      generated: false,
      ...(issuer ? { issuer } : {}),
    },
  );
  return {
    valid: !("failure" in response),
    accepted: "answer" in response,
    message:
      "failure" in response
        ? response.failure
        : "refusal" in response
          ? `the service refused the request: ${response.refusal}`
          : "the service accepted the request",
    milliseconds: mount.ports.now() - begun,
  };
}
