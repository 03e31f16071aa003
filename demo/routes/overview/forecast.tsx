import type { JSX } from "preact";
import type { ExpiryForecast } from "./expiring.ts";
import { BarChart } from "../../ui/chart/bar-chart.tsx";
import { Card, Note, Ready } from "../../ui/page.tsx";
import type { Loaded } from "../../lib/use-load.ts";
import { expiryChart, noExpiry } from "./expiry-weeks.ts";

/** The chart with the number of certificates that expire in each of the next thirteen weeks. */
export function Forecast({
  counted,
  now,
}: {
  counted: Loaded<ExpiryForecast>;
  now: Date;
}): JSX.Element {
  return (
    <Card title="Expiring in the next 13 weeks">
      <div class="pad stack">
        <Ready from={counted}>
          {(forecast) => (
            <>
              {forecast.left && (
                <Note tone="warn" icon="warn">
                  {forecast.left}
                </Note>
              )}
              {forecast.certificates.length === 0 && !forecast.left ? (
                <p>{noExpiry}</p>
              ) : (
                <BarChart {...expiryChart(forecast, now)} />
              )}
              <p class="small muted">
                {forecast.certificates.length > 0 &&
                  "A dotted line marks weeks in which no certificate expires. "}
                Authorities, their OCSP responders and revoked certificates are excluded.
              </p>
            </>
          )}
        </Ready>
      </div>
    </Card>
  );
}
