import { readFlag } from "../jsonapi/attributes.ts";
import { settingsAfter, type Choices, type Settings } from "../jsonapi/settings.ts";

/** Settings that this service only keeps, with their defaults (V 10). */
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
/** Which words the settings take. */
export const workspaceChoices: Choices = { "execution-mode": ["remote", "local", "agent"] };

/**
 * Settings as they are after what was sent. `operations` is the old name of what `execution-mode`
 * says, and counts where that was not sent. Throws 422.
 */
export function workspaceSettings(held: Settings, sent: Settings): Settings {
  const operations = readFlag(sent, "operations");
  const mode: unknown = held["execution-mode"] ?? workspaceDefaults["execution-mode"];
  if (
    typeof sent["execution-mode"] === "string" ||
    operations === undefined ||
    operations === (mode !== "local")
  )
    return settingsAfter(workspaceDefaults, held, sent, workspaceChoices);
  return settingsAfter(
    workspaceDefaults,
    held,
    { ...sent, "execution-mode": operations ? "remote" : "local" },
    workspaceChoices,
  );
}
