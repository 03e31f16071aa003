import { auditHash } from "../../engine/audit-key.ts";
import { CaError } from "../../base/errors.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { anonymousCallsPerHour } from "../../wire/audited-run.ts";
import { sysKeys, storedSys } from "../../engine/sys-records.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { flag, int, listOf, mapsOf, secret, text, texts } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";

const deviceOf = (path: string, type: string, description: string, options = {}) => ({
  [`${path}/`]: { type, description, options, local: false, path: `${path}/` },
});
/**
 * Returns the event store and the audit sink as audit devices, because clients expect this form.
 */
async function devicesOf({ sys }: Deployment) {
  const [row] = await sys.store.get([sysKeys.auditSink]);
  const { url } = storedSys.auditSink(row?.value);
  return {
    ...(sys.features["audit"] === false
      ? {}
      : deviceOf("events", "store", "Events in the stores of what they changed")),
    ...(row ? deviceOf("sink", "http", "The URL to which events are sent", { url }) : {}),
  };
}

export const listDevices = systemEndpoint({
  id: "listAuditDevices",
  at: ["GET /audit"],
  access: "sudo",
  style: envelope,
  hoist: true,
  doc: "Lists the audit devices: `events/`, the event store, and `sink/`, the URL to which events are sent, if set.",
  body: {},
  reply: {},
  whole: mapsOf({
    type: text.required("`store` or `http`."),
    description: text.required("Description of the device."),
    options: texts.required("Settings of the device, such as `url`."),
    local: flag.required("Always false."),
    path: text.required("Path of the device."),
  }).required("Devices by path."),
  run: devicesOf,
});

export const hashName = systemEndpoint({
  id: "auditHash",
  at: ["POST /audit-hash(/:path)"],
  access: "token",
  style: envelope,
  hoist: true,
  doc: "Hashes a name in the same way as in audit events, so that events with the name can be found.",
  body: { input: secret.required("Name to hash.") },
  reply: { hash: text.required("`hmac-sha256:` and 64 hexadecimal digits.") },
  refuses: ["malformed"],
  audits: false,
  run: async (deployment, { path = "", input }) => {
    if (!(`${path}/` in (await devicesOf(deployment))))
      throw new CaError(
        "malformed",
        `unknown audit backend "${path.slice(0, 64)}": use events, or sink if a sink is set`,
      );
    return { hash: await auditHash(deployment.sys, input) };
  },
});

export const countAnonymousCalls = systemEndpoint({
  id: "countStrangers",
  at: ["GET /audit/strangers"],
  access: "sudo",
  style: envelope,
  doc: "Returns hourly counts of requests without a valid token, for the last two days. Counts are approximate, because they are stored once a minute.",
  body: {},
  reply: {
    hours: listOf({
      begin: int.required("Start of the hour, Unix seconds."),
      calls: int.required("Number of requests without a valid token."),
    }).required("Hours with requests that had no valid token, in order."),
  },
  run: async ({ sys }) => ({
    hours: (await anonymousCallsPerHour(sys)).map(([begin, calls]) => ({
      begin: begin / 1000,
      calls,
    })),
  }),
});

/** Declarations shared by the endpoints that would change audit devices, which is not supported. */
const noDevices = {
  access: "sudo",
  style: envelope,
  trims: true,
  body: {},
  reply: {},
  refuses: ["malformed"],
  audits: false,
  run: async (_: Deployment, { path }: { readonly path: string }): Promise<undefined> => {
    throw new CaError(
      "malformed",
      `audit devices such as "${path.slice(0, 64)}" cannot be enabled or disabled: events are stored unless AUDIT=false, and POST and DELETE of sys/audit/sink set and remove the URL to which they are sent`,
    );
  },
} as const;
export const enableDevice = systemEndpoint({
  ...noDevices,
  id: "enableAuditDevice",
  at: ["POST /audit/:path"],
  ignores: ["type", "description", "options", "local"],
  doc: "Always returns an error, because events are stored unless `AUDIT=false`, and sent to the URL of `sys/audit/sink` if set.",
});
export const disableDevice = systemEndpoint({
  ...noDevices,
  id: "disableAuditDevice",
  at: ["DELETE /audit/:path"],
  doc: "Always returns an error. To remove the URL to which events are sent, use `DELETE sys/audit/sink`.",
});
