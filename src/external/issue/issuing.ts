import { asBytes } from "../../base/bytes.ts";
import type { Ports } from "../../engine/ports.ts";
import { generateKey, type GeneratedKey } from "../../keys/generate.ts";
import { openSigner } from "../../keys/signer.ts";
import { signEmptyRequest } from "../../pki/ca/signing-request.ts";
import { parsePublicKey, refusePrimeModulus } from "../../x509/public-key.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { issueLeaf } from "../../pki/leaf/issuance.ts";
import { readCertificateFormat, wantsPkcs8, type FormatInput } from "../../pki/request/format.ts";
import { checkRequestKey, checkRequestSignature, readRequest } from "../../pki/request/request.ts";
import { signedByPolicy } from "./intermediate.ts";
import { leafFromPolicy } from "./leaf.ts";
import {
  queryPolicyToIssue,
  configForPolicy,
  requireSamePolicy,
  type PolicyDecision,
} from "./question.ts";

/**
 * Generates a key, and a CSR (DER) without a subject for the external policy service. The private
 * key is not sent (B 7.3). `type` and `bits` are as for `generateKey`.
 */
export async function newKey(
  ports: Ports,
  type: string,
  bits: number,
): Promise<GeneratedKey & { readonly csr: Uint8Array }> {
  const key = await generateKey(type, bits, ports);
  const { pkcs8, spki } = key;
  const signer = await openSigner(
    {
      opened: async () => pkcs8.slice(),
      unwrapped: (parameters) =>
        crypto.subtle.importKey("pkcs8", asBytes(pkcs8), parameters, false, ["sign"]),
      random: ports.random,
    },
    spki,
  );
  return { ...key, csr: await signEmptyRequest({ publicKey: parsePublicKey(spki), signer }) };
}

/** The common parameters of issuing and signing. */
interface IssuingInput extends FormatInput {
  readonly policy?: string | undefined;
  readonly issuer_ref?: string | undefined;
  /** Request fields that are passed to the service unchanged. */
  readonly rest?: Readonly<Record<string, unknown>>;
}
interface PolicyIssueInput extends IssuingInput {
  readonly key_type: string;
  readonly key_bits: number;
  readonly private_key_format?: string | undefined;
  readonly remove_roots_from_chain: boolean;
}
interface PolicySignInput extends IssuingInput {
  readonly csr: string;
}

/** Returns the fields that every policy request has. */
const policyFields = ({ policy, issuer_ref, rest = {} }: IssuingInput) => ({
  ...(policy === undefined ? {} : { policy }),
  issuer_ref,
  parameters: rest,
});
/** Returns the path of an endpoint, including the policy, with which lease IDs begin. */
const pathOf = (form: string, { policy }: IssuingInput): string =>
  `external-policy/${form}${policy === undefined ? "" : `/${policy}`}`;

/**
 * Returns a variant of `decideFor` in which each attempt also checks that the policy has not
 * changed, and adds the service's warnings.
 */
function withDecision({ mount, caller }: IssuingContext, answered: PolicyDecision) {
  return async <T>(decide: Parameters<typeof mount.decideFor<T, Caller>>[1]): Promise<T> =>
    mount.decideFor(caller, (config, heard) => {
      requireSamePolicy(answered, config);
      for (const warning of answered.answer.warnings) heard.reply.warn(warning);
      return decide(config, heard);
    });
}
interface IssuingContext {
  readonly mount: Mount;
  readonly caller: Caller;
}

/** Generates a key and issues the certificate that the external policy approves for it (B 7.2). */
export async function issueByPolicy(mount: Mount, input: PolicyIssueInput, caller: Caller) {
  const format = await readCertificateFormat({ mount, input, caller });
  const asPkcs8 = wantsPkcs8(input.private_key_format, caller.dialect);
  const config = await configForPolicy(mount, input.issuer_ref);
  const { csr, ...key } = await newKey(mount.ports, input.key_type, input.key_bits);
  const question = { ...policyFields(input), mode: "issue", csr, generated: true } as const;
  const answered = await queryPolicyToIssue({ mount, config, caller }, question);
  const { answer } = answered;
  const path = pathOf("issue", input);
  return withDecision(
    { mount, caller },
    answered,
  )(async (config, caller) => {
    const context = { answer, spki: key.spki, path, format };
    const leaf = await leafFromPolicy({ mount, config, caller }, context);
    return issueLeaf({ mount, config, caller, input }, leaf, { ...key, asPkcs8 });
  });
}

/**
 * Validates the CSR before the external policy service is called, and returns it with the
 * configuration.
 */
async function soundRequest(mount: Mount, { csr, issuer_ref }: PolicySignInput) {
  const config = await configForPolicy(mount, issuer_ref);
  const request = readRequest(csr);
  checkRequestKey(request, "any", 0);
  await checkRequestSignature(request);
  await refusePrimeModulus(request.publicKey);
  return { config, csr: request.csr };
}

/** Issues the certificate that the external policy approves for a CSR (B 7.2). */
export async function signByPolicy(
  mount: Mount,
  input: PolicySignInput & Pick<PolicyIssueInput, "remove_roots_from_chain">,
  caller: Caller,
) {
  const format = await readCertificateFormat({ mount, input, caller });
  const { answered, spki } = await answeredFor("sign", { mount, caller }, input);
  const { answer } = answered;
  const path = pathOf("sign", input);
  return withDecision(
    { mount, caller },
    answered,
  )(async (config, caller) => {
    const leaf = await leafFromPolicy({ mount, config, caller }, { answer, spki, path, format });
    return issueLeaf({ mount, config, caller, input }, leaf);
  });
}

/** Signs the CA certificate that the external policy approves for a CSR (B 7.2). */
export async function signCaByPolicy(mount: Mount, input: PolicySignInput, caller: Caller) {
  const format = await readCertificateFormat(
    { mount, input, caller },
    'The "format" path parameter must be "pem" or "der"',
  );
  const { answered, spki } = await answeredFor("ica", { mount, caller }, input);
  const { answer } = answered;
  const path = pathOf("sign-intermediate", input);
  return withDecision(
    { mount, caller },
    answered,
  )(async (config, caller) =>
    signedByPolicy({ mount, config, caller }, { answer, spki, path, format }),
  );
}

async function answeredFor(
  mode: "sign" | "ica",
  { mount, caller }: IssuingContext,
  input: PolicySignInput,
) {
  const { config, csr } = await soundRequest(mount, input);
  const question = { ...policyFields(input), mode, csr: csr.der, generated: false };
  return {
    answered: await queryPolicyToIssue({ mount, config, caller }, question),
    spki: csr.spki,
  };
}
