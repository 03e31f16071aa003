import { ask, mount, request } from "./transport.ts";
import type { KeyFields } from "../lib/key-types.ts";
import { can, patchIssuer, ref, setDefaultIssuer } from "./pki.ts";
import { asError } from "../lib/store.ts";

/** The parameters of a new CA. */
export type NewAuthority = Wanted & KeyFields;

/** Values of the subject beside the common name, by their names in the API. */
export type Subject = Readonly<
  Partial<Record<"organization" | "ou" | "country" | "province" | "locality", readonly string[]>>
>;

interface Wanted extends Subject {
  readonly common_name: string;
  readonly issuer_name?: string;
  /** The lifetime or expiry time. */
  readonly ttl?: string;
  readonly not_after?: string;
  /** The path length; -1 for any. The server's default when absent. */
  readonly max_path_length?: number;
  /** Name constraints by their names in the API. */
  readonly constraints?: Readonly<Record<string, readonly string[]>>;
}

const sourceOf = (of: object): string => ("managed_key_name" in of ? "kms" : "internal");

/** Makes a root with its key. */
export async function makeRoot({ constraints, ...wanted }: NewAuthority): Promise<Made> {
  const { issuer_id: id } = await ask<{ issuer_id: string }>(
    "POST",
    mount(`root/generate/${sourceOf(wanted)}`),
    { ...wanted, ...constraints },
  );
  return { id };
}

/**
 * An authority that was made: its issuer id, why it did not get the name that was asked for, and
 * why it is not the default.
 */
export interface Made {
  readonly id: string;
  readonly unnamed?: string;
  readonly passedOver?: string;
}

/** Names an issuer that is there already, so that a refusal takes nothing back. */
export async function madeAs(id: string, name = ""): Promise<Made> {
  try {
    if (name && (await can("PATCH", "issuer/{issuer_ref}")))
      await patchIssuer(id, { issuer_name: name });
    return { id };
  } catch (error) {
    return { id, unnamed: asError(error).message };
  }
}

/** Makes an authority the default, which is no reason to take it back where that is refused. */
export async function madeDefault(made: Made): Promise<Made> {
  try {
    await setDefaultIssuer(made.id);
    return made;
  } catch (error) {
    return { ...made, passedOver: asError(error).message };
  }
}

interface Requested {
  readonly csr: string;
  readonly key_id: string;
}

/** Makes a key that stays here, and a request for a certificate of it. */
const requestOf = (subject: KeyFields & Readonly<Record<string, unknown>>): Promise<Requested> =>
  ask("POST", mount(`intermediate/generate/${sourceOf(subject)}`), subject);

/**
 * Makes a key that stays here and a request for a CA elsewhere, such as a root that is offline; the
 * certificate that it signs finds its key when it is imported.
 */
export async function requestAuthority({
  issuer_name: name,
  ...subject
}: NewAuthority): Promise<string> {
  const { csr } = await requestOf({
    ...subject,
    ...(name && { key_name: name }),
    add_basic_constraints: true,
    key_usage: ["CertSign", "CRLSign"],
  });
  return csr;
}

/**
 * Makes an issuing authority below `parent`: key and request, signature, import, name. The key does
 * not outlive a refusal.
 */
export async function makeIntermediate(parent: string, all: NewAuthority): Promise<Made> {
  const { issuer_name: name, ...wanted } = all;
  const { constraints: _, max_path_length: __, ...subject } = wanted;
  const { csr, key_id: key } = await requestOf(subject);
  try {
    return await madeAs(await certify(parent, csr, wanted), name);
  } catch (error) {
    // That of a managed key may have stood here before.
    if (sourceOf(subject) === "kms") throw error;
    const left = await request("DELETE", mount(`key/${ref(key)}`)).then(
      () => "",
      () => " The key that was made for it is still here, under Keys.",
    );
    if (error instanceof Error) error.message += left;
    throw error;
  }
}

/**
 * Has a request signed by `parent` and makes an issuer of the certificate, both or neither; tells
 * its id.
 */
async function certify(
  parent: string,
  csr: string,
  { constraints, ...wanted }: NewAuthority,
): Promise<string> {
  const fields = { csr, max_path_length: 0, ...wanted, ...constraints, set_signed: true };
  const { issuer_id: id } = await ask<{ issuer_id?: string }>(
    "POST",
    mount(`issuer/${ref(parent)}/sign-intermediate`),
    fields,
  );
  if (id === undefined) throw new Error("The signed certificate did not become an issuer.");
  return id;
}
