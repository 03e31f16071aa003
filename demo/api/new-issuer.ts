import type {
  ConstraintFields,
  GenerateIntermediateInput,
  GenerateIntermediateReply,
  RootFields,
  SubjectFields,
} from "../../src/client/pki.ts";
import { call, readData } from "./call.ts";
import * as pki from "./endpoints/pki.ts";
import { can } from "./openapi.ts";
import type { KeyFields } from "../lib/key-types.ts";
import { patchIssuer, setDefaultIssuer } from "./issuers.ts";
import { asError } from "../lib/store.ts";

/** The parameters of a new CA. */
export type NewAuthority = CaParameters & KeyFields;

/** The attributes of a subject, other than the common name, by API name. */
export type Subject = Readonly<
  Partial<
    Record<
      keyof Pick<SubjectFields, "organization" | "ou" | "country" | "province" | "locality">,
      readonly string[]
    >
  >
>;

/**
 * The subject, lifetime and constraints of a new CA. If the path length constraint is absent, the
 * server's default applies.
 */
type CaParameters = Subject &
  Required<Pick<RootFields, "common_name">> &
  Pick<RootFields, "issuer_name" | "ttl" | "not_after" | "max_path_length"> & {
    readonly constraints?: ConstraintFields;
  };

/** Creates a root with a new or a managed key. */
export async function makeRoot({
  constraints,
  ...fields
}: NewAuthority & Pick<RootFields, "signature_bits" | "use_pss">): Promise<CreatedCa> {
  const { issuer_id: id } = await ("managed_key_name" in fields
    ? readData(pki.generateRootFromManagedKey, { ...fields, ...constraints })
    : readData(pki.generateRoot, { ...fields, ...constraints }));
  return { id };
}

/**
 * A created CA: its issuer ID, and the errors that occurred while it was named and made the default
 * issuer.
 */
export interface CreatedCa {
  readonly id: string;
  readonly unnamed?: string;
  readonly passedOver?: string;
}

/**
 * Sets the name of an issuer. Returns an error instead of throwing it, because the issuer has been
 * created already.
 */
export async function nameIssuer(id: string, name = ""): Promise<CreatedCa> {
  try {
    if (name && (await can(pki.patchIssuer))) await patchIssuer(id, { issuer_name: name });
    return { id };
  } catch (error) {
    return { id, unnamed: asError(error).message };
  }
}

/**
 * Makes a CA the default issuer. Returns an error instead of throwing it, because the CA has been
 * created already.
 */
export async function makeDefault(created: CreatedCa): Promise<CreatedCa> {
  try {
    await setDefaultIssuer(created.id);
    return created;
  } catch (error) {
    return { ...created, passedOver: asError(error).message };
  }
}

/** Generates a key, or uses a managed key, and returns a CSR for it. */
const makeCsr = (
  subject: Omit<GenerateIntermediateInput, keyof KeyFields> & KeyFields,
): Promise<GenerateIntermediateReply> =>
  "managed_key_name" in subject
    ? readData(pki.generateIntermediateFromManagedKey, subject)
    : readData(pki.generateIntermediate, subject);

/**
 * Generates a key in the mount and returns a CSR for an external CA, such as an offline root. When
 * the signed certificate is imported, the server links it to the key.
 */
export async function requestAuthority({
  issuer_name: name,
  ...subject
}: NewAuthority): Promise<string> {
  const { csr } = await makeCsr({
    ...subject,
    key_name: name || undefined,
    add_basic_constraints: true,
    key_usage: ["CertSign", "CRLSign"],
  });
  return csr;
}

/**
 * Creates an intermediate CA below `parent`: generates a key and a CSR, signs the CSR, imports the
 * certificate, and names the issuer. Deletes the generated key if a step fails.
 */
export async function makeIntermediate(parent: string, all: NewAuthority): Promise<CreatedCa> {
  const { issuer_name: name, ...fields } = all;
  const { constraints: _, max_path_length: __, ...subject } = fields;
  const { csr, key_id: key } = await makeCsr(subject);
  try {
    return await nameIssuer(await certify(parent, csr, fields), name);
  } catch (error) {
    // Do not delete a managed key, because the mount may already have used it.
    if ("managed_key_name" in subject) throw error;
    const left = await call(pki.deleteKey, { key_ref: key }).then(
      () => "",
      () => " The key generated for the CA is still listed under Keys.",
    );
    if (error instanceof Error) error.message += left;
    throw error;
  }
}

/** Returns the fields of a new CA without those that select its key. */
function withoutKey(fields: NewAuthority): CaParameters {
  type KeyField = "key_type" | "key_bits" | "managed_key_name";
  const all: CaParameters & { readonly [K in KeyField]?: unknown } = fields;
  const { key_type: _, key_bits: __, managed_key_name: ___, ...keyless } = all;
  return keyless;
}

/**
 * Signs a CSR with `parent`, adds the certificate as an issuer in the same call, and returns the ID
 * of the issuer.
 */
async function certify(parent: string, csr: string, all: NewAuthority): Promise<string> {
  const { constraints, ...input } = withoutKey(all);
  const fields = { csr, max_path_length: 0, ...input, ...constraints, set_signed: true };
  const { issuer_id: id } = await readData(pki.signIntermediate, { ...fields, issuer_ref: parent });
  if (id === undefined) throw new Error("The certificate was signed, but not added as an issuer.");
  return id;
}
