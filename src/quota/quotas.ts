import { listForm, lowerCaseForm, pathForm } from "../base/forms.ts";
import { CaError } from "../base/errors.ts";
import { type QuotaRow, belowQuotas, quotaKeys, storedQuotas } from "./records.ts";
import { flag, withNormalForm, int, list, number, seconds, text } from "../wire/field.ts";
import { systemEndpoint } from "../wire/endpoint.ts";
import { envelope } from "../wire/style.ts";
import { mountOf } from "./mount-of.ts";
import { stateOf, trimSlashes } from "./rate-limit.ts";

/** Maximum number of rate limits. */
const maxQuotas = 1000;
const name = /^\w(?:[\w.-]{0,126}\w)?$/;

export const listQuotas = systemEndpoint({
  id: "listQuotas",
  at: ["LIST /quotas/rate-limit"],
  access: "token",
  style: envelope,
  doc: "Lists the names of the rate limits.",
  body: {},
  reply: { keys: list.required("Names of the rate limits, sorted.") },
  refuses: ["not_found"],
  run: async ({ sys }) => {
    const rows = await sys.store.list(belowQuotas, { values: false });
    if (rows.length === 0) throw new CaError("not_found", "");
    return { keys: rows.map(([key]) => key.slice(belowQuotas.length)) };
  },
});

export const readQuota = systemEndpoint({
  id: "readQuota",
  at: ["GET /quotas/rate-limit/:name"],
  access: "token",
  style: envelope,
  doc: "Returns a rate limit.",
  body: {},
  reply: {
    type: text.required("Always `rate-limit`."),
    name: text.required("Name of the limit."),
    path: text.required("Path to which the limit applies, or empty if it applies to all requests."),
    role: text.required(
      "Role to whose logins the limit applies, or empty if it applies to any request.",
    ),
    rate: number.required("Maximum number of requests per interval."),
    interval: int.required("Interval in seconds."),
    block_interval: int.required(
      "Time for which clients that exceed the limit are blocked, in seconds.",
    ),
    inheritable: flag.required("Stored and returned, but has no effect."),
  },
  refuses: ["not_found"],
  run: async ({ sys }, input) => {
    const [row] = name.test(input.name) ? await sys.store.get([quotaKeys.quota(input.name)]) : [];
    if (!row) throw new CaError("not_found", "");
    return { type: "rate-limit", name: input.name, ...storedQuotas.quota(row.value) };
  },
});

export const writeQuota = systemEndpoint({
  id: "writeQuota",
  at: ["POST /quotas/rate-limit/:name"],
  access: "token",
  style: envelope,
  doc: "Creates or replaces a rate limit. The most specific limit of a path applies. Requests are counted per client address and per isolate.",
  body: {
    path: withNormalForm(text, pathForm).default(
      "",
      "Mount, or a path under a mount; a trailing `*` matches any suffix. If empty, the limit applies to all requests.",
    ),
    rate: number.requiredOr(
      0,
      "Maximum number of requests per interval. It must be greater than 0.",
    ),
    interval: seconds.default(1, "Interval; 1 second by default."),
    block_interval: seconds.default(0, "Time for which clients that exceed the limit are blocked."),
    role: withNormalForm(text, lowerCaseForm).default(
      "",
      "If set, only logins at `path` with this role are counted, regardless of whether the request contains the role, contains a role ID, or uses the default role.",
    ),
    inheritable: flag.default(false, "Stored and returned, but has no effect."),
    type: text.optional("Ignored."),
  },
  ignores: ["name"],
  reply: {},
  refuses: ["malformed"],
  run: async (deployment, { name: named, ...changes }) => {
    if (!name.test(named))
      throw new CaError(
        "malformed",
        "invalid name of a rate limit; use 1 to 128 letters, digits, underscores, dots and hyphens",
      );
    const { path, role, rate, block_interval, inheritable } = changes;
    const interval = changes.interval || 1;
    const row: QuotaRow = { path, role, rate, interval, block_interval, inheritable };
    checkNumbers(row);
    await checkPlace(row, (path) => mountOf(deployment, path));
    return deployment.sys.change(
      async () => {
        const onlyAtEpoch = await deployment.sys.epoch();
        const rows = await deployment.sys.store.list(belowQuotas);
        for (const [key, { value }] of rows)
          checkOther(key, storedQuotas.quota(value), { named, row });
        if (rows.length >= maxQuotas && !rows.some(([key]) => key === quotaKeys.quota(named)))
          throw new CaError(
            "malformed",
            `there can be at most ${maxQuotas} rate limits; delete one first`,
          );
        const put = [[quotaKeys.quota(named), row]] as const;
        // the limit takes effect in this process immediately, and in others within a second
        const done = () => void (stateOf(deployment.sys).isLimited = true);
        return { reply: undefined, batch: { onlyAtEpoch, epoch: "next", put }, done };
      },
      { tries: 25, what: "the rate limits" },
    );
  },
});
function checkNumbers({ rate, interval, block_interval }: QuotaRow): void {
  if (!(rate > 0 && rate <= 1e9))
    throw new CaError(
      "malformed",
      "'rate' is invalid: it must be greater than 0 and at most 1000000000",
    );
  if (!(interval > 0 && interval <= maxInterval))
    throw new CaError("malformed", "'interval' is invalid");
  if (!(block_interval >= 0 && block_interval <= maxInterval))
    throw new CaError("malformed", "'block_interval' is invalid");
}
/**
 * Maximum interval in seconds. It is a year, which is longer than an isolate keeps its counters.
 */
const maxInterval = 366 * 86_400;
async function checkPlace(
  { path, role }: QuotaRow,
  mountOf: (path: string) => Promise<string>,
): Promise<void> {
  const at = trimSlashes(path);
  // the rest of the path is only compared, never looked up
  if (at.length > 512 || at.slice(0, -1).includes("*"))
    throw new CaError("malformed", "invalid path: `*` is allowed only at the end");
  const mount = at === "" ? "" : await mountOf(at.replace(/\*$/, ""));
  if (at !== "" && mount === "")
    throw new CaError("malformed", `invalid mount path ${JSON.stringify(path.slice(0, 256))}`);
  if (role !== "" && !(at === mount && at.startsWith("auth/")))
    throw new CaError("malformed", "role requires a path that is a login method");
}
function checkOther(
  key: string,
  { path, role }: QuotaRow,
  { named: quotaName, row }: { readonly named: string; readonly row: QuotaRow },
): void {
  if (
    key !== quotaKeys.quota(quotaName) &&
    trimSlashes(path) === trimSlashes(row.path) &&
    role.toLowerCase() === row.role.toLowerCase()
  )
    throw new CaError(
      "malformed",
      `quota rule with similar properties exists under the name "${key.slice(belowQuotas.length)}"`,
    );
}

export const deleteQuota = systemEndpoint({
  id: "deleteQuota",
  at: ["DELETE /quotas/rate-limit/:name"],
  access: "token",
  style: envelope,
  doc: "Deletes a rate limit.",
  body: {},
  reply: {},
  run: async ({ sys }, input) => {
    // raises the epoch, so that a concurrent move of a mount reads the limits again
    if (name.test(input.name))
      await sys.commit({ epoch: "next", del: [quotaKeys.quota(input.name)] });
    return undefined;
  },
});

const configFields = {
  enable_rate_limit_audit_logging: flag.optional("Stored and returned, but has no effect."),
  enable_rate_limit_response_headers: flag.optional(
    "Whether responses include `X-Ratelimit-…` headers.",
  ),
  rate_limit_exempt_paths: withNormalForm(list, listForm(pathForm)).optional(
    "Paths exempt from rate limits, in addition to `sys/health`, `sys/seal-status` and `sys/unseal`; a trailing `*` matches any suffix.",
  ),
} as const;
export const readQuotaConfig = systemEndpoint({
  id: "readQuotaConfig",
  at: ["GET /quotas/config"],
  access: "token",
  style: envelope,
  doc: "Returns the settings shared by all rate limits.",
  body: {},
  reply: {
    enable_rate_limit_audit_logging: flag.required("Stored and returned, but has no effect."),
    enable_rate_limit_response_headers: flag.required(
      "Whether responses include `X-Ratelimit-…` headers.",
    ),
    rate_limit_exempt_paths: list.required("Additional exempt paths."),
  },
  run: async ({ sys }) => {
    const [row] = await sys.store.get([quotaKeys.config]);
    return storedQuotas.config(row?.value);
  },
});
export const writeQuotaConfig = systemEndpoint({
  id: "writeQuotaConfig",
  at: ["POST /quotas/config"],
  access: "token",
  style: envelope,
  doc: "Updates the settings shared by all rate limits; settings that are absent stay unchanged.",
  body: configFields,
  reply: {},
  run: async ({ sys }, input) => {
    const changes = Object.fromEntries(
      Object.entries(input).filter(([, value]) => value !== undefined),
    );
    return sys.change(
      async () => {
        const [current] = await sys.store.get([quotaKeys.config]);
        const row = { ...storedQuotas.config(current?.value), ...changes };
        return {
          reply: undefined,
          batch: {
            expect: [[quotaKeys.config, current?.rev ?? null]],
            put: [[quotaKeys.config, row]],
          },
        };
      },
      { what: "the configuration of rate limits" },
    );
  },
});
