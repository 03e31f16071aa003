/**
 * The role and the issuer in the path of a directory. The default directory has neither in its
 * path.
 */
export interface Directory {
  readonly role: string;
  readonly issuer: string;
}

/** Returns the path of a directory relative to the mount, such as `roles/web/acme`. */
export const prefixOf = ({ role, issuer }: Directory): string =>
  [
    ...(issuer ? [`issuer/${encodeURIComponent(issuer)}`] : []),
    ...(role ? [`roles/${encodeURIComponent(role)}`] : []),
    "acme",
  ].join("/");

/**
 * Removes `/directory` and trailing slashes: `roles/web/acme/directory` becomes `roles/web/acme`.
 */
export const barePrefix = (path: string): string => path.replace(/\/(?:directory)?$/, "");

/** Returns a title for a directory from its role and issuer. */
export function directoryName(path: string): string {
  const [, issuer, role] =
    /^(?:issuer\/([^/]+)\/)?(?:roles\/([^/]+)\/)?acme$/.exec(barePrefix(path)) ?? [];
  const parts = [...(role ? [`role ${role}`] : []), ...(issuer ? [`issuer ${issuer}`] : [])];
  return parts.length > 0 ? parts.join(", ") : "default directory";
}
