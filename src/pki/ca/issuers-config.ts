import { issuersConfig } from "../rows/settings.ts";
import { issuersById, keys } from "../rows/records.ts";
import { referenceForm } from "../../base/forms.ts";
import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { flag, withNormalForm, text } from "../../wire/field.ts";
import { endpoint, type Caller } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { crlSetsOf, findIssuer } from "../issuer/issuer.ts";
import { configureCrls } from "../crl/crl-schedule.ts";

const issuersConfigReply = {
  default: text.required("ID of the default issuer, or empty if there is none."),
  default_follows_latest_issuer: flag.required(
    "Whether a new issuer with a key becomes the default issuer.",
  ),
} as const;

export const readIssuersConfig = endpoint({
  id: "readIssuersConfig",
  at: ["GET /config/issuers"],
  access: "token",
  style: envelope,
  doc: "Reads the default issuer of the mount.",
  body: {},
  reply: issuersConfigReply,
  run: async (mount) => (await mount.config()).get(issuersConfig),
});

const follows = {
  default_follows_latest_issuer: flag.optional(
    "Whether a new issuer with a key becomes the default issuer.",
  ),
} as const;
export const writeIssuersConfig = endpoint({
  id: "writeIssuersConfig",
  audits: { always: true },
  at: ["POST /config/issuers"],
  access: "token",
  style: envelope,
  doc: "Sets the default issuer of the mount.",
  body: {
    default: withNormalForm(text, referenceForm).requiredOr(
      "",
      "ID or name of the new default issuer.",
    ),
    ...follows,
  },
  reply: issuersConfigReply,
  refuses: ["malformed"],
  run: (mount, input, caller) => chooseDefault(mount, input, caller),
});

export const replaceRoot = endpoint({
  id: "replaceRoot",
  audits: { always: true },
  at: ["POST /root/replace"],
  access: "token",
  style: envelope,
  doc: "Makes a new root, for example one created by a rotation, the default issuer.",
  body: {
    default: withNormalForm(text, referenceForm).default(
      "next",
      "ID or name of the new default issuer.",
    ),
    ...follows,
  },
  reply: issuersConfigReply,
  refuses: ["malformed"],
  run: (mount, input, caller) => chooseDefault(mount, input, caller),
});

type Choice = {
  readonly default: string;
  readonly default_follows_latest_issuer?: boolean | undefined;
};
const chooseDefault = (mount: Mount, input: Choice, caller: Caller) =>
  configureCrls(mount, caller, (config, caller) => chosenDefault(mount, config, input, caller));
function chosenDefault(mount: Mount, config: Snapshot, input: Choice, caller: Caller) {
  const ref = input.default.trim();
  if (ref === "" || ref.toLowerCase() === "default")
    throw new CaError(
      "malformed",
      "Invalid issuer specification; must be non-empty and can't be 'default'.",
    );
  const row = findIssuer(config, ref);
  if (!row)
    throw new CaError(
      "malformed",
      `Error resolving issuer reference: unable to find PKI issuer for reference: ${ref}`,
    );
  if (row.key_id === "")
    caller.reply.warn(
      "This selected default issuer has no key associated with it. Some operations like issuing certificates and signing CRLs will be unavailable with the requested default issuer until a key is imported or the default issuer is changed.",
    );
  const current = config.get(issuersConfig);
  const next = {
    default: row.id,
    default_follows_latest_issuer:
      input.default_follows_latest_issuer ?? current.default_follows_latest_issuer,
  };
  const put = [[keys.config("issuers"), next] as const];
  if (next.default === current.default) return { reply: next, crlIds: [], batch: { put } };
  // the CRL of the default issuer also lists certificates issued by deleted issuers (B 1.8 rule 4)
  const sets = crlSetsOf([config.get(issuersById).get(current.default), row]);
  const now = mount.ports.now();
  // the responses that contain the default issuer's certificate change, and so must their time of
  // modification (B 1.7)
  return {
    reply: next,
    crlIds: sets,
    batch: { put: [...put, [keys.issuer(row.id), { ...row, modified: now }] as const] },
  };
}
