import { approle } from "./approle.ts";
import { cert } from "./cert.ts";
import { jwt, oidc } from "./jwt.ts";
import { kubernetes } from "./kubernetes.ts";
import type { LoginMethodType } from "./login-method-type.ts";
import { userpass } from "./userpass.ts";

/** The types of login methods. `src/endpoints/logins.ts` lists their endpoints. */
export const loginMethodTypes = [approle, jwt, oidc, kubernetes, cert, userpass] as const;
/** The name of a login method type. */
export type LoginType = (typeof loginMethodTypes)[number]["type"];
/** Returns a record with the result of `make` for each type of login method. */
export const byLoginType = <T>(make: (type: LoginType) => T): Readonly<Record<LoginType, T>> =>
  // the keys are the names in the table, which the type of `Object.fromEntries` does not express
  Object.fromEntries(loginMethodTypes.map(({ type }) => [type, make(type)])) as Record<
    LoginType,
    T
  >;
/** The names of all types of login methods, sorted. */
export const loginTypeNames: readonly LoginType[] = loginMethodTypes
  .map(({ type }) => type)
  .toSorted();
/** The job kinds of all login method types. */
export const loginJobKinds: readonly string[] = loginMethodTypes.flatMap(
  ({ jobs = [] }: LoginMethodType) => jobs,
);
