import type { WriteClusterInput } from "../../../src/client/pki.ts";
import {
  type SettingField,
  type Settings,
  type WrongSettings,
  wrongSettings,
} from "../../lib/settings.ts";

type MountUrl = keyof WriteClusterInput;

/** The fields for the URLs at which clients reach the mount. */
export const mountUrlFields: readonly SettingField<MountUrl>[] = [
  {
    name: "path",
    label: "URL of the mount",
    kind: "text",
    hint: "The URL that clients use, including /v1/ and the mount path. ACME URLs and {{cluster_path}} begin with it.",
  },
  {
    name: "aia_path",
    label: "URL of the mount in certificates",
    kind: "text",
    hint: "The value of {{cluster_aia_path}}. Can be plain HTTP.",
  },
];

const isWrong =
  (name: MountUrl) =>
  (of: Settings): boolean =>
    !/^(?:https?:\/\/\S+)?$/.test(String(of[name] ?? "").trim());

/** Returns the validation errors of the URLs. */
export const wrongMountUrls = (typed: Settings): WrongSettings =>
  wrongSettings(
    mountUrlFields,
    mountUrlFields.map(({ name }) => [name, isWrong(name), "Must begin with https:// or http://"]),
    typed,
  );
