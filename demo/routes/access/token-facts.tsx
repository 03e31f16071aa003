import type { JSX } from "preact";
import type { Self } from "../../api/token-self.ts";
import { distance } from "../../lib/time-text.ts";
import { Moment } from "../../ui/life-state.tsx";

/** The expiry of a token. */
export function Ending({ of }: { of: Pick<Self, "expire_time" | "period"> }): JSX.Element {
  if (of.expire_time === null) return <>Never</>;
  const end = new Date(of.expire_time);
  return (
    <>
      <Moment at={end} />, {distance(end, new Date())}
      {!!of.period && ", unless it is renewed"}
    </>
  );
}
