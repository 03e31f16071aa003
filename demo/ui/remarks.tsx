import type { JSX } from "preact";
import type { Remark } from "../lib/inspection/headline.ts";
import { Badge } from "./icon.tsx";

/** Remarks as badges, in order. */
export const Remarks = ({ of }: { of: readonly Remark[] }): JSX.Element => (
  <>
    {of.map(({ text, tone, mark }) => (
      <Badge key={text} tone={tone} mark={mark}>
        {text}
      </Badge>
    ))}
  </>
);
