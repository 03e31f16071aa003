import { roleEnd, secretEnd } from "../auth/approle/secret-end.ts";
import { methodEndJob } from "../auth/method/end.ts";
import type { Job } from "../engine/deployment.ts";

/** Jobs of login methods in the store `sys`. */
export const loginJobs: readonly Job[] = [methodEndJob, roleEnd, secretEnd];
