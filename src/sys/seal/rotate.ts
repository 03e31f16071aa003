import { CaError } from "../../base/errors.ts";
import type { MountType } from "../../engine/deployment.ts";
import type { Mount } from "../../engine/mount.ts";
import { auditSecrets } from "../../engine/audit-key.ts";
import { resealFingerprint, type ResealResult, type StoredSecret } from "../../engine/sealing.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { int, list } from "../../wire/field.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { resealStored } from "./reseal-stored.ts";

export const rotateSeal = systemEndpoint({
  id: "rotateSeal",
  at: ["POST /rotate"],
  access: "sudo",
  style: envelope,
  doc: "Re-encrypts every stored secret with the current sealing key, so that the previous key can be removed.",
  body: {},
  reply: {
    resealed: int.required("Number of re-encrypted secrets."),
    unopened: list.optional(
      "Names of the secrets that neither key could decrypt, and that were left unchanged. Absent if there are none.",
    ),
  },
  run: async (deployment) => {
    const done: ResealResult[] = [];
    for (const owner of deployment.secretOwners) done.push(await owner.reseal(deployment));
    for (const [path, { uuid, type: name }] of await deployment.readMounts()) {
      const type = deployment.types.get(name);
      if (!type) throw new CaError("storage", `the mount ${path}/ has an unknown type`);
      done.push(
        await resealMount(deployment.mount(uuid), path, type).catch((error: unknown) =>
          skippedRow(error, path),
        ),
      );
    }
    done.push(await resealStored(deployment.sys, await secretsOf(deployment.sys)));
    done.push(
      await (await import("../../auth/token/cubbyhole.ts")).resealRootHoles(deployment.sys),
    );
    // the fingerprint is resealed last, because otherwise an interrupted run would mark the data as
    // readable with the new key alone
    await resealFingerprint(deployment.sys.store, deployment.ports.vault);
    const unopened = done.flatMap((one) => one.unopened);
    return {
      resealed: done.reduce((sum, one) => sum + one.resealed, 0),
      ...(unopened.length > 0 ? { unopened } : {}),
    };
  },
});

/** Returns the secrets in rows of `sys`. */
async function secretsOf(sys: StoreContext): Promise<readonly StoredSecret[]> {
  const { eventSinkSecrets } = await import("../events/sinks-run.ts");
  const { managedSecrets } = await import("../managed/managed-keys-run.ts");
  const { loginSecrets } = await import("./login-secrets.ts");
  const others = [eventSinkSecrets, managedSecrets, loginSecrets].map((secrets) => secrets(sys));
  return [...auditSecrets, ...(await Promise.all(others)).flat()];
}

/**
 * Returns the result for a mount that could not be resealed. It is empty if the mount was deleted
 * concurrently, and contains the mount's path if its store failed. Throws any other error.
 */
function skippedRow(error: unknown, path: string): ResealResult {
  if (error instanceof CaError && error.code === "no_route") return { resealed: 0, unopened: [] };
  if (error instanceof CaError && error.code === "storage")
    return { resealed: 0, unopened: [`${path}/`] };
  throw error;
}

/**
 * Reseals all secrets of a mount under the current key, in one commit that expects unchanged rows.
 */
function resealMount(mount: Mount, path: string, type: MountType): Promise<ResealResult> {
  return mount.configure(
    async (config) => {
      const resealed = await type.resealed(mount.ports.vault, config);
      const put = resealed.filter(([, row]) => row !== undefined);
      const unopened = resealed.flatMap(([key, row]) =>
        row === undefined ? [`${path}/${key}`] : [],
      );
      return { reply: { resealed: put.length, unopened }, batch: { put } };
    },
    { exact: true },
  );
}
