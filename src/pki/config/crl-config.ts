import { goDuration, parseDuration } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import { keys } from "../../engine/records.ts";
import type { CrlConfig } from "../../engine/settings.ts";
import { flag, int, text } from "../../wire/field.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { rebuildNow } from "../revocation/crl-rebuild.ts";
import { renewalJobs } from "../revocation/crl-renewal.ts";
import { crlSets, crlWarnings } from "../revocation/crl-set.ts";

const crlReply = {
  expiry: text.required("How long a CRL is valid."),
  disable: flag.required("Whether CRLs are no longer built."),
  auto_rebuild: flag.required(
    "Whether CRLs are rebuilt shortly before they expire instead of after each revocation.",
  ),
  auto_rebuild_grace_period: text.required("How long before it expires a CRL is rebuilt."),
  allow_expired_cert_revocation: flag.required("Whether expired certificates can be revoked."),
  max_crl_entries: int.required("Most entries that a CRL may have; -1 for no limit."),
} as const;

export const readCrlConfig = endpoint({
  id: "readCrlConfig",
  at: ["GET /config/crl"],
  access: "token",
  style: envelope,
  doc: "Reads how CRLs are built.",
  body: {},
  reply: crlReply,
  run: async (ca) => (await ca.config()).crl,
});

export const writeCrlConfig = endpoint({
  id: "writeCrlConfig",
  at: ["POST /config/crl"],
  access: "token",
  style: envelope,
  doc: "Sets how CRLs are built; fields that are not sent stay as they are.",
  body: {
    expiry: text.optional("How long a CRL is valid, such as 72h."),
    disable: flag.optional("Build one empty CRL, then none."),
    auto_rebuild: flag.optional(
      "Rebuild CRLs shortly before they expire instead of after each revocation.",
    ),
    auto_rebuild_grace_period: text.optional("How long before it expires a CRL is rebuilt."),
    allow_expired_cert_revocation: flag.optional("Allow expired certificates to be revoked."),
    max_crl_entries: int.optional("Most entries that a CRL may have; -1 for no limit."),
  },
  reply: crlReply,
  refuses: ["invalid_field", "malformed"],
  run: async (ca, input, caller) => {
    const { next, rebuild } = await ca.configure(async (config) => {
      const held = config.crl;
      const given = Object.fromEntries(
        Object.entries(input).filter(([name, value]) => value !== undefined && name in held),
      );
      const changed: CrlConfig = { ...held, ...given };
      checkCrlConfig(changed);
      const key = keys.config("crl");
      const rebuilds =
        changed.disable !== held.disable || (held.auto_rebuild && !changed.auto_rebuild);
      const renewals = await renewalJobs(ca, { ...config, crl: changed });
      return {
        reply: { next: changed, rebuild: rebuilds ? crlSets(config) : [] },
        batch: { expect: [[key, config.rev(key)]], put: [[key, changed], ...renewals] },
      };
    });
    await rebuildNow(ca, caller, rebuild);
    return next;
  },
});

function checkCrlConfig(config: CrlConfig): void {
  const expiry = readSpan("expiry", config.expiry);
  const grace = readSpan("auto_rebuild_grace_period", config.auto_rebuild_grace_period);
  if (expiry <= 0)
    throw new CaError(
      "malformed",
      `given expiry could not be used: a CRL is valid for at least a second, got: ${config.expiry}`,
    );
  if (config.auto_rebuild && grace >= expiry)
    throw new CaError(
      "malformed",
      `CRL auto-rebuilding grace period (${goDuration(grace)}) must be strictly shorter than CRL expiry (${goDuration(expiry)}) value when auto-rebuilding of CRLs is enabled`,
    );
  if (config.max_crl_entries < -1)
    throw new CaError("malformed", `max_crl_entries ${config.max_crl_entries} is below -1`);
}
function readSpan(field: string, value: string): number {
  try {
    return parseDuration(value) ?? 0;
  } catch (error) {
    throw new CaError(
      "malformed",
      `given ${field} could not be decoded: ${error instanceof Error ? error.message : ""}`,
    );
  }
}

export const rotateCrl = endpoint({
  id: "rotateCrl",
  at: ["GET /crl/rotate"],
  access: "token",
  style: envelope,
  doc: "Builds every CRL of the mount now.",
  body: {},
  reply: {
    success: flag.required("Always true; a CRL that could not be built is named in a warning."),
  },
  run: async (ca, _, caller) => {
    const config = await ca.config();
    crlWarnings(config).forEach((warning) => caller.warn(warning));
    await rebuildNow(ca, caller, crlSets(config));
    return { success: true };
  },
});
