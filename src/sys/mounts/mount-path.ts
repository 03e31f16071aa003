/** Pattern of mount paths (A 2). */
export const mountPath = /^(?=.{1,256}$)(?!(?:.*\/)?\.{1,2}(?:\/|$))[\w.-]+(?:\/[\w.-]+)*\/?$/;
/** Reports whether a path without surrounding slashes is a valid mount path. */
export const isMountPath = (path: string): boolean => mountPath.test(path);
