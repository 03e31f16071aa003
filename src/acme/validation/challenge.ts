import { CaError } from "../../base/errors.ts";
import { importOnce } from "../../base/memo.ts";
import type { Mount } from "../../engine/mount.ts";
import { list, text, map } from "../../wire/field.ts";
import { challengeObject } from "../protocol/challenge-object.ts";
import { acmeEndpoint } from "../protocol/endpoint.ts";
import { acmePaths } from "../protocol/paths.ts";
import { type AcmeChallenge, acmeKeys, type AuthzRow, storedAcme } from "../rows/records.ts";
import { validationPut } from "./authz-put.ts";
import { beginDue } from "./begin-due.ts";
import { acceptChallenge, retryAfterOf } from "./challenge-state.ts";
import { requireChallenge } from "./challenge-row.ts";
import { requireStart } from "./failure-limit.ts";
import { challengeTypeField, findChallengeType } from "./challenge-table.ts";

/** Imported on demand, when a client responds to a challenge that is verified at once. */
const response = importOnce(() => import("./response.ts"));

export const acmeChallenge = acmeEndpoint({
  id: "acmeChallenge",
  at: acmePaths("POST /challenge/:auth_id/:type"),
  doc: "Reads a challenge (empty payload) or starts its validation (payload `{}`; for device-attest-01 with `attObj`).",
  key: "kid",
  payload: "either",
  reply: {
    type: challengeTypeField,
    url: text.required("URL of the challenge."),
    status: text.required("`pending`, `processing`, `valid` or `invalid`.", [
      "pending",
      "processing",
      "valid",
      "invalid",
    ]),
    token: text.optional(
      "Token that is part of the key authorization, for challenge types that have one.",
    ),
    issuerDomainNames: list.optional("Domain names of the CA in dns-persist-01 records."),
    validated: text.optional("Time at which the challenge was validated, RFC 3339."),
    error: map.optional("Problem document of the first failed attempt, or of a permanent failure."),
  },
  refuses: ["rate_limited"],
  reads: ({ params }) => [acmeKeys.authz(params.auth_id)],
  run: async ({
    mount,
    config,
    directory,
    account,
    params: { auth_id: id, type },
    payload,
    rows: [read],
  }) => {
    const row = read && storedAcme.authz(read.value);
    if (row?.account !== account.id || row.directory !== directory.prefix)
      throw new CaError(
        "malformed",
        "the account has no authorization with this id in this directory",
      );
    const now = mount.ports.now();
    const challenge = requireChallenge(row, type);
    const challengeType = findChallengeType(type);
    if (payload && challengeType && "respond" in challengeType) {
      const verify = challengeType.respond(payload);
      const { respond } = await response();
      const stored = { id, rev: read?.rev ?? null, row, type };
      return respond({ mount, directory, account }, verify, stored);
    }
    // a validation requested earlier continues unchanged
    const changed =
      payload && (await startedRow(mount, row, { type: challenge.type, payload, now }));
    const latest = changed?.row ?? row;
    const wait = retryAfterOf(latest, now);
    return {
      reply: challengeObject(id, requireChallenge(latest, type), {
        url: directory.url,
        now,
        members: challengeType?.members?.(config),
      }),
      headers: wait === undefined ? {} : { "retry-after": String(wait) },
      done: () => beginDue(mount, [{ id, row: latest }]),
      link: { rel: "up", url: directory.url(`/authorization/${id}`) },
      ...(changed
        ? {
            batch: {
              expect: [[acmeKeys.authz(id), read?.rev ?? null]],
              put: validationPut({ id, changed, now }),
            },
          }
        : {}),
    };
  },
});

interface Begin {
  readonly type: AcmeChallenge["type"];
  readonly payload: Readonly<Record<string, unknown>>;
  /** Current time, Unix milliseconds. */
  readonly now: number;
}
/** Returns the authorization after the client requested validation (RFC 8555 section 7.5.1). */
async function startedRow(mount: Mount, row: AuthzRow, { type, payload, now }: Begin) {
  if (Object.keys(payload).length > 0)
    throw new CaError("malformed", "to start the validation, send {} without members");
  const accepted = acceptChallenge(row, type, now);
  if (accepted) await requireStart(mount, row, type);
  return accepted;
}
