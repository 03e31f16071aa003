import { toBase64 } from "../base/bytes.ts";
import type { ManagedKeyRow } from "./records.ts";
import type { Ports } from "../engine/ports.ts";
import type { FetchResponse } from "../net/guarded-fetch-target.ts";
import { schemeName } from "../x509/public-key.ts";
import { ecdsaToDer } from "../algorithms/nist-curves.ts";
import { requestKms, parseBytes, parseObject } from "./kms-request.ts";
import { identityOf } from "./identity.ts";
import { KmsError, type KmsProvider } from "./remote.ts";

function requireAnswer(answer: FetchResponse): Readonly<Record<string, unknown>> {
  const { status } = answer;
  if (status === 404) throw new KmsError("it has no such key (status 404)", true);
  if (status === 401 || status === 403)
    throw new KmsError(`it does not let this server use the key (status ${status})`);
  if (status !== 200) throw new KmsError(`it returned status ${status}`);
  return parseObject(answer);
}

/**
 * Returns the provider of a key in an HTTPS signing service, which implements the following
 * protocol. `GET <url>/keys/<key>` returns `public_key`. `POST <url>/keys/<key>/sign` receives the
 * name of a scheme with a `digest`, or with the `data` if the scheme has no hash or `message_type`
 * is `raw`, and returns `signature`. All bytes are in base64. An ECDSA signature is in DER, as in
 * X.509, or the concatenation of r and s if the response contains `"encoding": "raw"`.
 */
export async function httpsRemote(
  ports: Ports,
  row: ManagedKeyRow,
  { token, client_cert_bundle: bundle }: Readonly<Record<string, string>>,
): Promise<KmsProvider> {
  const { url = "", key = "", message_type } = row.settings;
  const at = `${url.replace(/\/+$/, "")}/keys/${encodeURIComponent(key || row.name)}`;
  const identity = bundle === undefined ? undefined : await identityOf(ports, bundle);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return {
    async publicKey() {
      const answer = requireAnswer(await requestKms(ports, row, { url: at, identity, headers }));
      return parseBytes(answer, "public_key");
    },
    async signature({ scheme, digest, data }) {
      const body = JSON.stringify({
        scheme: schemeName(scheme),
        ...(digest && message_type !== "raw"
          ? { digest: toBase64(digest) }
          : { data: toBase64(data) }),
      });
      const answer = requireAnswer(
        await requestKms(ports, row, {
          url: `${at}/sign`,
          identity,
          headers: { ...headers, "content-type": "application/json" },
          body,
        }),
      );
      const signature = parseBytes(answer, "signature");
      if (scheme.name !== "ECDSA" || answer["encoding"] !== "raw") return signature;
      if (signature.length % 2 !== 0)
        throw new KmsError("its raw ECDSA signature has an odd number of bytes");
      return ecdsaToDer(signature);
    },
  };
}
