import { caselessParameter } from "../base/forms.ts";
import { foldPolicyName } from "../base/policy-name.ts";
import type { Forms, Patterns } from "../wire/endpoint-list.ts";
import { mountPath } from "./mounts/mount-path.ts";

/** Patterns of path parameters under `sys`. */
export const parameters: Patterns = { "path+": mountPath };
/**
 * Normal forms of path parameters. Only policy names may contain slashes. User names are
 * case-insensitive.
 */
export const forms: Forms = { "name+": () => foldPolicyName, alias_identifier: caselessParameter };
