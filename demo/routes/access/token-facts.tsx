import type { JSX } from "preact";
import type { Self } from "../../api/token-self.ts";
import { distance, instant } from "../../lib/format.ts";

/** The expiry of a token. */
export function Ending({ of }: { of: Pick<Self, "expire_time" | "period"> }): JSX.Element {
  if (of.expire_time === null) return <>Never</>;
  const end = new Date(of.expire_time);
  return (
    <time dateTime={of.expire_time}>
      {instant(end)}, {distance(end, new Date())}
      {!!of.period && ", unless it is renewed"}
    </time>
  );
}
