import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { countTicks, layoutBars, longLabelWidth, minAxis, type Slot } from "./bar-layout.ts";
import { counted, labelOf, totalOf, totalText, type Bar, type ChartData } from "./chart-data.ts";
import { ChartTable } from "./chart-table.tsx";
import { Tooltip } from "./tooltip.tsx";

/** Heights in pixels: the space above the bars, the bars, and the space below them. */
const [above, height, below] = [28, 140, 26];
const bottom = above + height;
const maxBarWidth = 64;

/**
 * A chart of stacked bars, each of which is a link, with a legend and a table of the same numbers.
 */
export function BarChart(props: ChartData): JSX.Element {
  const frame = useRef<HTMLDivElement>(null);
  const [width, measure] = useState(0);
  const [active, activate] = useState(-1);
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    measure(element.clientWidth);
    const observer = new ResizeObserver(() => measure(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const totals = props.bars.map(totalOf);
  const ticks = countTicks(Math.max(minAxis, ...totals));
  const left = 12 + 7 * counted(ticks.at(-1) ?? 0).length;
  const area = { left, right: width, unknownFrom: props.unknownFrom ?? Infinity };
  const longLayout = layoutBars(totals, area, longLabelWidth);
  const isLong = longLayout.every((one) => !isBar(one) || one.isLabelled);
  const slots = isLong ? longLayout : layoutBars(totals, area);
  const data = isLong ? withLongLabels(props) : props;
  const slot = slots[active];
  const last = slots.at(-1);
  const right = width > 0 && last ? last.x + last.width : width;
  return (
    <div class="stack close">
      <Legend of={data} />
      <div
        ref={frame}
        class="chart-frame"
        onPointerLeave={() => activate(-1)}
        onKeyDown={(event) => event.key === "Escape" && activate(-1)}
      >
        <svg
          class="chart"
          width="100%"
          height={bottom + below}
          role="group"
          aria-label={data.about}
          onKeyDown={moveFocus}
        >
          <CountAxis ticks={ticks} left={left} width={right} unit={data.unit} />
          {width > 0 &&
            slots.map((one, i) => (
              <SlotView
                key={one.first}
                slot={one}
                data={data}
                top={ticks.at(-1) ?? 1}
                isStop={i === (slot?.kind === "bar" ? active : slots.findIndex(isBar))}
                activate={() => activate(i)}
              />
            ))}
          <line class="base" x1={left} x2={right} y1={bottom + 0.5} y2={bottom + 0.5} />
        </svg>
        {slot && (
          <Tooltip
            slot={slot}
            data={data}
            width={width}
            bottom={below + 26 + ((totals[slot.first] ?? 0) / (ticks.at(-1) ?? 1)) * height}
          />
        )}
      </div>
      <ChartTable {...data} slots={slots} />
    </div>
  );
}

const withLongLabels = (data: ChartData): ChartData => ({
  ...data,
  bars: data.bars.map((bar) => ({ ...bar, label: bar.longLabel ?? bar.label })),
});

const isBar = ({ kind }: Slot): boolean => kind === "bar";

/** Moves the focus between bars with the arrow keys, because the chart is a single tab stop. */
function moveFocus(event: KeyboardEvent & { currentTarget: SVGSVGElement }): void {
  const links = [...event.currentTarget.querySelectorAll("a")];
  const at = links.findIndex((link) => link === document.activeElement);
  const targets = new Map([
    ["ArrowRight", at + 1],
    ["ArrowLeft", at - 1],
    ["Home", 0],
    ["End", links.length - 1],
  ]);
  const to = targets.get(event.key);
  if (to === undefined || at < 0) return;
  event.preventDefault();
  links[to]?.focus();
}

/** Grid lines and their values, with the unit above them. */
function CountAxis({
  ticks,
  left,
  width,
  unit,
}: {
  ticks: readonly number[];
  left: number;
  width: number;
  unit: string;
}): JSX.Element {
  const top = ticks.at(-1) ?? 1;
  return (
    <g aria-hidden="true">
      <text x="0" y="11">
        {unit}
      </text>
      {ticks.map((tick) => {
        const y = bottom - (tick / top) * height;
        return (
          <g key={tick}>
            <text x={left - 8} y={y + 4} text-anchor="end">
              {counted(tick)}
            </text>
            {tick > 0 && <line class="grid" x1={left} x2={width} y1={y} y2={y} />}
          </g>
        );
      })}
    </g>
  );
}

interface SlotProps {
  readonly slot: Slot;
  readonly data: ChartData;
  /** The maximum of the vertical axis. */
  readonly top: number;
  /** Whether this bar is the chart's tab stop. */
  readonly isStop: boolean;
  readonly activate: () => void;
}

function SlotView(props: SlotProps): JSX.Element | null {
  const { slot, data, activate } = props;
  const middle = slot.x + slot.width / 2;
  const bar = data.bars[slot.first];
  if (slot.kind === "bar" && bar) return <BarView {...props} bar={bar} />;
  return (
    <g aria-hidden="true" onPointerMove={activate}>
      <rect
        class={slot.kind === "quiet" ? "hit" : "unknown"}
        x={slot.x}
        y={above}
        width={slot.width}
        height={height}
      />
      {slot.kind === "quiet" ? (
        <line class="quiet" x1={middle - 6} x2={middle + 6} y1={bottom - 5} y2={bottom - 5} />
      ) : (
        <text x={middle} y={above + height / 2} text-anchor="middle">
          not counted
        </text>
      )}
    </g>
  );
}

function BarView({
  slot,
  data,
  top,
  isStop,
  activate,
  bar,
}: SlotProps & { bar: Bar }): JSX.Element {
  const width = Math.min(maxBarWidth, slot.width * 0.72);
  const middle = slot.x + slot.width / 2;
  let y = bottom;
  const parts = data.series.flatMap(({ name, tone }, i) => {
    const value = bar.values[i] ?? 0;
    const part = (value / top) * height;
    y -= part;
    if (value === 0) return [];
    // a line in the background color separates the parts
    const drawnHeight = Math.max(1, part - 1);
    return [
      <rect
        key={name}
        class={tone}
        x={middle - width / 2}
        y={y}
        width={width}
        height={drawnHeight}
      />,
    ];
  });
  return (
    <>
      <a
        href={bar.href}
        tabindex={isStop ? 0 : -1}
        aria-label={labelOf(bar, data)}
        onPointerMove={activate}
        onFocus={activate}
      >
        <rect class="hit" x={slot.x} y={above - 16} width={slot.width} height={height + 16} />
        {parts}
      </a>
      {/* outside the link, because the label of the link contains the same text */}
      <g aria-hidden="true">
        {slot.width >= 24 && (
          <text class="value" x={middle} y={y - 6} text-anchor="middle">
            {totalText(bar)}
          </text>
        )}
        {slot.isLabelled && (
          <text class="period" x={middle} y={bottom + 18} text-anchor="middle">
            {bar.label}
          </text>
        )}
      </g>
    </>
  );
}

function Legend({ of: { series, bars } }: { of: ChartData }): JSX.Element | null {
  const shown = series.filter((_, i) => bars.some(({ values }) => (values[i] ?? 0) > 0));
  if (series.length < 2) return null;
  return (
    <p class="small muted legend">
      {shown.map(({ name, tone }) => (
        <span key={name}>
          <i class={tone} />
          {name}
        </span>
      ))}
    </p>
  );
}
