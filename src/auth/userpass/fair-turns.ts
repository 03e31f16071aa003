/** The origin of a login: the client's network and the login method. */
export interface LoginOrigin {
  /** The client's network, as returned by `siteNetwork`. */
  readonly network: string;
  /** ID of the login method. */
  readonly method: string;
}
/** A waiting login. */
export interface WaitingLogin extends LoginOrigin {
  /** Number of turns that had been given when the login arrived. */
  readonly turnsBefore: number;
}

/** Time in ms for which a failed login counts against its network. */
const failureLife = 5 * 60_000;
/** Maximum number of entries in each map. */
const maxRemembered = 10_000;
const remember = <V>(map: Map<string, V>, key: string, value: V): void => {
  // reinserts the entry, so that it becomes the newest
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (oldest !== undefined && map.size > maxRemembered) map.delete(oldest);
};

/**
 * A scheduler that gives turns to networks in rotation, and within a network to its login methods.
 * Every other turn is reserved for networks without recent failures.
 */
export class FairTurns {
  readonly #now: () => number;
  /** Time of the last failed login, per network. */
  readonly #failures = new Map<string, number>();
  /** Sequence number of the last turn, per network and per method in a network. */
  readonly #lastTurns = new Map<string, number>();
  #taken = 0;
  #wasFailing = true;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Records a failed login from a network. */
  noteFailure(network: string): void {
    remember(this.#failures, network, this.#now());
  }

  /** Number of turns given so far. */
  get started(): number {
    return this.#taken;
  }
  /** Returns the login whose turn is next. `waiting` is in order of arrival. */
  next<O extends WaitingLogin>(waiting: readonly O[]): O | undefined {
    const preferred = waiting.filter(
      ({ network }) => this.#isFailing(network) !== this.#wasFailing,
    );
    const [first, ...others] = preferred.length > 0 ? preferred : waiting;
    return first && others.reduce((best, one) => (this.#precedes(one, best) ? one : best), first);
  }
  /** Records that a login gets its turn. */
  countTurn(origin: LoginOrigin): void {
    this.#wasFailing = this.#isFailing(origin.network);
    this.#taken++;
    for (const key of Object.values(keysOf(origin))) remember(this.#lastTurns, key, this.#taken);
  }

  /**
   * Returns the waiting login that a new login displaces, or undefined if it displaces none. Picks
   * the network with the most waiting logins, networks with recent failures first, and displaces
   * its newest login. If that is the new login's own network, picks the login method with the most
   * waiting logins in it, and displaces that method's newest login.
   */
  yielding<O extends LoginOrigin>(waiting: readonly O[], newcomer: LoginOrigin): O | undefined {
    const all = [...waiting, newcomer];
    const networks = countsOf(all, ({ network }) => network);
    const weightOf = ({ network }: LoginOrigin): number =>
      (networks.get(network) ?? 0) + (this.#isFailing(network) ? all.length : 0);
    const ofNetwork = heaviest(waiting, weightOf);
    if (!ofNetwork || weightOf(ofNetwork) > weightOf(newcomer)) return ofNetwork;
    const own = all.filter(({ network }) => network === newcomer.network);
    const methods = countsOf(own, ({ method }) => method);
    const ofMethod = (one: LoginOrigin): number =>
      one.network === newcomer.network ? (methods.get(one.method) ?? 0) : 0;
    const candidate = heaviest(waiting, ofMethod);
    return candidate && ofMethod(candidate) > ofMethod(newcomer) ? candidate : undefined;
  }

  #isFailing(network: string): boolean {
    const failed = this.#failures.get(network);
    return failed !== undefined && this.#now() - failed < failureLife;
  }
  #precedes(one: WaitingLogin, other: WaitingLogin): boolean {
    const [a, b] = [this.#duesOf(one), this.#duesOf(other)];
    return (a.network - b.network || a.method - b.method) < 0;
  }
  /**
   * Returns the turns at which a network and its method are due. Each is the turn after the last
   * one of the network or method, but no earlier than the login's arrival. Otherwise, networks
   * whose logins arrive later would overtake this login.
   */
  #duesOf({ turnsBefore, ...origin }: WaitingLogin) {
    const { network, method } = keysOf(origin);
    const dueOf = (key: string): number =>
      Math.max((this.#lastTurns.get(key) ?? 0) + 1, turnsBefore);
    return { network: dueOf(network), method: dueOf(method) };
  }
}
const keysOf = ({ network, method }: LoginOrigin) => ({ network, method: `${network} ${method}` });

function countsOf<O>(all: readonly O[], keyOf: (one: O) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return counts;
}
/** Returns the newest item among those with the greatest weight. */
function heaviest<O>(all: readonly O[], weightOf: (one: O) => number): O | undefined {
  const maxWeight = all.reduce((weight, one) => Math.max(weight, weightOf(one)), 0);
  return all.findLast((one) => weightOf(one) === maxWeight);
}
