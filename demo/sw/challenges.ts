import { CaError } from "../../src/base/errors.ts";
import type { Probe } from "../../src/index.ts";
import type { PendingChallenge } from "../lib/pending-challenges.ts";

/** The broker that passes challenges from the CA to the user, and the user's decisions back. */
export interface Challenges {
  /** Waits for the user's decision about a challenge, until a timeout. */
  readonly challenger: (probe: Probe) => Promise<void>;
  /** Returns the pending challenges, oldest first. */
  all(): readonly PendingChallenge[];
  /** Applies a decision to the running validation attempt, and stores it for later attempts. */
  answer(id: string, accept: boolean): void;
}

interface PendingEntry {
  readonly challenge: PendingChallenge;
  /** Ends the running validation attempt. Absent between attempts. */
  settle?: (accept: boolean) => void;
  /** Time in Unix ms until which the challenge is shown between attempts. */
  until: number;
}

/** Maximum time in ms between an attempt that timed out and the next. */
const between = 120_000;
/** Lifetime of a decision in ms, long enough for the last validation attempt of its challenge. */
const answerLifetime = 600_000;

const idOf = ({ type, identifier, expected }: Probe): string =>
  `${type} ${identifier.value} ${expected}`;

/** Returns the broker, which calls `announce` with all pending challenges whenever they change. */
export function challengesOf(
  now: () => number,
  announce: (all: readonly PendingChallenge[]) => void,
): Challenges {
  const waiting = new Map<string, PendingEntry>();
  const answers = new Map<string, { readonly accept: boolean; readonly until: number }>();
  const all = (): readonly PendingChallenge[] => {
    for (const [id, one] of waiting) if (!one.settle && one.until < now()) waiting.delete(id);
    return [...waiting.values()].map(({ challenge }) => challenge);
  };
  const decisionOf = (id: string): boolean | undefined => {
    const answer = answers.get(id);
    if (answer && answer.until < now()) answers.delete(id);
    return answers.get(id)?.accept;
  };
  const challenger = async (probe: Probe): Promise<void> => {
    const id = idOf(probe);
    const accept =
      decisionOf(id) ??
      (await addPending(waiting, id, probe, { now, onAnswer: () => announce(all()) }));
    if (!accept) throw new CaError("incorrect_response", "rejected by the user");
  };
  const answer = (id: string, accept: boolean): void => {
    answers.set(id, { accept, until: now() + answerLifetime });
    const one = waiting.get(id);
    waiting.delete(id);
    one?.settle?.(accept);
    announce(all());
  };
  return { challenger, all, answer };
}

/** Adds a pending challenge, and resolves with the user's decision. */
function addPending(
  waiting: Map<string, PendingEntry>,
  id: string,
  { type, identifier, asked: where, expected, signal }: Probe,
  { now, onAnswer }: { readonly now: () => number; readonly onAnswer: () => void },
): Promise<boolean> {
  return new Promise((settle, reject) => {
    const one: PendingEntry = {
      challenge: { id, type, name: identifier.value, where, expected },
      settle,
      until: 0,
    };
    waiting.set(id, one);
    signal.addEventListener("abort", () => {
      if (waiting.get(id) !== one) return;
      delete one.settle;
      one.until = now() + between;
      reject(new CaError("connection", "not confirmed in time"));
    });
    onAnswer();
  });
}
