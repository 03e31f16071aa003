import { ask, mount, request, type Reply } from "../../api/transport.ts";
import { place } from "../../lib/place.ts";
import { refs } from "../../api/pki.ts";
import type { LoginMethod } from "../../api/login-methods.ts";

/** The login methods of EST clients: the accessor of one of each kind. */
export interface Authenticators {
  readonly userpass?: { readonly accessor: string };
  readonly approle?: { readonly accessor: string };
  readonly cert?: { readonly accessor: string; readonly cert_role?: string };
}

/** Whether and how the mount speaks EST. */
export interface EstConfig extends Readonly<Record<string, unknown>> {
  readonly enabled: boolean;
  readonly default_mount: boolean;
  readonly default_path_policy: string;
  readonly label_to_path_policy: Readonly<Record<string, string>>;
  readonly authenticators: Authenticators;
  readonly csr_attributes: readonly string[];
}

/** The props of the parts of the EST view. */
export interface OfEst {
  readonly config: EstConfig;
  readonly roles: readonly string[];
}

/** The configuration, and what keeps EST from working although it is configured. */
export const estConfig = (): Promise<Reply<EstConfig>> => request("GET", mount("config/est"));

export const saveEstConfig = (fields: object): Promise<Reply<unknown>> =>
  request("POST", mount("config/est"), fields);

/** The kinds of login methods that clients of EST sign in by. */
export const estKinds = ["userpass", "approle", "cert"] as const;

/** The login methods of a kind, as the choice of one. */
export const choicesOf = (
  kind: string,
  methods: readonly LoginMethod[],
): readonly (readonly [accessor: string, text: string])[] => [
  ["", "Nobody signs in this way"],
  ...methods
    .filter(({ type }) => type === kind)
    .map(({ accessor, path }) => [accessor, `auth/${path}`] as const),
];

const tune = (): string => `sys/mounts/${refs(place.get().mount)}/tune`;

/**
 * Has clients sign in by these methods: lets the mount use them, then names them. Accessors that
 * others may need stay in the mount's settings.
 */
export async function saveAuthenticators(chosen: Authenticators): Promise<Reply<unknown>> {
  const { delegated_auth_accessors: held } = await ask<{
    delegated_auth_accessors?: readonly string[] | null;
  }>("GET", tune());
  const wanted = Object.values(chosen).map(({ accessor }: { accessor: string }) => accessor);
  const missing = wanted.filter((accessor) => !held?.includes(accessor));
  if (missing.length > 0)
    await request("POST", tune(), { delegated_auth_accessors: [...(held ?? []), ...missing] });
  return saveEstConfig({ authenticators: chosen });
}
