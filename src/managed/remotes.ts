import { CaError } from "../base/errors.ts";
import { truncateForMessage } from "../base/names.ts";
import type { ManagedKeyRow } from "./records.ts";
import type { Ports } from "../engine/ports.ts";
import { awskmsRemote } from "./awskms-remote.ts";
import { httpsRemote } from "./https-remote.ts";
import { openSecrets, type KmsProvider } from "./remote.ts";

/** Returns the provider of a managed key. */
export async function remoteOf(ports: Ports, row: ManagedKeyRow): Promise<KmsProvider> {
  const secrets = await openSecrets(ports, row);
  if (row.type === "https") return httpsRemote(ports, row, secrets);
  if (row.type === "awskms") return awskmsRemote(ports, row, secrets);
  throw new CaError(
    "storage",
    `the managed key ${truncateForMessage(row.name)} is of an unknown type`,
  );
}
