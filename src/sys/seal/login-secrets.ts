import type { LoginMethodType } from "../../auth/types/login-method-type.ts";
import { loginMethodTypes } from "../../auth/types/table.ts";
import { methodKeys } from "../../auth/rows/method-records.ts";
import { methodSecretBinding, readMethods } from "../../auth/rows/methods.ts";
import type { StoredSecret } from "../../engine/sealing.ts";
import type { StoreContext } from "../../engine/store-context.ts";

/** Returns the secrets of the login methods. */
export async function loginSecrets(sys: StoreContext): Promise<readonly StoredSecret[]> {
  return [...(await readMethods(sys)).values()].flatMap(({ uuid, path, type: name }) => {
    const type: LoginMethodType | undefined = loginMethodTypes.find((one) => one.type === name);
    return Object.entries(type?.sealed ?? {}).flatMap(([row, members]) =>
      members.map((member) => ({
        key: methodKeys.data(uuid, row),
        member,
        name: `auth/${path}/${row}`,
        bindingOf: () => methodSecretBinding(uuid, row, member),
      })),
    );
  });
}
