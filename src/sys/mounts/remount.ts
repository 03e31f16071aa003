import { mountKey } from "../../engine/mount-records.ts";
import { clusterConfig } from "../../pki/rows/settings.ts";
import { pathForm } from "../../base/forms.ts";
import { CaError } from "../../base/errors.ts";
import { uuid } from "../../base/ids.ts";
import type { Deployment, Job, NewRows } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import { readMethods, tokenPath } from "../../auth/rows/methods.ts";
import { type RemountRow, remountKey, storedRemount } from "./remount-row.ts";
import { systemEndpoint, type Caller } from "../../wire/endpoint.ts";
import { withNormalForm, mapOf, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { isMountPath } from "./mount-path.ts";
import { trimSlashes } from "../../quota/rate-limit.ts";
import { methodKeys } from "../../auth/rows/method-records.ts";
import { belowQuotas, storedQuotas } from "../../quota/records.ts";

const auth = "auth/";
/** Time in ms for which the status of a finished move is retained. */
const statusLifetime = 86_400_000;
/** Delay of the job in ms. The job completes the move if the request fails. */
const patience = 10_000;

export const remount = systemEndpoint({
  id: "remount",
  at: ["POST /remount"],
  access: "sudo",
  style: envelope,
  hoist: true,
  doc: "Moves a mount or login method to another path with its data, leases and rate limits. Policies are not changed.",
  body: {
    from: withNormalForm(text, pathForm).default(
      "",
      "Current path; a login method's starts with `auth/`.",
    ),
    to: withNormalForm(text, pathForm).default("", "New path, which must be free."),
  },
  reply: { migration_id: text.required("ID to poll with `remount/status/:migration_id`.") },
  refuses: ["malformed", "already_exists", "no_mount"],
  run: async (deployment, input, caller) => {
    const [from, to] = [trimSlashes(input.from), trimSlashes(input.to)];
    checkPaths(from, to);
    const id = uuid(deployment.ports.random);
    const move = { id, from, to };
    await (from.startsWith(auth)
      ? moveMethod(deployment, move)
      : moveMount(deployment, move, caller));
    return { migration_id: id };
  },
});

function checkPaths(from: string, to: string): void {
  for (const [name, path] of [
    ["from", from],
    ["to", to],
  ] as const)
    if (!isMountPath(path))
      throw new CaError("malformed", `invalid ${name} ${JSON.stringify(path.slice(0, 256))}`);
  if (from === to) throw new CaError("malformed", "from and to are the same path");
  if (from.startsWith(auth) !== to.startsWith(auth))
    throw new CaError(
      "malformed",
      "a login method can only be moved to a path under auth/, and any other mount only to a path outside auth/",
    );
}

/** A requested move. */
interface Move {
  readonly id: string;
  readonly from: string;
  readonly to: string;
}
async function moveMount(deployment: Deployment, move: Move, caller: Caller): Promise<void> {
  const { from, to, id } = move;
  const { now } = deployment.ports;
  const mount = await deployment.moveMount(from, to, async (of) => [
    ...(await movedQuotas(deployment, move)),
    [remountKey(id), remountRow(move, "in-progress", of, now())],
    jobRow({ due: now() + patience, now: now() }, remountJob.kind, id),
  ]);
  // the route has already been changed; if this run of the job fails, a later run updates the mount
  await deployment.sys.once(remountJob.kind, id).catch(() => undefined);
  const cluster = (await deployment.mount(mount).config()).get(clusterConfig);
  if (`${cluster.path}/`.includes(`/v1/${from}/`))
    caller.reply.warn(
      `the cluster path of the mount still contains ${from}/: update config/cluster, so that URLs in certificates and ACME clients use ${to}/`,
    );
}
const remountRow = (
  { from, to }: Move,
  status: RemountRow["status"],
  of: string,
  at: number,
): RemountRow => ({ source: from, target: to, status, of, at });

/** Returns the rows of the rate limits for a moved mount, with its new path. */
async function movedQuotas({ sys }: Deployment, { from, to }: Move): Promise<NewRows> {
  const rows = await sys.store.list(belowQuotas);
  return rows.flatMap(([key, { value }]) => {
    const row = storedQuotas.quota(value);
    const path = trimSlashes(row.path);
    if (path !== from && !path.startsWith(`${from}/`)) return [];
    return [[key, { ...row, path: row.path.replace(from, to) }] as const];
  });
}

/**
 * Moves a login method. Tokens, entities and roles refer to the method by its UUID or accessor, so
 * they need no change.
 */
async function moveMethod(deployment: Deployment, move: Move): Promise<void> {
  const { sys } = deployment;
  const [from, to] = [move.from.slice(auth.length), move.to.slice(auth.length)];
  if (from === tokenPath) throw new CaError("malformed", `cannot remount "${auth}${from}/"`);
  await sys.change(
    async () => {
      const onlyAtEpoch = await sys.epoch();
      const methods = await readMethods(sys);
      const row = methods.get(from);
      if (!row) throw noMount(move.from);
      for (const other of methods.keys())
        if (other !== from && nests(other, to))
          throw new CaError("already_exists", `path is already in use at ${auth}${other}/`);
      const now = deployment.ports.now();
      const put = [
        [methodKeys.method(to), { ...row, path: to }],
        [remountKey(move.id), remountRow(move, "success", row.uuid, now)],
        jobRow({ due: now + statusLifetime, now }, remountJob.kind, move.id),
        ...(await movedQuotas(deployment, move)),
      ] as const;
      const del = [methodKeys.method(from)];
      return { reply: undefined, batch: { onlyAtEpoch, epoch: "next", del, put } };
    },
    { what: "the list of login methods" },
  );
  sys.cache.forget();
}
const nests = (one: string, other: string): boolean =>
  `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);
const noMount = (path: string): CaError =>
  new CaError("no_mount", `no matching mount at "${path}/"`);

/**
 * The job that stores the new path in a moved mount, and deletes the status of the move after a
 * day.
 */
export const remountJob: Job = {
  kind: "remount",
  of: "deployment",
  budget: 1,
  step: async (deployment, id) => {
    const key = remountKey(id);
    const [stored] = await deployment.sys.store.get([key]);
    if (!stored) return undefined;
    const row = storedRemount(stored.value);
    const now = deployment.ports.now();
    if (row.status !== "in-progress") {
      const due = row.at + statusLifetime;
      if (now >= due) await deployment.sys.commit({ del: [key] });
      else await deployment.sys.commit({ put: [jobRow({ due, now }, "remount", id)] });
      return undefined;
    }
    const status = await writeMountPath(deployment, row.of);
    await deployment.sys.commit({
      expect: [[key, stored.rev]],
      put: [
        [key, { ...row, status }],
        jobRow({ due: row.at + statusLifetime, now }, "remount", id),
      ],
    });
    return undefined;
  },
};
/**
 * Stores the current path of a mount in its own store. Returns `failure` if the mount has been
 * deleted in the meantime.
 */
async function writeMountPath(deployment: Deployment, of: string): Promise<RemountRow["status"]> {
  try {
    return await deployment.mount(of).configure(async ({ mount, mountRev }) => {
      // read after the mount, so that a path that is out of date never replaces a later one
      const path = await deployment.pathOf(of);
      if (path === undefined) return { reply: "failure" };
      const put = [[mountKey, { ...mount, path }]] as const;
      return { reply: "success", batch: { expect: [[mountKey, mountRev]], put } };
    });
  } catch (error) {
    if (error instanceof CaError && error.code === "no_route") return "failure";
    throw error;
  }
}

export const readRemount = systemEndpoint({
  id: "readRemount",
  at: ["GET /remount/status/:migration_id"],
  access: "token",
  style: envelope,
  hoist: true,
  doc: "Returns the status of a move, which is retained for a day.",
  body: {},
  reply: {
    migration_id: text.required("ID of the move."),
    migration_info: mapOf({
      source_mount: text.required("Old path."),
      target_mount: text.required("New path."),
      status: text.required("Status of the move.", ["in-progress", "success", "failure"]),
    }).required("Details of the move."),
  },
  refuses: ["not_found"],
  run: async ({ sys }, { migration_id }) => {
    const isId = /^[\da-f-]{36}$/.test(migration_id);
    const [row] = isId ? await sys.store.get([remountKey(migration_id)]) : [];
    if (!row) throw new CaError("not_found", "");
    const { source, target, status } = storedRemount(row.value);
    const migration_info = { source_mount: `${source}/`, target_mount: `${target}/`, status };
    return { migration_id, migration_info };
  },
});
