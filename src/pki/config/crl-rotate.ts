import { jobRow } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import { flag } from "../../wire/field.ts";
import { type Caller, endpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { crlDeltaRotation } from "../crl/crl-delta.ts";
import { hasDeltas, rebuildNow } from "../crl/crl-schedule.ts";
import { readActiveCrls } from "../crl/active-crls.ts";
import { crlSets, crlWarnings } from "../crl/crl-set.ts";

/** Delay (ms) of the job that builds the CRLs in case the request does not. */
const patience = 10_000;
/** Builds CRLs now. First stores jobs that build them later in case this attempt fails. */
async function build(
  mount: Mount,
  caller: Caller,
  crlIds: readonly string[],
  kind: "crl" | "crl-delta-rotation",
): Promise<void> {
  const now = mount.ports.now();
  const put = crlIds.map((crlId) => jobRow({ due: now + patience, now }, kind, crlId));
  if (put.length > 0) await mount.storeContext.commit({ put });
  await rebuildNow(mount, caller, crlIds, kind);
}

export const rotateCrl = endpoint({
  id: "rotateCrl",
  at: ["GET /crl/rotate"],
  access: "token",
  style: envelope,
  doc: "Builds all CRLs of the mount now.",
  audits: { jobs: true, always: true },
  body: {},
  reply: {
    success: flag.required("Always true; warnings name CRLs that could not be built."),
  },
  run: async (mount, _, caller) => {
    const config = await mount.config();
    crlWarnings(config).forEach((warning) => caller.reply.warn(warning));
    await build(mount, caller, (await readActiveCrls(mount, config)).of(crlSets(config)), "crl");
    return { success: true };
  },
});

export const rotateDeltaCrl = endpoint({
  id: "rotateDeltaCrl",
  at: ["GET /crl/rotate-delta"],
  access: "token",
  style: envelope,
  doc: "Builds all delta CRLs of the mount now.",
  audits: { jobs: true, always: true },
  body: {},
  reply: {
    success: flag.required("Always true; warnings name CRLs that could not be built."),
  },
  run: async (mount, _, caller) => {
    const config = await mount.config();
    const crlIds = (await readActiveCrls(mount, config)).of(crlSets(config));
    if (hasDeltas(config)) await build(mount, caller, crlIds, crlDeltaRotation.kind);
    else
      caller.reply.warn(
        "requested rebuild of delta CRL when delta CRL is not enabled; this is a no-op",
      );
    return { success: true };
  },
});
