import { expect, it } from "vitest";
import { changedSettings, refusedSetting, settingsOf } from "../../../../demo/lib/settings.ts";
import {
  asShown,
  autoFields,
  autoMore,
  bufferTexts,
  pace,
  runFields,
  runSettings,
  tidied,
  wrongAuto,
  wrongRun,
} from "../../../../demo/routes/revocation/tidy-fields.ts";
import { countsOf, isRunning, progressOf } from "../../../../demo/routes/revocation/tidy-status.ts";

const all = [...autoFields, ...autoMore];
const auto = {
  enabled: false,
  interval_duration: 43_200,
  min_startup_backoff_duration: 300,
  max_startup_backoff_duration: 900,
  tidy_cert_store: false,
  tidy_revoked_certs: false,
  tidy_expired_issuers: false,
  tidy_acme: false,
  safety_buffer: 259_200,
  revoked_safety_buffer: 259_200,
  issuer_safety_buffer: 31_536_000,
  acme_account_safety_buffer: 2_592_000,
  pause_duration: "250ms",
  page_size: 500,
  maintain_stored_certificate_counts: false,
  publish_stored_certificate_count_metrics: false,
};

it("durations that the API returns in seconds are shown with units and sent in seconds", () => {
  const held = settingsOf(auto, all);
  expect(held["safety_buffer"]).toBe("3d");
  expect(changedSettings(held, { ...held, safety_buffer: "36h", enabled: true }, all)).toEqual({
    safety_buffer: 129_600,
    enabled: true,
  });
});

it("the run form starts with the automatic operations, or with expired certificates if there are none", () => {
  expect(tidied(runSettings(auto))).toEqual([
    "expired certificates",
    "revoked certificates that have expired",
  ]);
  expect(tidied(runSettings({ ...auto, tidy_expired_issuers: true }))).toEqual([
    "expired authorities",
  ]);
  expect(tidied(runSettings({}))).toEqual([]);
});

it("the summary of a run lists only what it deletes and the matching safety buffers", () => {
  const mending = { ...runSettings(auto), tidy_revoked_cert_issuer_associations: true };
  expect(tidied(mending)).toEqual([
    "expired certificates",
    "revoked certificates that have expired",
  ]);
  expect(bufferTexts({ ...mending, revoked_safety_buffer: "30d" })).toEqual([
    "certificates expired for at least 3d",
    "revoked certificates expired for at least 30d",
  ]);
  expect(bufferTexts({ ...settingsOf(auto, all), tidy_expired_issuers: true })).toEqual([
    "authorities expired for at least 365d",
  ]);
  expect(bufferTexts({ ...settingsOf(auto, all), tidy_invalid_certs: true })).toEqual([]);
  const acme = { ...settingsOf(auto, all), tidy_acme: true };
  expect(tidied(acme)).toEqual(["ACME orders, accounts and external account binding keys"]);
  expect(bufferTexts(acme)).toEqual([
    "certificates expired for at least 3d",
    "ACME accounts and keys unused for at least 30d",
  ]);
});

it("the safety buffer of revoked certificates is saved as its field shows it", () => {
  const on = { ...auto, tidy_revoked_certs: true };
  expect(asShown({ safety_buffer: 3600 }, on)).toEqual({
    safety_buffer: 3600,
    revoked_safety_buffer: 259_200,
  });
  expect(asShown({ safety_buffer: 3600, revoked_safety_buffer: 60 }, on)).toEqual({
    safety_buffer: 3600,
    revoked_safety_buffer: 60,
  });
  expect(asShown({ enabled: true }, on)).toEqual({ enabled: true });
  expect(asShown({ safety_buffer: 3600 }, auto)).toEqual({ safety_buffer: 3600 });
});

it("a run is sent with every field once, numbers as numbers", () => {
  expect(changedSettings({}, runSettings(auto), [...runFields, ...pace])).toMatchObject({
    tidy_cert_store: true,
    tidy_expired_issuers: false,
    safety_buffer: 259_200,
    pause_duration: "250ms",
    page_size: 500,
  });
});

it.each([
  [{}, []],
  [{ enabled: true }, ["enabled"]],
  [{ enabled: true, tidy_cert_store: true }, []],
  [{ safety_buffer: "0s" }, ["safety_buffer"]],
  [{ safety_buffer: "long" }, ["safety_buffer"]],
  [{ min_startup_backoff_duration: "20m" }, ["max_startup_backoff_duration"]],
  [{ page_size: "4" }, ["page_size"]],
  [
    { publish_stored_certificate_count_metrics: true },
    ["publish_stored_certificate_count_metrics"],
  ],
])("automatic tidying with %j is rejected at %j", (typed, fields) => {
  expect(Object.keys(wrongAuto({ ...settingsOf(auto, all), ...typed }))).toEqual(fields);
});

it("a single run is validated by its own fields only", () => {
  expect(wrongRun(runSettings(auto))).toEqual({});
  expect(Object.keys(wrongRun({ ...runSettings(auto), issuer_safety_buffer: "0" }))).toEqual([
    "issuer_safety_buffer",
  ]);
});

it.each([
  ["given safety_buffer must be at least one second; got: 0", "safety_buffer"],
  [
    "Auto-tidy enabled but no tidy operations were requested. Enable at least one tidy operation to be run (tidy_cert_store / tidy_revoked_certs).",
    "enabled",
  ],
  [
    "Can not publish a running storage metrics count to metrics without first maintaining that count. Enable `maintain_stored_certificate_counts`",
    "publish_stored_certificate_count_metrics",
  ],
])("the error “%s” is shown at its field", (text, field) => {
  expect(refusedSetting(text, all)).toBe(field);
});

it.each([
  ["Tidying certificate store: checking entry 512 of 25000", { done: 512, all: 25_000 }],
  ["Tidying revoked certificates: checking 5 of 5", undefined],
  ["Tidying 0 of 0", undefined],
  ["Tidying issuers", undefined],
  [null, undefined],
])("the message %j shows the progress of a run: %j", (message, progress) => {
  expect(progressOf(message)).toEqual(progress);
});

it("the counters of a run are shown as text, and those of unsupported operations only if they are not 0", () => {
  expect(
    countsOf({
      cert_store_deleted_count: 12,
      revoked_cert_deleted_count: 0,
      acme_orders_deleted_count: 0,
      revocation_queue_deleted_count: 3,
      state: "Finished",
    }),
  ).toEqual([
    ["Certificates deleted", 12],
    ["Revoked certificates deleted", 0],
    ["Revocation requests deleted", 3],
  ]);
  expect(countsOf({ cert_store_deleted_count: null })).toEqual([]);
});

it("a run that is being cancelled counts as running", () => {
  expect(
    (["Running", "Cancelling", "Finished", "Inactive"] as const).map((state) =>
      isRunning({ state }),
    ),
  ).toEqual([true, true, false, false]);
});
