import { kubernetes } from "../types/kubernetes.ts";
import { uriForm } from "../../base/forms.ts";
import { malformed } from "../../base/errors.ts";
import { expectMethod, type Method } from "../rows/methods.ts";
import { rowReader } from "../../engine/row-reader.ts";
import { allowsPrivateNetworks } from "../../net/outgoing-scope.ts";
import { urlFault } from "../../net/url-fault.ts";
import { methodEndpoint } from "../../wire/endpoint.ts";
import { flag, withNormalForm, list, secret, strings, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { certificatesOf, checkSource } from "../jwt/config.ts";
import type { KeySource } from "../jwt/key-source.ts";
import { keyOfPem } from "../jwt/verify-key.ts";

/**
 * The stored configuration of a method, with which it verifies a cluster's service account tokens.
 */
export interface KubernetesConfig {
  readonly kubernetes_host: string;
  readonly kubernetes_ca_cert: string;
  readonly pem_keys: readonly string[];
  readonly jwks_url: string;
  readonly jwks_ca_pem: string;
  readonly issuer: string;
  readonly disable_iss_validation: boolean;
  readonly disable_local_ca_jwt: boolean;
}
const stored = rowReader<KubernetesConfig>({
  kubernetes_host: "",
  kubernetes_ca_cert: "",
  pem_keys: [],
  jwks_url: "",
  jwks_ca_pem: "",
  issuer: "",
  disable_iss_validation: true,
  disable_local_ca_jwt: false,
});
/** Default for the required issuer of service account tokens. */
const standardIssuer = "kubernetes/serviceaccount";
/** Returns the required issuer of tokens, or undefined if any issuer is accepted. */
export const requiredIssuer = (config: KubernetesConfig): string | undefined =>
  config.disable_iss_validation ? undefined : config.issuer || standardIssuer;

const keyOf = (method: Method): string => method.key(kubernetes.rows.config);
/** Returns the configuration of a method, or undefined if it has not been configured. */
export async function kubernetesConfig(method: Method): Promise<KubernetesConfig | undefined> {
  const [row] = await method.sys.store.get([keyOf(method)]);
  return row && stored(row.value);
}

/** Path of a cluster's service account keys, relative to its API server. */
const keysOfCluster = "/openid/v1/jwks";
/** Returns the source of verification keys: pinned keys, a URL, or the cluster's API server. */
export function kubernetesSource(
  { sys }: Pick<Method, "sys">,
  config: KubernetesConfig,
): KeySource {
  const privateNetworks = allowsPrivateNetworks(sys);
  const { pem_keys: pems, jwks_url, jwks_ca_pem, kubernetes_host, kubernetes_ca_cert } = config;
  if (pems.length > 0) return { from: "pinned", pems };
  if (jwks_url !== "") {
    const roots = certificatesOf(jwks_ca_pem, "jwks_ca_pem");
    return { from: "jwks", url: jwks_url, roots, privateNetworks };
  }
  const roots = certificatesOf(kubernetes_ca_cert, "kubernetes_ca_cert");
  const url = `${kubernetes_host.replace(/\/+$/, "")}${keysOfCluster}`;
  return { from: "jwks", url, roots, privateNetworks };
}

async function check(method: Method, config: KubernetesConfig): Promise<void> {
  const { pem_keys, jwks_url, kubernetes_host } = config;
  if (pem_keys.length === 0 && jwks_url === "" && kubernetes_host === "")
    throw malformed(
      "keys are required to verify tokens: set pem_keys, jwks_url, or a kubernetes_host whose API server serves its keys",
    );
  for (const pem of pem_keys) keyOfPem(pem);
  for (const name of ["jwks_url", "kubernetes_host"] as const) {
    const fault = config[name] === "" ? undefined : urlFault(config[name]);
    if (fault !== undefined) throw malformed(`${name} ${fault}`);
  }
  certificatesOf(config.kubernetes_ca_cert, "kubernetes_ca_cert");
  await checkSource(method, kubernetesSource(method, config));
}

export const readKubernetesConfig = methodEndpoint({
  id: "readKubernetesConfig",
  at: ["GET /config"],
  access: "token",
  style: envelope,
  doc: "Reads the configuration of the login method.",
  body: {},
  reply: {
    kubernetes_host: text.required("URL of the Kubernetes API server."),
    kubernetes_ca_cert: text.required("CA certificates (PEM) used to verify the API server."),
    pem_keys: list.required("Static public keys, PEM."),
    jwks_url: text.required("URL of the key set (JWKS)."),
    jwks_ca_pem: text.required("CA certificates (PEM) used to verify the JWKS server."),
    issuer: text.required(
      "Required issuer of tokens. If empty, it is `kubernetes/serviceaccount`.",
    ),
    disable_iss_validation: flag.required("Whether the issuer of tokens is not checked."),
    disable_local_ca_jwt: flag.required("Stored and returned, but has no effect."),
    token_reviewer_jwt_set: flag.required("Always false."),
    use_annotations_as_alias_metadata: flag.required("Always false."),
  },
  refuses: ["not_found"],
  run: async (method) => {
    const config = await kubernetesConfig(method);
    return (
      config && {
        ...config,
        token_reviewer_jwt_set: false,
        use_annotations_as_alias_metadata: false,
      }
    );
  },
});

export const writeKubernetesConfig = methodEndpoint({
  id: "writeKubernetesConfig",
  at: ["POST /config"],
  access: "token",
  style: envelope,
  doc: "Configures how the method verifies service account tokens: with public keys, never with the TokenReview API. Keys at a URL are fetched immediately; if that fails, nothing is stored.",
  body: {
    kubernetes_host: withNormalForm(text, uriForm).default(
      "",
      "URL (https) of the Kubernetes API server. Keys are fetched from it unless `pem_keys` or `jwks_url` is set.",
    ),
    kubernetes_ca_cert: text.default(
      "",
      "CA certificates (PEM) used to verify the API server. If set, the server may have a private address; if empty, the platform's CAs are used.",
    ),
    pem_keys: strings.default([], "Keys, each a PEM block PUBLIC KEY or CERTIFICATE."),
    jwks_url: withNormalForm(text, uriForm).default("", "URL (https) of a key set (JWKS)."),
    jwks_ca_pem: text.default("", "CA certificates (PEM) used to verify the server of `jwks_url`."),
    issuer: text.default(
      "",
      "Required issuer of tokens if `disable_iss_validation` is false; empty means `kubernetes/serviceaccount`.",
    ),
    disable_iss_validation: flag.default(true, "Do not check the issuer of tokens."),
    disable_local_ca_jwt: flag.default(false, "Stored and returned, but has no effect."),
    token_reviewer_jwt: secret.default(
      "",
      "Ignored: tokens are verified with public keys, not with the TokenReview API.",
    ),
    use_annotations_as_alias_metadata: flag.default(
      false,
      "Not supported; a warning is returned if set.",
    ),
  },
  reply: {},
  refuses: ["malformed", "bad_key"],
  run: async (method, { token_reviewer_jwt: unused, ...changes }, caller) => {
    const { use_annotations_as_alias_metadata: annotations, ...config } = changes;
    if (annotations)
      throw malformed(
        "use_annotations_as_alias_metadata is not supported, because tokens contain no annotations",
      );
    if (unused !== "")
      caller.reply.warn("token_reviewer_jwt was not stored, because tokens are verified with keys");
    await check(method, config);
    await method.sys.change(async () => ({
      reply: undefined,
      batch: { expect: [await expectMethod(method)], put: [[keyOf(method), config]] },
    }));
    return undefined;
  },
});
