import { readFlag } from "../jsonapi/attributes.ts";
import { settingsAfter, type Choices, type Settings } from "../jsonapi/settings.ts";

/** Defaults of the settings that are stored but have no effect (V 10). */
export const workspaceDefaults = {
  "allow-destroy-plan": true,
  "auto-apply": false,
  "auto-apply-run-trigger": false,
  "auto-destroy-at": null,
  "auto-destroy-activity-duration": null,
  environment: "default",
  "queue-all-runs": false,
  "speculative-enabled": true,
  "structured-run-output-enabled": true,
  "terraform-version": "1.11.4",
  "working-directory": "",
  "global-remote-state": false,
  "project-remote-state": false,
  "inherits-project-auto-destroy": false,
  "execution-mode": "remote",
  "file-triggers-enabled": true,
  "trigger-prefixes": [],
  "trigger-patterns": [],
  "assessments-enabled": false,
  "tag-names": [],
  source: "tfe-api",
  "source-name": null,
  "source-url": null,
  description: null,
  "setting-overwrites": { "execution-mode": false, "agent-pool": false },
} as const;
/** Allowed values of settings. */
export const workspaceChoices: Choices = { "execution-mode": ["remote", "local", "agent"] };

/**
 * Returns the execution mode of a workspace: the mode in its own settings, or else the default of
 * its organization.
 */
export const executionMode = (own: Settings, organization: Settings): unknown =>
  own["execution-mode"] ??
  organization["default-execution-mode"] ??
  workspaceDefaults["execution-mode"];

/**
 * Returns the settings after a change. `operations` is an older form of `execution-mode`, and
 * applies only if `execution-mode` was not sent. Throws 422 for invalid settings.
 */
export function workspaceSettings(
  current: Settings,
  sent: Settings,
  organization: Settings,
): Settings {
  const operations = readFlag(sent, "operations");
  if (
    typeof sent["execution-mode"] === "string" ||
    operations === undefined ||
    operations === (executionMode(current, organization) !== "local")
  )
    return settingsAfter(workspaceDefaults, current, sent, workspaceChoices);
  return settingsAfter(
    workspaceDefaults,
    current,
    { ...sent, "execution-mode": operations ? "remote" : "local" },
    workspaceChoices,
  );
}
