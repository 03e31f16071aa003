import type { JSX } from "preact";
import {
  answerChallenge,
  pendingChallenges,
  type PendingChallenge,
} from "../lib/pending-challenges.ts";
import { Button } from "../ui/button.tsx";
import { Code } from "../ui/code.tsx";
import { Icon } from "../ui/icon.tsx";
import { Card } from "../ui/page.tsx";
import { findChallengeType } from "../lib/challenge-types.ts";
import { useStore } from "../lib/store.ts";
import { visible } from "../lib/visible-text.ts";

/**
 * The ACME challenges that the user must accept or reject, because a page has no network access to
 * validate them. Renders nothing if there are none.
 */
export function Challenges(): JSX.Element | null {
  const all = useStore(pendingChallenges, (value) => value.all);
  return all.length === 0 ? null : (
    <div class="asked">
      <ChallengeCard all={all} />
    </div>
  );
}

function ChallengeCard({ all }: { all: readonly PendingChallenge[] }): JSX.Element {
  return (
    <Card title="Challenges to confirm">
      <ul class="list">
        {all.map((one) => (
          <li key={one.id}>
            <Icon name="clock" tone="info" />
            <div class="stack close">
              <p role="status">
                <b>{visible(one.name)}</b> by <code>{visible(one.type)}</code>. An authority in this
                browser has no network access. {findChallengeType(one.type)?.question}
              </p>
              <Code text={visible(one.where)} label={`Where: ${visible(one.name)}`} wrap />
              <Code text={visible(one.expected)} label={`Expected: ${visible(one.name)}`} wrap />
              <div class="actions">
                <Button
                  kind="primary"
                  label={`Accept ${visible(one.name)}`}
                  press={() => answerChallenge(one.id, true)}
                >
                  Accept
                </Button>
                <Button
                  label={`Refuse ${visible(one.name)}`}
                  press={() => answerChallenge(one.id, false)}
                >
                  Refuse
                </Button>
              </div>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}
