import type { LoginMethodType } from "../../auth/types/login-method-type.ts";
import { loginMethodTypes } from "../../auth/types/table.ts";
import { methodKeys, type MethodRow } from "../../auth/rows/method-records.ts";
import { methodSecretBinding, readMethods } from "../../auth/rows/methods.ts";
import { reseal, type ResealResult } from "../../engine/sealing.ts";
import type { Decision, StoreContext } from "../../engine/store-context.ts";

/** Reseals the secrets of the login methods under the current sealing key. */
export async function resealLogins(sys: StoreContext): Promise<ResealResult> {
  const unopened: string[] = [];
  let resealed = 0;
  for (const method of (await readMethods(sys)).values()) {
    const type: LoginMethodType | undefined = loginMethodTypes.find(
      ({ type: name }) => name === method.type,
    );
    for (const [row, members] of Object.entries(type?.sealed ?? {}))
      for (const member of members) {
        const done = await sys.change(() => resealMember(sys, method, row, member), {
          what: "a login method",
        });
        if (done === "unopened") unopened.push(`auth/${method.path}/${row}`);
        else if (done === "resealed") resealed += 1;
      }
  }
  return { resealed, unopened };
}

type Outcome = "absent" | "unopened" | "resealed";
async function resealMember(
  { store, ports }: StoreContext,
  { uuid }: MethodRow,
  row: string,
  member: string,
): Promise<Decision<Outcome>> {
  const key = methodKeys.data(uuid, row);
  const [stored] = await store.get([key]);
  // a row with sealed members is an object, and its sealed members are bytes
  const value = stored?.value as Readonly<Record<string, Uint8Array | undefined>> | undefined;
  const secret = value?.[member];
  if (!stored || !secret) return { reply: "absent" };
  const binding = methodSecretBinding(uuid, row, member);
  const sealed = await reseal(ports.vault, { sealed: secret, binding });
  if (!sealed) return { reply: "unopened" };
  const put = [[key, { ...value, [member]: sealed }]] as const;
  return { reply: "resealed", batch: { expect: [[key, stored.rev]], put } };
}
