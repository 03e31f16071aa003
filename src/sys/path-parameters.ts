import { caselessParameter } from "../base/forms.ts";
import { foldPolicyName } from "../base/policy-name.ts";
import type { Forms, Patterns } from "../wire/endpoint-list.ts";
import { mountPath } from "./mount-path.ts";

/** Patterns of the parameters of paths below `sys`. */
export const parameters: Patterns = { "path+": mountPath };
/** Their forms: names of policies alone have slashes, and names of users have no case. */
export const forms: Forms = { "name+": () => foldPolicyName, alias_identifier: caselessParameter };
