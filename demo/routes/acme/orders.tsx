import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { orders, type Order } from "./calls.ts";
import { directoryName } from "./directories.ts";
import { namesOf, reasonsOf, stateOf } from "./order-status.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Moment } from "../../ui/life-state.tsx";
import { Card, Empty, Ready } from "../../ui/page.tsx";
import { changes } from "../../lib/changes.ts";
import { address } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { bareHex } from "../../lib/hex-text.ts";
import { visible } from "../../lib/visible-text.ts";

/** Intervals in ms between reloads: while orders are pending, and otherwise. */
const [busyPause, idlePause] = [3000, 15_000];

/** Runs an action after a pause, once the window is visible. Returns a function that cancels it. */
function whenVisible(pause: number, run: () => void): () => void {
  const over = new AbortController();
  const attempt = (): void => {
    if (document.hidden) return;
    over.abort();
    run();
  };
  const timer = setTimeout(() => {
    document.addEventListener("visibilitychange", attempt, over);
    attempt();
  }, pause);
  return () => {
    clearTimeout(timer);
    over.abort();
  };
}

/** The newest orders from one account or all accounts, with their errors. */
export function Orders({ title, account = "" }: { title: string; account?: string }): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(() => orders(account), [turn, account]);
  const moving = result.value?.some(({ status }) => status === "pending");
  useEffect(() => {
    if (result.value === undefined || result.busy) return;
    return whenVisible(moving ? busyPause : idlePause, result.again);
  }, [moving, result.busy, result.value]);
  return (
    <Card
      title={title}
      end={
        <Button tiny label={`Refresh: ${title}`} press={result.again}>
          Refresh
        </Button>
      }
    >
      {/* Refresh automatically while orders are pending, without dimming the content. */}
      <Ready from={{ ...result, busy: false }}>
        {(all) =>
          all.length === 0 ? (
            <Empty text="No ACME orders yet. Expired orders are not shown." />
          ) : (
            <ul class="list dense top-aligned" aria-label={title}>
              {all.map((order) => (
                <OrderRow key={order.order_id} order={order} account={account} />
              ))}
            </ul>
          )
        }
      </Ready>
    </Card>
  );
}

function OrderRow({ order, account }: { order: Order; account: string }): JSX.Element {
  const { text, tone, icon } = stateOf(order);
  const createdAt = new Date(order.created_time);
  const serial = bareHex(order.cert_serial_number);
  return (
    <li>
      <Icon name={icon} tone={tone} />
      <div>
        <span title={order.identifiers.map(visible).join(", ")}>
          {serial ? (
            <a href={address("certificates", serial)}>{namesOf(order.identifiers)}</a>
          ) : (
            namesOf(order.identifiers)
          )}
        </span>
        <p class="small muted">
          {text} · {visible(directoryName(order.directory))} · <Moment at={createdAt} away />
          {!account && (
            <>
              {" "}
              · <a href={address("acme", `accounts/${order.account_id}`)}>account</a>
            </>
          )}
        </p>
        {reasonsOf(order).map(({ of, type, detail }) => (
          <p key={of} class="small">
            {of}: <code>{type}</code> {detail}
          </p>
        ))}
      </div>
    </li>
  );
}
