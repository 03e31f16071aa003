import { expect, it } from "vitest";
import {
  clusterFields,
  crlFields,
  wrongCrlSettings,
} from "../../../../demo/routes/revocation/crl-fields.ts";
import { changedSettings, refusedSetting, settingsOf } from "../../../../demo/lib/settings.ts";
import { authority } from "../../../support/authority.ts";

const all = [...crlFields, ...clusterFields];
const record = {
  expiry: "72h",
  auto_rebuild: true,
  auto_rebuild_grace_period: "12h",
  enable_delta: true,
  delta_rebuild_interval: "15m",
  ocsp_expiry: "12h",
  max_crl_entries: -1,
  unified_crl: false,
  unified_crl_on_existing_paths: false,
};

it("the CRL form shows only the settings that the server has", () => {
  const older = settingsOf({ expiry: "72h", disable: false, other: 1 }, all);
  expect(older).toEqual({ expiry: "72h", disable: false });
});

it("the CRL form sends only changed settings, numbers as numbers and trimmed text", () => {
  const held = settingsOf(record, all);
  expect(changedSettings(held, held, all)).toEqual({});
  const typed = { ...held, expiry: " 48h ", max_crl_entries: "100", unified_crl: true };
  expect(changedSettings(held, typed, all)).toEqual({
    expiry: "48h",
    max_crl_entries: 100,
    unified_crl: true,
  });
});

it.each([
  [{}, []],
  [{ expiry: "soon" }, ["expiry"]],
  [{ expiry: "1h30m0s", auto_rebuild_grace_period: "10m" }, []],
  [{ expiry: "12h" }, ["auto_rebuild_grace_period"]],
  [{ expiry: "0s", auto_rebuild: false, enable_delta: false }, ["expiry"]],
  [{ delta_rebuild_interval: "72h" }, ["delta_rebuild_interval"]],
  [{ auto_rebuild: false }, ["enable_delta"]],
  [{ unified_crl_on_existing_paths: true }, ["unified_crl_on_existing_paths"]],
  [{ auto_rebuild: false, enable_delta: false, unified_crl: true }, ["unified_crl"]],
  [{ max_crl_entries: "-2" }, ["max_crl_entries"]],
  [{ max_crl_entries: "many" }, ["max_crl_entries"]],
  [{ shards: "257" }, ["shards"]],
])("settings %j are rejected at %j before they are sent", (typed, fields) => {
  expect(Object.keys(wrongCrlSettings({ ...settingsOf(record, all), ...typed }))).toEqual(fields);
});

it.each([
  [{ expiry: "soon" }, "expiry"],
  [{ expiry: "0s" }, "expiry"],
  [{ auto_rebuild: true, auto_rebuild_grace_period: "72h" }, "auto_rebuild_grace_period"],
  [
    { auto_rebuild: true, enable_delta: true, delta_rebuild_interval: "72h" },
    "delta_rebuild_interval",
  ],
  [{ enable_delta: true }, "enable_delta"],
  [{ cross_cluster_revocation: true }, "cross_cluster_revocation"],
  [{ unified_crl: true }, "unified_crl"],
  [{ unified_crl_on_existing_paths: true }, "unified_crl_on_existing_paths"],
  [{ max_crl_entries: -2 }, "max_crl_entries"],
  [{ ocsp_expiry: "-1h" }, "ocsp_expiry"],
])("the server's error about %j is shown at the field %s", async (fields, name) => {
  const said = await authority()
    .pki.writeCrlConfig(fields)
    .then(
      () => "",
      (error: unknown) => String(error instanceof Error ? error.message : error),
    );
  expect(said).not.toBe("");
  expect(refusedSetting(said, all)).toBe(name);
});

it("an error that names no setting is not shown at a field", () => {
  expect(refusedSetting("permission denied", all)).toBe("");
});
