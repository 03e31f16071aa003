import { goDuration, parseMilliseconds } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import type { TidySettings } from "./settings.ts";
import { endpoint } from "../../wire/endpoint.ts";
import type { Parsed } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { sweepList, sweepNames, tidyFields, safetyBuffers } from "./fields.ts";
import { tidyKeys } from "./records.ts";
import { beginRun, isRunning, readRun, tidyJobs, tidyPlan } from "./run.ts";
import { statusOf, statusReply } from "./status.ts";

export const tidy = endpoint({
  id: "tidy",
  at: ["POST /tidy"],
  access: "token",
  style: envelope,
  doc: "Starts a tidy run, which removes obsolete data in the background. Use tidy-status to follow its progress.",
  body: tidyFields,
  reply: {},
  status: 202,
  refuses: ["invalid_field", "malformed"],
  run: async (mount, input, caller) => {
    const settings = settingsOf(input);
    const isAny = sweepNames.some((name) => settings[name]);
    const begun = await mount.decide(async (config) => {
      const last = await readRun(mount);
      if (!isRunning(last)) {
        const now = mount.ports.now();
        return { reply: true, batch: beginRun(config, last, settings, { now, automatic: false }) };
      }
      // continues a run whose job was lost, for example in a restored copy of the rows
      if ((await tidyJobs(mount, "run")).length > 0) return { reply: false };
      const now = mount.ports.now();
      return { reply: false, batch: { put: [tidyPlan("run", now, now)] } };
    });
    if (!begun) caller.reply.respond({ status: 200 });
    caller.reply.warn(
      !begun
        ? "Tidy operation already in progress."
        : isAny
          ? "Tidy operation successfully started. Any information from the operation will be printed to Sealwright's server logs."
          : `Manual tidy requested but no tidy operations were set. Enable at least one tidy operation to be run (${sweepList}).`,
    );
    return null;
  },
});

/** Parses the settings in a request (B 3.1). Throws `malformed` if a value is invalid. */
function settingsOf({
  tidy_revocation_list: alias,
  ...input
}: Parsed<typeof tidyFields>): TidySettings {
  for (const name of safetyBuffers)
    if ((input[name] ?? 1) < 1) throw new CaError("malformed", `${name} must be greater than zero`);
  if (input.revocation_queue_safety_buffer < 0)
    throw new CaError("malformed", "revocation_queue_safety_buffer must not be negative");
  checkPageSize(input.page_size);
  const pause = parseMilliseconds(input.pause_duration);
  if (pause === undefined)
    throw new CaError(
      "malformed",
      `Error parsing pause_duration: invalid duration "${input.pause_duration.slice(0, 128)}"`,
    );
  if (pause < 0) throw new CaError("malformed", "received invalid, negative pause_duration");
  return {
    ...input,
    tidy_revoked_certs: input.tidy_revoked_certs || alias === true,
    revoked_safety_buffer: input.revoked_safety_buffer ?? null,
    pause_duration: goDuration(pause / 1000),
  };
}
/** Throws `malformed` for a page size that is too small. */
export function checkPageSize(size: number): void {
  if (size < 5) throw new CaError("malformed", `page_size must be at least 5, got: ${size}`);
}

export const tidyCancel = endpoint({
  id: "tidyCancel",
  audits: { always: true },
  at: ["POST /tidy-cancel"],
  access: "token",
  style: envelope,
  doc: "Cancels the current tidy run, which ends after its current step.",
  body: {},
  reply: statusReply,
  run: async (mount, _, caller) => {
    const config = await mount.config();
    const run = await mount.storeContext.change(
      async () => {
        const current = await readRun(mount);
        if (!current || !isRunning(current)) return { reply: { run: current?.value, none: true } };
        const cancelling = { ...current.value, state: "Cancelling" } as const;
        const now = mount.ports.now();
        return {
          reply: { run: cancelling, none: false },
          batch: {
            expect: [[tidyKeys.run, current.rev]],
            // a paused run ends too
            del: await tidyJobs(mount, "run"),
            put: [[tidyKeys.run, cancelling], tidyPlan("run", now, now)],
          },
        };
      },
      { what: "the tidy" },
    );
    if (run.none)
      caller.reply.warn("Tidy operation cannot be cancelled as none is currently running.");
    return statusOf(mount, config, run.run);
  },
});
