import { issue } from "../pki/leaf/issue.ts";
import { sign } from "../pki/leaf/sign.ts";
import { signVerbatim } from "../pki/leaf/verbatim.ts";

/** What issues certificates. */
export const issuing = [issue, sign, signVerbatim] as const;
