import { issuersConfig } from "../rows/settings.ts";
import { issuersById, keysById, keys } from "../rows/records.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { findIssuer } from "../issuer/issuer.ts";
import { issuerRemoval } from "../issuer/new-issuer.ts";
import { configureCrls } from "../crl/crl-schedule.ts";
import { crlSets } from "../crl/crl-set.ts";
import { type IssuerCase, maxRolesNamed, rolesNaming } from "./issuer-change.ts";

export const deleteIssuer = endpoint({
  id: "deleteIssuer",
  audits: { always: true },
  at: ["DELETE /issuer/:issuer_ref"],
  access: "token",
  style: envelope,
  doc: "Deletes an issuer. Keeps its key and the certificates it issued.",
  body: {},
  reply: {},
  run: (mount, input, caller) =>
    configureCrls(mount, caller, (config, caller) =>
      deleted({ mount, config, caller }, input.issuer_ref),
    ),
});

async function deleted({ mount, config, caller }: IssuerCase, reference: string) {
  const row = findIssuer(config, reference);
  if (!row) return { reply: null, crlIds: [] };
  const wasDefault = config.get(issuersConfig).default === row.id;
  if (wasDefault)
    caller.reply.warn(
      `Deleted issuer ${row.id} (via issuer_ref ${reference}); this was configured as the default issuer. Operations without an explicit issuer will not work until a new default is configured.`,
    );
  for (const name of [row.name, row.id, ...(wasDefault ? ["default"] : [])]) {
    const roles = await rolesNaming(mount, name);
    const count = roles.length < maxRolesNamed ? roles.length : `At least ${roles.length}`;
    if (roles.length) caller.reply.warn(`${count} roles reference ${name}: ${roles.join(", ")}`);
  }
  const { without, batch } = await issuerRemoval(mount, config, new Set([row.id]));
  return { reply: null, crlIds: crlSets(without), batch };
}

export const deleteRoot = endpoint({
  id: "deleteRoot",
  at: ["DELETE /root"],
  access: "sudo",
  style: envelope,
  doc: "Deletes all issuers and keys of the mount. Keeps the certificates they issued.",
  body: {},
  reply: {},
  run: async (mount, _, caller) => {
    await mount.configure(
      (config) => ({
        reply: undefined,
        batch: {
          del: [
            ...[...config.get(issuersById).keys()].flatMap(keys.ofIssuer),
            ...[...config.get(keysById).keys()].map(keys.key),
          ],
          put: [
            [keys.config("issuers"), { ...config.get(issuersConfig), default: "" }],
            [keys.config("keys"), { default: "" }],
          ],
        },
      }),
      { exact: true },
    );
    caller.reply.warn("All keys and issuers were deleted.");
    return null;
  },
});
