import { fromUtf8, utf8 } from "../../base/bytes.ts";
import { CaError, malformed } from "../../base/errors.ts";
import { lowerCaseForm, uriForm } from "../../base/forms.ts";
import { decodePem } from "../../base/pem.ts";
import { expectMethod, methodSecretBinding, type Method } from "../rows/methods.ts";
import { rowReader } from "../../engine/row-reader.ts";
import { isJwsAlgorithm } from "../../jose/signature.ts";
import { NetError } from "../../net/failure.ts";
import { allowsPrivateNetworks } from "../../net/outgoing-scope.ts";
import { urlFault } from "../../net/url-fault.ts";
import { methodEndpoint } from "../../wire/endpoint.ts";
import { flag, withNormalForm, list, map, secret, strings, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { parseCertificate } from "../../x509/certificate.ts";
import { jwt } from "../types/jwt.ts";
import { readProvider, type DocumentSource } from "./discovery.ts";
import { fetchKeys, type KeySource } from "./key-source.ts";
import { keyOfPem } from "./verify-key.ts";

/** The stored configuration of a method. It determines whose tokens the method accepts. */
export interface JwtConfig {
  readonly oidc_discovery_url: string;
  readonly oidc_discovery_ca_pem: string;
  readonly oidc_client_id: string;
  /** The sealed client secret. Absent for a public client. */
  readonly sealed_client_secret?: Uint8Array | undefined;
  readonly oidc_response_mode: string;
  readonly oidc_response_types: readonly string[];
  readonly jwks_url: string;
  readonly jwks_ca_pem: string;
  readonly jwt_validation_pubkeys: readonly string[];
  readonly jwt_supported_algs: readonly string[];
  readonly bound_issuer: string;
  readonly default_role: string;
}
const stored = rowReader<JwtConfig>({
  oidc_discovery_url: "",
  oidc_discovery_ca_pem: "",
  oidc_client_id: "",
  oidc_response_mode: "",
  oidc_response_types: [],
  jwks_url: "",
  jwks_ca_pem: "",
  jwt_validation_pubkeys: [],
  jwt_supported_algs: [],
  bound_issuer: "",
  default_role: "",
});
const keyOf = (method: Method): string => method.key(jwt.rows.config);
/** Returns the configuration in a request, without the fields that are not stored as sent. */
const configOf = (input: JwtConfig): JwtConfig => ({
  oidc_discovery_url: input.oidc_discovery_url,
  oidc_discovery_ca_pem: input.oidc_discovery_ca_pem,
  oidc_client_id: input.oidc_client_id,
  oidc_response_mode: input.oidc_response_mode,
  oidc_response_types: input.oidc_response_types,
  jwks_url: input.jwks_url,
  jwks_ca_pem: input.jwks_ca_pem,
  jwt_validation_pubkeys: input.jwt_validation_pubkeys,
  jwt_supported_algs: input.jwt_supported_algs,
  bound_issuer: input.bound_issuer,
  default_role: input.default_role,
});
/** Returns the configuration of a method, or undefined if it has not been configured. */
export async function jwtConfig(method: Method): Promise<JwtConfig | undefined> {
  const [row] = await method.sys.store.get([keyOf(method)]);
  return row && stored(row.value);
}

/**
 * Parses certificates in PEM and returns them in DER. `what` is the name of the field in error
 * messages. Throws `malformed` if `pem` contains anything but certificates.
 */
export function certificatesOf(pem: string, what: string): readonly Uint8Array[] {
  if (pem === "") return [];
  const blocks = decodePem(pem);
  if (blocks.length === 0 || blocks.some(({ label }) => label !== "CERTIFICATE"))
    throw new CaError("malformed", `${what} must be certificates in PEM`);
  return blocks.map(({ der }) => parseCertificate(der).der);
}

/** Returns the source of verification keys that a configuration selects. */
export function sourceOf(method: Pick<Method, "sys">, config: JwtConfig): KeySource {
  const privateNetworks = allowsPrivateNetworks(method.sys);
  const { jwt_validation_pubkeys: pems, jwks_url, jwks_ca_pem } = config;
  if (pems.length > 0) return { from: "pinned", pems };
  if (jwks_url === "") return { from: "discovery", ...providerOf(method, config) };
  const roots = certificatesOf(jwks_ca_pem, "jwks_ca_pem");
  return { from: "jwks", url: jwks_url, roots, privateNetworks };
}
/** Returns the issuer URL in a configuration, and the CAs that authenticate its server. */
export function providerOf({ sys }: Pick<Method, "sys">, config: JwtConfig): DocumentSource {
  const privateNetworks = allowsPrivateNetworks(sys);
  const roots = certificatesOf(config.oidc_discovery_ca_pem, "oidc_discovery_ca_pem");
  return { url: config.oidc_discovery_url, roots, privateNetworks };
}

const secretBinding = ({ uuid }: Method): string =>
  methodSecretBinding(uuid, jwt.rows.config, "sealed_client_secret");
/** Returns the unsealed client secret, or undefined for a public client. */
export async function clientSecret(
  method: Method,
  { sealed_client_secret: sealed }: JwtConfig,
): Promise<string | undefined> {
  return sealed && fromUtf8(await method.sys.ports.vault.unseal(sealed, secretBinding(method)));
}
/**
 * Returns the sealed client secret for a new configuration. If the request has none, keeps the
 * stored secret if client and provider are the same, so that a secret is never sent to a different
 * provider.
 */
async function sealedSecret(
  method: Method,
  secret: string,
  config: JwtConfig,
  current: JwtConfig | undefined,
): Promise<Uint8Array | undefined> {
  if (secret !== "") return await method.sys.ports.vault.seal(utf8(secret), secretBinding(method));
  const isSame =
    current?.oidc_client_id === config.oidc_client_id &&
    current.oidc_discovery_url === config.oidc_discovery_url;
  return isSame ? current.sealed_client_secret : undefined;
}

const sources = ["jwt_validation_pubkeys", "jwks_url", "oidc_discovery_url"] as const;

/** Rejects contradictory or unsupported settings for browser logins. Throws `malformed`. */
function checkFlow({
  oidc_client_id,
  oidc_client_secret,
  provider_config = {},
  ...config
}: JwtConfig & {
  readonly oidc_client_secret: string;
  readonly provider_config?: Readonly<Record<string, unknown>> | undefined;
}): void {
  if (oidc_client_id !== "" && config.oidc_discovery_url === "")
    throw malformed("'oidc_discovery_url' must be set for OIDC");
  if (oidc_client_secret !== "" && oidc_client_id === "")
    throw malformed("oidc_client_secret requires oidc_client_id");
  if (!["", "query", "form_post"].includes(config.oidc_response_mode))
    throw malformed(
      `invalid 'oidc_response_mode': "${config.oidc_response_mode.slice(0, 32)}"; use query or form_post`,
    );
  const type = config.oidc_response_types.find((one) => one !== "code");
  if (type !== undefined)
    throw malformed(
      `oidc_response_types: "${type.slice(0, 32)}" is not supported; only code is, with PKCE`,
    );
  const [setting] = Object.keys(provider_config);
  if (setting !== undefined)
    throw malformed(
      `provider_config: "${setting.slice(0, 32)}" is not supported; leave provider_config out, because claims are read from the ID token and userinfo`,
    );
}
/** Rejects contradictory settings and invalid keys. Throws `malformed`. */
async function check(method: Method, config: JwtConfig): Promise<void> {
  if (sources.filter((name) => config[name].length > 0).length !== 1)
    throw malformed(
      "exactly one of 'jwt_validation_pubkeys', 'jwks_url' or 'oidc_discovery_url' must be set",
    );
  const unknown = config.jwt_supported_algs.find((alg): boolean => !isJwsAlgorithm(alg));
  if (unknown !== undefined)
    throw malformed(`unsupported signing algorithm: ${unknown.slice(0, 32)}`);
  for (const pem of config.jwt_validation_pubkeys) keyOfPem(pem);
  for (const name of ["jwks_url", "oidc_discovery_url"] as const) {
    const fault = config[name] === "" ? undefined : urlFault(config[name]);
    if (fault !== undefined) throw malformed(`${name} ${fault}`);
  }
  if (config.jwks_url === "" && config.jwks_ca_pem !== "")
    throw malformed("jwks_ca_pem requires jwks_url");
  if (config.oidc_discovery_url === "" && config.oidc_discovery_ca_pem !== "")
    throw malformed("oidc_discovery_ca_pem requires oidc_discovery_url");
  await checkSource(method, sourceOf(method, config));
  if (config.oidc_client_id !== "")
    await checkFetch("oidc discovery URL", () =>
      readProvider(method.sys.ports, providerOf(method, config)),
    );
}
/** Fetches the keys of a source as a check. Throws `malformed` if that fails. */
export async function checkSource(method: Method, source: KeySource): Promise<void> {
  if (source.from !== "pinned")
    await checkFetch(source.from === "jwks" ? "jwks URL" : "oidc discovery URL", () =>
      fetchKeys(method.sys.ports, source),
    );
}
async function checkFetch(what: string, fetch: () => Promise<unknown>): Promise<void> {
  try {
    await fetch();
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    throw malformed(`error checking ${what}: ${error.message}`);
  }
}

const namespace = {
  namespace_in_state: flag.default(true, "Ignored: namespaces are not supported."),
} as const;
const flowDocs = {
  id: "Client ID at the provider, for roles of type `oidc`.",
  mode: "Response mode: `query` (the default) or `form_post`. With `form_post`, the browser posts the code to `oidc/callback`.",
  types: "Response types; only `code`, the default, is supported.",
  provider: "Provider-specific settings; must be empty, because none are supported.",
} as const;
const modes = ["", "query", "form_post"] as const;

export const readJwtConfig = methodEndpoint({
  id: "readJwtConfig",
  at: ["GET /config"],
  access: "token",
  style: envelope,
  doc: "Reads the configuration of the method.",
  body: {},
  reply: {
    oidc_discovery_url: text.required(
      "Issuer URL for OpenID Connect Discovery, which locates the issuer's keys.",
    ),
    oidc_discovery_ca_pem: text.required(
      "CA certificates (PEM) used to verify the issuer's server.",
    ),
    oidc_client_id: text.required(flowDocs.id),
    oidc_response_mode: text.required(flowDocs.mode, modes),
    oidc_response_types: list.required(flowDocs.types, ["code"]),
    provider_config: map.required(flowDocs.provider),
    jwks_url: text.required("URL of the key set (JWKS)."),
    jwks_ca_pem: text.required("CA certificates (PEM) used to verify the JWKS server."),
    jwt_validation_pubkeys: list.required("Static public keys, PEM."),
    jwt_supported_algs: list.required(
      "Accepted signature algorithms; empty means all supported ones.",
    ),
    bound_issuer: text.required("Required issuer (`iss`) of tokens."),
    default_role: text.required("Role to use if a login does not specify one."),
    ...namespace,
  },
  refuses: ["not_found"],
  run: async (method) => {
    const config = await jwtConfig(method);
    return config && { ...configOf(config), provider_config: {}, namespace_in_state: true };
  },
});

export const writeJwtConfig = methodEndpoint({
  id: "writeJwtConfig",
  at: ["POST /config"],
  access: "token",
  style: envelope,
  doc: "Configures the method. Keys at a URL are fetched at once; if that fails, nothing is stored.",
  body: {
    oidc_discovery_url: withNormalForm(text, uriForm).default(
      "",
      "Issuer URL (https) for OpenID Connect Discovery. It is also the required issuer of tokens, unless `bound_issuer` is set.",
    ),
    oidc_discovery_ca_pem: text.default(
      "",
      "CA certificates (PEM) used to verify the server of `oidc_discovery_url`. If set, the server may have a private address; if empty, the platform's CAs are used.",
    ),
    oidc_client_id: text.default("", flowDocs.id),
    oidc_client_secret: secret.default(
      "",
      "Client secret at the provider; never returned. If empty, the stored secret is kept for the same client and URL; otherwise the client is public, and only PKCE protects the authorization codes.",
    ),
    oidc_response_mode: text.default("", flowDocs.mode, modes),
    oidc_response_types: list.default([], flowDocs.types, ["code"]),
    provider_config: map.optional(flowDocs.provider),
    jwks_url: withNormalForm(text, uriForm).default("", "URL (https) of a key set (JWKS)."),
    jwks_ca_pem: text.default(
      "",
      "CA certificates (PEM) used to verify the server of `jwks_url`. If set, the server may have a private address; if empty, the platform's CAs are used.",
    ),
    jwt_validation_pubkeys: strings.default(
      [],
      "Static keys, each a PEM block PUBLIC KEY or CERTIFICATE.",
    ),
    jwt_supported_algs: list.default(
      [],
      "Accepted signature algorithms; empty means all supported ones.",
    ),
    bound_issuer: text.default("", "Required issuer (`iss`) of tokens."),
    default_role: withNormalForm(text, lowerCaseForm).default(
      "",
      "Role to use if a login does not specify one.",
    ),
    ...namespace,
  },
  reply: {},
  refuses: ["malformed", "bad_key"],
  run: async (method, input) => {
    const config = configOf(input);
    checkFlow(input);
    await check(method, config);
    const { sys } = method;
    await sys.change(async () => {
      const key = keyOf(method);
      const [before] = await sys.store.get([key]);
      const current = before && stored(before.value);
      const sealed = await sealedSecret(method, input.oidc_client_secret, config, current);
      const row = { ...config, ...(sealed ? { sealed_client_secret: sealed } : {}) };
      const expect = [await expectMethod(method), [key, before?.rev ?? null] as const];
      return { reply: undefined, batch: { expect, put: [[key, row]] } };
    });
    return undefined;
  },
});
