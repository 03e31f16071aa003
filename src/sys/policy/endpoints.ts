import * as capabilities from "./capabilities.ts";
import * as stored from "./policies.ts";
import { resultantAcl } from "./resultant.ts";
import { testPolicies } from "./tester.ts";

/** The endpoints for access policies and capabilities under `/v1/sys`. */
export const policies = [
  stored.listPolicies,
  stored.readPolicy,
  stored.writePolicy,
  stored.deletePolicy,
  stored.listRules,
  stored.readRules,
  stored.writeRules,
  stored.deleteRules,
  testPolicies,
  capabilities.capabilitiesSelf,
  capabilities.capabilitiesToken,
  capabilities.capabilitiesAccessor,
  resultantAcl,
] as const;
