import type { JSX } from "preact";
import type { ReadCertReply } from "../../../src/client/pki.ts";
import { verifyInclusion } from "../../api/mount-log.ts";
import { visible } from "../../lib/visible-text.ts";
import { address } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { Badge } from "../../ui/icon.tsx";
import { Card, Facts, Note, Ready } from "../../ui/page.tsx";

/**
 * The entry of a certificate in the mount's log, with an inclusion proof that is verified in the
 * browser.
 */
export function LogEntry({ reply, der }: { reply: ReadCertReply; der: Uint8Array }): JSX.Element {
  const place = useLoad(() => verifyInclusion(reply, der), [reply.log_proof]);
  return (
    <Card
      title="Log"
      end={
        place.value && (
          <Badge
            tone={place.value.fault === undefined ? "ok" : "danger"}
            mark={place.value.fault === undefined ? "check" : "x"}
          >
            {place.value.fault === undefined ? "Inclusion verified" : "Invalid proof"}
          </Badge>
        )
      }
    >
      <Ready from={place}>
        {(value) =>
          value && (
            <>
              {value.fault !== undefined && (
                <Note tone="danger" icon="x">
                  {visible(value.fault)}.
                </Note>
              )}
              <Facts
                rows={[
                  ["Entry", `${value.index} of ${value.size}`],
                  ["Log", visible(value.origin), true],
                ]}
              />
              <p class="small">
                <a href={address("inspect")}>Follow the log</a>
              </p>
            </>
          )
        }
      </Ready>
    </Card>
  );
}
