import type { ParameterForm } from "../base/forms.ts";

/** What path parameters of a name may look like; with `+`: where they take slashes too. */
export type Patterns = Readonly<Record<string, RegExp>>;
/** Forms in which parameters of paths are compared, by name; those of other names by the letter. */
export type Forms = Readonly<Record<string, ParameterForm>>;
/** An endpoint that is loaded when it is first called: what finds it. */
export interface Later<Endpoint> {
  readonly id: string;
  readonly at: readonly string[];
  readonly rawRest?: boolean;
  load(): Promise<Endpoint>;
}
/** Endpoints below one path. */
export interface Listed<Endpoint> {
  readonly endpoints: readonly (Endpoint | Later<Endpoint>)[];
  /** What the parameters of their paths may look like. */
  readonly parameters?: Patterns;
  /** Which of them have several spellings: policies judge these in their normal form. */
  readonly forms?: Forms;
}
/** The same, of which some may be loaded on first use. */
export interface Listing<Endpoint> extends Listed<Endpoint> {
  /** Paths that are open to all: any caller learns which of them lead nowhere. */
  readonly open?: RegExp;
  /**
   * More of them, loaded when a call is none of the others: none of their paths is one of those, or
   * takes its rest as it arrived.
   */
  later?(): Promise<Listed<Endpoint>>;
}
