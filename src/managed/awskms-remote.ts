import { toBase64 } from "../base/bytes.ts";
import type { Scheme } from "../algorithms/table.ts";
import type { ManagedKeyRow } from "./records.ts";
import type { Ports } from "../engine/ports.ts";
import { requestKms, parseBytes, parseObject } from "./kms-request.ts";
import { KmsError, type KmsProvider, type SigningInput } from "./remote.ts";

/** The default region. */
const usualRegion = "us-east-1";
/** Maximum number of bytes that can be signed without a digest. */
const maxRawBytes = 4096;

/** The name of each scheme in AWS KMS. */
const algorithmNames: Readonly<Record<Scheme["name"], (hash: string) => string>> = {
  "RSASSA-PKCS1-v1_5": (hash) => `RSASSA_PKCS1_V1_5_${hash}`,
  "RSA-PSS": (hash) => `RSASSA_PSS_${hash}`,
  ECDSA: (hash) => `ECDSA_${hash}`,
  // the name of pure Ed25519 contains its internal hash
  Ed25519: () => "ED25519_SHA_512",
  "ML-DSA-44": () => "ML_DSA_SHAKE_256",
  "ML-DSA-65": () => "ML_DSA_SHAKE_256",
  "ML-DSA-87": () => "ML_DSA_SHAKE_256",
};
const nameOf = ({ name, hash }: Scheme): string =>
  algorithmNames[name]((hash ?? "").replace("-", "_"));

function messageOf({ digest, data }: SigningInput) {
  if (digest) return { Message: toBase64(digest), MessageType: "DIGEST" };
  if (data.length > maxRawBytes)
    throw new KmsError(
      `it signs at most ${maxRawBytes} bytes with Ed25519 and ML-DSA, but the data has ${data.length}`,
    );
  return { Message: toBase64(data), MessageType: "RAW" };
}

/**
 * Returns the key spec for a new key, or undefined if the settings specify none that is supported.
 */
function specOf({ key_type, key_bits, curve }: Readonly<Record<string, string>>) {
  const type = (key_type ?? "").toUpperCase();
  if (type === "RSA") return `RSA_${key_bits || "2048"}`;
  const digits = /(256|384|521)$/.exec(curve || key_bits || "256")?.[1];
  if (type === "ECDSA" || type === "EC") return digits && `ECC_NIST_P${digits}`;
  return type === "ED25519" ? "ECC_NIST_EDWARDS25519" : undefined;
}

/** Matches error names that may be shown, because they are part of the AWS KMS API. */
const failureName = /^(?:[\w.]{1,64}#)?([A-Z][A-Za-z]{2,48}(?:Exception|Error)?)$/;

type Members = Readonly<Record<string, unknown>>;
type Call = (operation: string, members: Members) => Promise<Members>;

/** Returns a function that calls the AWS KMS JSON 1.1 API with Signature Version 4. */
function caller(ports: Ports, row: ManagedKeyRow, secrets: Readonly<Record<string, string>>): Call {
  const { region = usualRegion, endpoint } = row.settings;
  const url = endpoint || `https://kms.${region}.amazonaws.com/`;
  return async (operation, members) => {
    const { AwsV4Signer } = await import("aws4fetch");
    const body = JSON.stringify(members);
    const signer = new AwsV4Signer({
      method: "POST",
      url,
      headers: { "x-amz-target": `TrentService.${operation}` },
      body,
      accessKeyId: secrets["access_key"] ?? "",
      secretAccessKey: secrets["secret_key"] ?? "",
      service: "kms",
      region,
      datetime: new Date(ports.now()).toISOString().replace(/[:-]|\.\d{3}/g, ""),
    });
    const signed = await signer.sign();
    const headers = {
      ...Object.fromEntries(signed.headers),
      "content-type": "application/x-amz-json-1.1",
    };
    const answer = await requestKms(ports, row, { url: signed.url.href, headers, body });
    if (answer.status === 200) return parseObject(answer);
    const errorType =
      answer.status >= 400 && answer.status < 500 ? parseObject(answer)["__type"] : "";
    const failure = typeof errorType === "string" ? failureName.exec(errorType)?.[1] : undefined;
    const why = failure === undefined ? "" : `: ${failure}`;
    const missing = failure === "NotFoundException";
    throw new KmsError(
      `AWS KMS responded to ${operation} with status ${answer.status}${why}`,
      missing,
    );
  };
}

/** Returns the provider of a key in AWS KMS. */
export function awskmsRemote(
  ports: Ports,
  row: ManagedKeyRow,
  secrets: Readonly<Record<string, string>>,
): KmsProvider {
  const call = caller(ports, row, secrets);
  const KeyId = row.settings["kms_key"] ?? "";
  return {
    async publicKey() {
      const answer = await call("GetPublicKey", { KeyId });
      const usage = answer["KeyUsage"];
      if (usage !== undefined && usage !== "SIGN_VERIFY")
        throw new KmsError("the key in AWS KMS is not a signing key");
      return parseBytes(answer, "PublicKey");
    },
    async signature(input) {
      const answer = await call("Sign", {
        KeyId,
        ...messageOf(input),
        SigningAlgorithm: nameOf(input.scheme),
      });
      return parseBytes(answer, "Signature");
    },
    async make() {
      const spec = specOf(row.settings);
      if (KeyId.split("/", 1)[0] !== "alias" || spec === undefined)
        throw new KmsError(
          "a key is only generated if kms_key is an alias (alias/NAME) and key_type is RSA, ECDSA or ED25519",
        );
      const answer = await call("CreateKey", { KeySpec: spec, KeyUsage: "SIGN_VERIFY" });
      const metadata = answer["KeyMetadata"];
      const keyId =
        typeof metadata === "object" && metadata !== null && "KeyId" in metadata
          ? metadata.KeyId
          : undefined;
      if (typeof keyId !== "string")
        throw new KmsError("AWS KMS did not return the ID of the key that it created");
      await call("CreateAlias", { AliasName: KeyId, TargetKeyId: keyId });
    },
  };
}
