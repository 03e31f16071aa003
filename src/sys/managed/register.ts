import { CaError } from "../../base/errors.ts";
import { uuid } from "../../base/ids.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { allowsPrivateNetworks } from "../../net/outgoing-scope.ts";
import { managedKey, type ManagedKeyRow, storedManagedKey } from "../../managed/records.ts";
import type { ManagedKeyType } from "../../managed/types/managed-key-type.ts";
import { findManagedType, managedKeyTypes, managedTypes } from "../../managed/types/table.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { failureNoticeKey } from "../../managed/registry.ts";
import { sealSecrets, remainingSecrets } from "../../managed/remote.ts";
import { mergeSettings, usagesOf, type ManagedKeySettings } from "./settings.ts";

/** Request fields of a managed key. */
interface ManagedKeyInput {
  readonly type: string;
  readonly name: string;
  readonly allow_generate_key?: boolean | undefined;
  readonly allow_replace_key?: boolean | undefined;
  readonly allow_store_key?: boolean | undefined;
  readonly any_mount?: boolean | undefined;
  readonly allow_private_network?: boolean | undefined;
  readonly usages?: readonly string[] | undefined;
}
/** Error messages for types that other servers support but this server does not. */
const foreign: Readonly<Record<string, string>> = {
  pkcs11:
    "pkcs11 requires a native library, which this server cannot load: put a signing service in front of the token and register it as type https",
  azurekeyvault:
    "azurekeyvault is not supported: put a signing service in front of it and register it as type https",
  gcpckms:
    "gcpckms is not supported: put a signing service in front of it and register it as type https",
};
/** Pattern of managed key names. */
export const managedName = /^\w(?:[\w.-]{0,126}\w)?$/;

function requireType({ type: name, name: key }: ManagedKeyInput): ManagedKeyType {
  const type = findManagedType(name);
  if (!type)
    throw new CaError(
      "malformed",
      foreign[name] ?? `unknown managed key type: use ${managedTypes.join(" or ")}`,
    );
  if (!managedName.test(key))
    throw new CaError(
      "malformed",
      "invalid managed key name: use 1 to 128 letters, digits, '_', '.' and '-', not beginning or ending with '.' or '-'",
    );
  return type;
}

const telling = managedKeyTypes.flatMap(({ identity }) => identity);
const sameKey = (a: ManagedKeySettings["settings"], b: ManagedKeySettings["settings"]): boolean =>
  telling.every((name) => (a[name] ?? "") === (b[name] ?? ""));

/** Registers a managed key or changes its settings. */
export async function register(deployment: Deployment, input: ManagedKeyInput): Promise<undefined> {
  const type = requireType(input);
  const { sys } = deployment;
  const key = managedKey(type.type, input.name);
  const others = managedTypes.filter((one) => one !== type.type);
  return sys.change(
    async () => {
      const [existing, ...same] = await sys.store.get([
        key,
        ...others.map((other) => managedKey(other, input.name)),
      ]);
      const other = others[same.findIndex(Boolean)];
      if (other)
        throw new CaError("already_exists", `a managed key of type ${other} already has this name`);
      const before = existing && storedManagedKey(existing.value);
      const row = await changedRow(sys, type, input, before);
      const expect = [
        [key, existing?.rev ?? null] as const,
        // mounts list allowed keys by name, so names are unique across types
        ...others.map((one) => [managedKey(one, input.name), null] as const),
      ];
      const del = [failureNoticeKey(row.uuid)];
      return { reply: undefined, batch: { expect, put: [[key, row]], del } };
    },
    { tries: 25, what: "the managed key" },
  );
}
async function changedRow(
  sys: StoreContext,
  type: ManagedKeyType,
  input: ManagedKeyInput,
  before: ManagedKeyRow | undefined,
): Promise<ManagedKeyRow> {
  const { name } = input;
  const id = before?.uuid ?? uuid(sys.ports.random);
  const settings = await mergeSettings(
    type,
    { ...input },
    {
      settings: before?.settings ?? {},
      secrets: before ? await remainingSecrets(sys.ports, before) : {},
    },
  );
  const base = storedManagedKey({
    allow_private_network: allowsPrivateNetworks(sys),
    ...before,
  });
  const { spki, ...rest } = base;
  const { usages } = input;
  const flags = {
    allow_generate_key: input.allow_generate_key ?? base.allow_generate_key,
    allow_replace_key: input.allow_replace_key ?? base.allow_replace_key,
    allow_store_key: input.allow_store_key ?? base.allow_store_key,
    any_mount: input.any_mount ?? base.any_mount,
    allow_private_network: input.allow_private_network ?? base.allow_private_network,
  };
  return {
    ...rest,
    ...flags,
    uuid: id,
    type: type.type,
    name,
    usages: usages ? usagesOf(usages) : base.usages,
    settings: settings.settings,
    sealed: await sealSecrets(sys.ports, id, settings.secrets),
    ...(spki && sameKey(base.settings, settings.settings) ? { spki } : {}),
  };
}
