/** What the path of a mount may look like (A 2). */
export const mountPath = /^(?=.{1,256}$)(?!(?:.*\/)?\.{1,2}(?:\/|$))[\w.-]+(?:\/[\w.-]+)*\/?$/;
/** Whether a path without slashes around it can be that of a mount. */
export const isMountPath = (path: string): boolean => mountPath.test(path);
