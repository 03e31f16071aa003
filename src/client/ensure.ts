import { SealwrightError } from "../base/errors.ts";
import { rejectUnknownOptions } from "../base/reject-unknown-options.ts";
import type { Warnings } from "./call.ts";
import type {
  GenerateIntermediateInput,
  GenerateRootInput,
  GenerateRootReply,
  PkiClient,
  ReadIssuerReply,
  SignIntermediateInput,
  SignIntermediateReply,
  WriteRoleInput,
} from "./pki.ts";

/**
 * The root to create. By default, it has a key on P-256, a lifetime of ten years and the issuer
 * name `root`.
 */
export type EnsuredRoot = Omit<GenerateRootInput, "exported" | "format" | "private_key_format">;
/**
 * The intermediate to create. By default, it has a key on P-256, a lifetime of five years and the
 * issuer name `intermediate`.
 */
export type EnsuredIntermediate = Omit<
  GenerateIntermediateInput,
  "exported" | "format" | "private_key_format" | "add_basic_constraints" | "key_usage"
> &
  Pick<SignIntermediateInput, "issuer_name" | "max_path_length" | "permitted_dns_domains">;

/** The issuers and roles that a mount must have. */
export interface EnsureOptions {
  /** The root to create if there is none. */
  readonly root: EnsuredRoot;
  /**
   * The intermediate to create, which is signed by the root. It becomes the default issuer, which
   * signs certificates of roles.
   */
  readonly intermediate?: EnsuredIntermediate;
  /** Roles to create if they are missing. */
  readonly roles?: readonly WriteRoleInput[];
}
/** The issuers and roles that were missing and have been created. */
export interface Created {
  /** Whether the root was created. */
  readonly root: boolean;
  /** Whether the intermediate was created. */
  readonly intermediate: boolean;
  /** Names of the created roles. */
  readonly roles: readonly string[];
}
/** The issuers that a mount has now, and those that were created. */
export interface Ensured {
  /** The root issuer, new or existing. */
  readonly root: ReadIssuerReply;
  /** The intermediate. Absent if none was requested. */
  readonly intermediate?: ReadIssuerReply;
  /** The issuers and roles that were missing and have been created. */
  readonly created: Created;
  /** Warnings about the created issuers and roles, for example that a lifetime was truncated. */
  readonly warnings: readonly string[];
}

/** A function that runs work under a lock, so that only one caller runs it at a time. */
export type Exclusively = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Creates the root, the intermediate and the roles that are missing in a mount. Existing issuers
 * and roles stay unchanged. An issuer is not missing if the mount has one with its name, or, for a
 * root without a name, if there is a default issuer. `exclusively` prevents others from doing the
 * same concurrently, and is not called if nothing is missing. Throws TypeError for unknown options.
 */
export async function ensureAuthority(
  pki: PkiClient,
  options: EnsureOptions,
  exclusively: Exclusively = (work) => work(),
): Promise<Ensured> {
  rejectUnknownOptions("ensure", options, optionNames);
  // checked because a caller may not use types
  if (typeof options.root !== "object")
    throw new TypeError("ensure requires root: { common_name }");
  const state = await stateOf(pki, options);
  const ensured = state.isComplete
    ? state
    : await exclusively(async () => create(pki, options, await stateOf(pki, options)));
  if (!ensured.root) throw new TypeError("the root was deleted concurrently");
  const { root, intermediate, created = nothing, warnings = [] } = ensured;
  return { root, ...(intermediate ? { intermediate } : {}), created, warnings };
}
const optionNames: Readonly<Record<keyof EnsureOptions, true>> = {
  root: true,
  intermediate: true,
  roles: true,
};
const nothing: Created = { root: false, intermediate: false, roles: [] };

interface State {
  readonly root: ReadIssuerReply | undefined;
  readonly intermediate: ReadIssuerReply | undefined;
  readonly lackingRoles: readonly WriteRoleInput[];
  /** Whether the intermediate exists but the root is still the default issuer. */
  readonly lacksDefault: boolean;
  readonly isComplete: boolean;
  readonly created?: Created;
  readonly warnings?: readonly string[];
}

async function stateOf(
  pki: PkiClient,
  { root: rootOptions, intermediate: below, roles = [] }: EnsureOptions,
): Promise<State> {
  const issuer = (issuer_ref: string) => unless("unknown_issuer", pki.readIssuer({ issuer_ref }));
  const first = await issuer("default");
  const named = await issuer(rootOptions.issuer_name ?? "root");
  const root = named ?? (rootOptions.issuer_name === undefined ? first : undefined);
  const intermediate = root && below && (await issuer(below.issuer_name ?? "intermediate"));
  const lackingRoles: WriteRoleInput[] = [];
  for (const role of roles)
    if (!(await unless("not_found", pki.readRole({ name: role.name })))) lackingRoles.push(role);
  const lacksDefault =
    intermediate !== undefined && (!first || first.issuer_id === root?.issuer_id);
  const isComplete =
    root !== undefined &&
    (!below || intermediate !== undefined) &&
    !lacksDefault &&
    lackingRoles.length === 0;
  return { root, intermediate, lackingRoles, lacksDefault, isComplete };
}

async function create(pki: PkiClient, options: EnsureOptions, state: State): Promise<State> {
  const warnings: string[] = [];
  const note = <T extends Warnings | undefined>(reply: T): T => {
    warnings.push(...(reply?.warnings ?? []));
    return reply;
  };
  const issuer = (issuer_ref = "") => pki.readIssuer({ issuer_ref });
  const { intermediate: below } = options;
  const root = state.root ?? (await issuer(note(await createRoot(pki, options.root)).issuer_id));
  const intermediate =
    state.intermediate ??
    (below && (await issuer(note(await createIntermediate(pki, below, root.issuer_id)).issuer_id)));
  if (intermediate && (!state.intermediate || state.lacksDefault))
    await pki.writeIssuersConfig({ default: intermediate.issuer_id });
  for (const role of state.lackingRoles) note(await pki.writeRole(role));
  const created = {
    root: !state.root,
    intermediate: intermediate !== undefined && !state.intermediate,
    roles: state.lackingRoles.map(({ name }) => name),
  };
  return { ...state, root, intermediate, created, warnings };
}

const createRoot = (pki: PkiClient, root: EnsuredRoot): Promise<GenerateRootReply> =>
  pki.generateRoot({ key_type: "ec", ttl: "87600h", issuer_name: "root", ...root });

async function createIntermediate(
  pki: PkiClient,
  intermediate: EnsuredIntermediate,
  issuer_ref: string,
): Promise<SignIntermediateReply> {
  const {
    issuer_name = "intermediate",
    ttl = "43800h",
    not_after,
    max_path_length,
    permitted_dns_domains,
    ...request
  } = intermediate;
  const { csr } = await pki.generateIntermediate({ key_type: "ec", ...request });
  return pki.signIntermediate({
    csr,
    issuer_ref,
    issuer_name,
    ...(not_after === undefined ? { ttl } : { not_after }),
    max_path_length,
    permitted_dns_domains,
    use_csr_values: true,
    // in the same change, so that there is never an incomplete intermediate
    set_signed: true,
  });
}

/** Returns the result of a read, or undefined if it was rejected with the given code. */
async function unless<T>(code: string, read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof SealwrightError && error.code === code) return undefined;
    throw error;
  }
}
