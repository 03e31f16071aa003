import { capabilities } from "../../api/token-self.ts";

/** Something that people do, and what a token needs for it. */
export interface Deed {
  readonly title: string;
  readonly path: string;
  /** All of these are needed. */
  readonly needs: readonly string[];
}

/** The common things, in a mount with these roles. */
export const deeds = (mount: string, roles: readonly string[]): readonly Deed[] => [
  ...(roles.length > 0 ? roles.slice(0, 3) : ["any-role"]).map((role) => ({
    title: `Issue certificates from the role ${role}`,
    path: `${mount}/issue/${role}`,
    needs: ["update"],
  })),
  { title: "Look at certificates", path: `${mount}/certs`, needs: ["list"] },
  { title: "Revoke certificates", path: `${mount}/revoke`, needs: ["update"] },
  { title: "Read roles", path: `${mount}/roles/${roles[0] ?? "any-role"}`, needs: ["read"] },
  {
    title: "Change roles",
    path: `${mount}/roles/${roles[0] ?? "any-role"}`,
    needs: ["update"],
  },
  {
    title: "Make authorities",
    path: `${mount}/root/generate/internal`,
    needs: ["update"],
  },
  { title: "Make ACME binding keys", path: `${mount}/acme/new-eab`, needs: ["update"] },
  { title: "Change policies", path: "sys/policies/acl/any-policy", needs: ["update"] },
  { title: "Make tokens", path: "auth/token/create", needs: ["update"] },
  { title: "List tokens", path: "auth/token/accessors", needs: ["list", "sudo"] },
  { title: "Change login methods", path: "sys/auth/any-method", needs: ["update", "sudo"] },
  { title: "Read the activity", path: "sys/audit/events", needs: ["list", "sudo"] },
  { title: "Back up the mount", path: `sys/storage/snapshot/${mount}`, needs: ["read", "sudo"] },
];

/** A deed, and what of its needs the token lacks. */
export interface DeedCapabilities extends Deed {
  readonly lacks: readonly string[];
}

/** Which of some needs are not met by capabilities that were told. */
export const lacking = (
  needs: readonly string[],
  held: readonly string[] | undefined,
): readonly string[] =>
  held?.includes("root") ? [] : needs.filter((need) => !held?.includes(need));

/** Asks what the token may do of some deeds. */
export async function checkDeeds(all: readonly Deed[]): Promise<readonly DeedCapabilities[]> {
  const told = await capabilities([...new Set(all.map(({ path }) => path))]);
  return all.map((deed) => ({ ...deed, lacks: lacking(deed.needs, told[deed.path]) }));
}
