import { RefusedError } from "../../src/client/index.ts";
import { exitCodes } from "./command.ts";
import { UsageError } from "./flags.ts";
import { LaunchError } from "../settings/launch-error.ts";
import { tokenSourceOf } from "./token-source.ts";
import { RejectedError, UnreachableError } from "../client/network-error.ts";

/**
 * Returns what to print for an error: the message of a user mistake or a system error. Any other
 * error is a bug; it is returned unchanged and printed with its stack.
 */
export function describeError(error: unknown): unknown {
  if (error instanceof LaunchError || error instanceof UsageError) return error.message;
  if (error instanceof UnreachableError) return error.message;
  if (error instanceof RefusedError) return describeRejection(error);
  return error instanceof Error && "syscall" in error ? `System error: ${error.message}.` : error;
}

/**
 * Returns the exit code of a command that failed with an error. The decisive error may be the cause
 * of that error.
 */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof UnreachableError) return exitCodes.unreachable;
  if (error instanceof RefusedError || error instanceof RejectedError) return exitCodes.rejected;
  const isCaused = error instanceof Error && error.cause instanceof Error;
  return isCaused ? exitCodeOf(error.cause) : exitCodes.failure;
}

/** Suggested next steps by error code. */
const nextSteps: Readonly<Record<string, string>> = {
  forbidden:
    "Log in with sealwright login, or set SEALWRIGHT_TOKEN to a token with the required permission.",
  unknown_role: "Run sealwright list roles to see the roles, or sealwright init to create one.",
  unknown_issuer:
    "Run sealwright list issuers to see the issuers, or sealwright init to create one.",
  no_route: "Run sealwright list mounts to see the mounts.",
  no_mount: "Run sealwright list mounts to see the mounts.",
};

/** Describes a rejected request in one line, with its error code and the next step, if any. */
function describeRejection(error: RefusedError): string {
  const { message, code } = error;
  const name = code === "unknown" ? "" : ` (${code})`;
  const next = (code === "forbidden" && tokenStep(error)) || nextSteps[code];
  return `The server rejected the request: ${oneLine(message)}${name}.${next ? ` ${next}` : ""}`;
}

/** Explains why a token was rejected, if it is known where the token was found. */
function tokenStep(error: RefusedError): string | undefined {
  const source = tokenSourceOf(error);
  if (source === undefined) return undefined;
  if (source === "")
    return "No token was sent: log in with sealwright login, or set SEALWRIGHT_TOKEN.";
  return error.message.includes("invalid token")
    ? `The token in ${source} has expired or was revoked, or belongs to another server. Log in with sealwright login, or use another token.`
    : `The policies of the token in ${source} do not allow the request.`;
}

/** Joins the lines of an API error, which lists its parts below a heading. */
export const oneLine = (text: string): string =>
  text
    .replace(/^\d+ errors? occurred:/, "")
    .split(/\s*\n\s*(?:\* )?/)
    .filter((line) => line !== "")
    .join(", ")
    .replace(/\.$/, "");
