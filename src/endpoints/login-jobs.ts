import { roleEnd, secretEnd } from "../auth/approle/secret-end.ts";
import { methodEndJob } from "../auth/method/end.ts";
import type { Job } from "../engine/deployment.ts";

/** What login methods set going in the system's own store. */
export const loginJobs: readonly Job[] = [methodEndJob, roleEnd, secretEnd];
