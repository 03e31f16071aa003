import { externalPolicyConfig } from "./rows/records.ts";
import { CaError } from "../base/errors.ts";
import { NetError } from "../net/failure.ts";
import { parsePolicyAnswer, InvalidAnswer } from "./policy-answer.ts";
import { encodePolicyRequest } from "./policy-request-body.ts";
import type { PolicyRequest, PolicyContext, PolicyAnswer } from "./policy-request.ts";
import { noteCall, isFailureReported } from "./last-call.ts";
import { sendPolicyRequest } from "./transport.ts";

/** The outcome of a policy call: the decision of the service, or the reason why there is none. */
type PolicyOutcome =
  | { readonly answer: PolicyAnswer }
  | { readonly refusal: string }
  | { readonly failure: string; readonly public: string; readonly cause: unknown };

/**
 * Calls the external policy of a mount once. A failure is never considered an approval (B 7.3, B
 * 7.4, security row 57). Throws CaError `malformed` if the policy is disabled, `policy_refused`
 * with the service's message if it rejects the request, and `policy_failed` in all other cases,
 * without quoting the response.
 */
export async function queryPolicy(
  it: PolicyContext,
  request: PolicyRequest,
): Promise<PolicyAnswer> {
  if (!it.config.get(externalPolicyConfig).enabled)
    throw new CaError("malformed", "external policy is not enabled in this mount");
  const response = await callPolicy(it, request);
  if ("answer" in response) return response.answer;
  if ("refusal" in response)
    throw new CaError(
      "policy_refused",
      `external policy service refused the request: ${response.refusal}`,
    );
  it.caller?.audit.note({ external_policy: response.failure });
  throw new CaError("policy_failed", response.public, { cause: response.cause });
}

/**
 * Calls the service and returns the outcome. `failure` is for operators and may contain addresses;
 * `public` is for the caller. Throws CaError `policy_failed` if no request can be sent.
 */
export async function callPolicy(
  it: PolicyContext,
  request: PolicyRequest,
): Promise<PolicyOutcome> {
  const { mount, config } = it;
  const { updated } = config.get(externalPolicyConfig);
  const [encoded, before] = [
    await encodePolicyRequest(it, request),
    await isFailureReported(mount),
  ];
  const note = (failure?: string) =>
    noteCall(mount, { updated, ...(failure !== undefined && { failure }) }, before);
  try {
    const body = await sendPolicyRequest(mount, config, encoded);
    const answer = parsePolicyAnswer(body, encoded.request_uuid);
    await note();
    return "refusal" in answer ? answer : { answer };
  } catch (cause) {
    const isExpected = cause instanceof NetError || cause instanceof InvalidAnswer;
    await note(isExpected ? cause.message : "the request could not be sent");
    if (cause instanceof NetError)
      return {
        failure: cause.message,
        public:
          cause.failed === "response"
            ? "the external policy service returned no valid response"
            : "the external policy service could not be reached, or did not respond in time",
        cause,
      };
    if (cause instanceof InvalidAnswer)
      return {
        failure: cause.message,
        public: "the external policy service returned no valid response",
        cause,
      };
    throw cause;
  }
}
