import { issue } from "../pki/leaf/issue.ts";
import { sign } from "../pki/leaf/sign.ts";
import { signVerbatim } from "../pki/leaf/verbatim.ts";

/** Endpoints that issue certificates. */
export const issuance = [issue, sign, signVerbatim] as const;
