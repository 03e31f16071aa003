/** The reference model of ACME accounts, against which random histories are checked. */

export const policies = ["not-required", "new-account-required", "always-required"] as const;
export type Policy = (typeof policies)[number];
export const places = ["acme", "roles/web/acme"] as const;

/** An act; keys, bindings and accounts are referred to by their index in the history. */
export type Act =
  | {
      readonly act: "register";
      readonly key: number;
      readonly place: number;
      readonly eab?: number | undefined;
      readonly only: boolean;
    }
  | { readonly act: "update"; readonly key: number; readonly contact: string }
  | { readonly act: "deactivate"; readonly key: number }
  | { readonly act: "change"; readonly key: number; readonly to: number }
  | { readonly act: "bind"; readonly place: number }
  | { readonly act: "unbind"; readonly eab: number }
  | { readonly act: "policy"; readonly policy: Policy }
  | { readonly act: "set"; readonly key: number; readonly status: "valid" | "revoked" };

/** An account by its URL. */
interface Account {
  readonly place: string;
  readonly key: number;
  readonly status: "valid" | "deactivated" | "revoked";
  readonly contact: string;
  readonly eab?: string | undefined;
}
export interface State {
  readonly policy: Policy;
  readonly accounts: ReadonlyMap<string, Account>;
  /** The directory of each unused binding, by id. */
  readonly unused: ReadonlyMap<string, string>;
}
/** The account and the binding of an act, from the state before it. */
export interface With {
  readonly kid?: string | undefined;
  readonly eab?: string | undefined;
}
/** The result of an act: status, problem type, and the account or binding in the response. */
export interface Came {
  readonly status: number;
  readonly problem?: string | undefined;
  readonly tells?: string | undefined;
}
/** The required result of an act, and the state after it. */
export interface Judged {
  readonly came: Came;
  readonly state: State;
}

export const beginning: State = { policy: "not-required", accounts: new Map(), unused: new Map() };
const withAccount = (state: State, url: string, account: Account): State => ({
  ...state,
  accounts: new Map(state.accounts).set(url, account),
});
const without = (unused: State["unused"], id: string): State["unused"] =>
  new Map([...unused].filter(([one]) => one !== id));
const holderOf = ({ accounts }: State, key: number) =>
  [...accounts].find(([, account]) => account.key === key);

/** Returns the error for every request of an account; undefined if the account may act. */
function barred({ policy }: State, { status, eab }: Account): Came | undefined {
  if (status !== "valid") return { status: 401, problem: "unauthorized" };
  return policy === "always-required" && eab === undefined
    ? { status: 401, problem: "externalAccountRequired" }
    : undefined;
}
const malformed: Came = { status: 400, problem: "malformed" };

function register(
  state: State,
  act: Act & { act: "register" },
  { eab }: With,
  url: string,
): Judged {
  const place = places[act.place] ?? "";
  const [held, account] = holderOf(state, act.key) ?? [];
  const refused = (came: Came): Judged => ({ came, state });
  if (account) {
    if (account.place !== place) return refused(malformed);
    return refused(barred(state, account) ?? { status: 200, tells: held });
  }
  if (act.only) return refused({ status: 400, problem: "accountDoesNotExist" });
  if (eab === undefined && state.policy !== "not-required")
    return refused({ status: 401, problem: "externalAccountRequired" });
  if (eab !== undefined && state.unused.get(eab) !== place)
    return refused({ status: 401, problem: "unauthorized" });
  const made: Account = { place, key: act.key, status: "valid", contact: "", eab };
  const unused = eab === undefined ? state.unused : without(state.unused, eab);
  return { came: { status: 201, tells: url }, state: withAccount({ ...state, unused }, url, made) };
}

type Signed = Act & { readonly act: "update" | "deactivate" | "change" };
function asAccount(state: State, act: Signed, { kid = "" }: With): Judged {
  const account = state.accounts.get(kid);
  const refused = (came: Came): Judged => ({ came, state });
  if (account?.key !== act.key) return refused(malformed);
  const bar = barred(state, account);
  if (bar) return refused(bar);
  const done = (changed: Account): Judged => ({
    came: { status: 200, tells: kid },
    state: withAccount(state, kid, changed),
  });
  if (act.act === "update") return done({ ...account, contact: act.contact });
  if (act.act === "deactivate") return done({ ...account, status: "deactivated" });
  const [taken] = holderOf(state, act.to) ?? [];
  return taken === undefined
    ? done({ ...account, key: act.to })
    : refused({ status: 409, problem: "malformed", tells: taken });
}

/** Returns the required result of an act. `told`: the account or binding in the response. */
export function judge(state: State, act: Act, by: With, told: string): Judged {
  switch (act.act) {
    case "register":
      return register(state, act, by, told);
    case "update":
    case "deactivate":
    case "change":
      return asAccount(state, act, by);
    case "bind": {
      const unused = new Map(state.unused).set(told, places[act.place] ?? "");
      return { came: { status: 200, tells: told }, state: { ...state, unused } };
    }
    case "unbind":
      return {
        came: { status: 200 },
        state: { ...state, unused: without(state.unused, by.eab ?? "") },
      };
    case "policy":
      return { came: { status: 200 }, state: { ...state, policy: act.policy } };
    case "set": {
      const { kid = "" } = by;
      const account = state.accounts.get(kid);
      if (account?.status === "deactivated") return { came: { status: 400 }, state };
      return {
        came: { status: 200 },
        state: account ? withAccount(state, kid, { ...account, status: act.status }) : state,
      };
    }
  }
}
