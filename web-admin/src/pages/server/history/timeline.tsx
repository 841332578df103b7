import { useElementSize } from '@mantine/hooks';
import { useState, type KeyboardEvent, type MouseEvent } from 'react';

import { useNow } from '../../../live/use-now.js';
import { cutMiddle } from '../../../ui/text/visible-marks.js';
import { exactTime } from '../../../ui/text/time-words.js';
import type { BandData, HistoryData, KeyData } from './history-query.js';
import {
  bandWords,
  endOf,
  placedMarks,
  stepTo,
  stopsOf,
  tickWords,
  ticksOf,
  type Span,
} from './timeline-model.js';
import styles from './history.module.css';

interface TimelineProps {
  history: HistoryData;
  span: Span;
  atTs: number;
  onChoose: (ts: number) => void;
}

const MARKS_HEIGHT = 24;
const ROW_HEIGHT = 38;
const AXIS_HEIGHT = 22;
const BAR_TOP = 16;
const BAR_HEIGHT = 16;
/** Room for a tick's words. */
const TICK_PX = 90;
const FEW_KEYS = 10;

/** The drawing: records and keys over time, and the chosen instant. The tables below say the same. */
export function Timeline({ history, span, atTs, onChoose }: TimelineProps) {
  const { ref, width } = useElementSize();
  const [showsAll, setShowsAll] = useState(false);
  const keys = showsAll ? history.keys : history.keys.slice(0, FEW_KEYS);
  const stops = stopsOf(history, span);
  const choose = (event: MouseEvent<HTMLDivElement>) => onChoose(pointedTs(event, span));
  const press = (event: KeyboardEvent) => {
    const next = stepTo(event, atTs, { stops, span });
    if (next === null) return;
    event.preventDefault();
    onChoose(next);
  };
  return (
    <>
      <div
        ref={ref}
        className={styles.timeline}
        role="slider"
        tabIndex={0}
        aria-label="Instant"
        aria-valuemin={span.fromTs}
        aria-valuemax={span.untilTs}
        aria-valuenow={atTs}
        aria-valuetext={valueWords(history, atTs)}
        onClick={choose}
        onKeyDown={press}
      >
        {width > 0 && <Drawing {...{ history, keys, span, atTs, width }} />}
      </div>
      <p className={styles.small}>{valueWords(history, atTs)}</p>
      {history.keys.length > FEW_KEYS && (
        <button type="button" className={styles.more} onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Show fewer keys' : `Show all ${history.keys.length} keys`}
        </button>
      )}
    </>
  );
}

function pointedTs(
  { currentTarget, clientX }: MouseEvent<HTMLDivElement>,
  { fromTs, untilTs }: Span,
): number {
  const { left, width } = currentTarget.getBoundingClientRect();
  const share = Math.min(Math.max((clientX - left) / width, 0), 1);
  return Math.round(fromTs + share * (untilTs - fromTs));
}

function valueWords({ bands }: HistoryData, atTs: number): string {
  const band = bands.find(({ from }) => Date.parse(from) <= atTs);
  return `${exactTime(atTs)}: ${band === undefined ? 'before the first record' : bandWords(band)}`;
}

interface DrawingProps {
  history: HistoryData;
  keys: readonly KeyData[];
  span: Span;
  atTs: number;
  width: number;
}

function Drawing({ history, keys, span, atTs, width }: DrawingProps) {
  const nowTs = useNow();
  const x = (ts: number) => ((ts - span.fromTs) / (span.untilTs - span.fromTs)) * width;
  const bottom = MARKS_HEIGHT + ROW_HEIGHT * (keys.length + 1);
  const height = bottom + AXIS_HEIGHT;
  const isIn = (from: string, end: number) => Date.parse(from) <= span.untilTs && end >= span.fromTs;
  const bands = history.bands.filter((band) => isIn(band.from, endOf(band, nowTs)));
  return (
    <svg className={styles.drawing} width={width} height={height} aria-hidden="true">
      <defs>
        <pattern id="gap" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <line className={styles.hatch} x1="0" y1="0" x2="0" y2="6" />
        </pattern>
      </defs>
      {ticksOf(span, Math.max(2, Math.floor(width / TICK_PX))).map((ts) => (
        <g key={ts}>
          <line className={styles.grid} x1={x(ts)} x2={x(ts)} y1={MARKS_HEIGHT} y2={bottom} />
          <text className={styles.tick} x={x(ts)} y={bottom + 15} textAnchor={anchorOf(x(ts), width)}>
            {tickWords(ts, span)}
          </text>
        </g>
      ))}
      <Row title="Newest record" top={MARKS_HEIGHT}>
        {bands.map((band) => (
          <Band key={band.number} band={band} x={x} untilTs={endOf(band, nowTs)} />
        ))}
      </Row>
      {keys.map((row, index) => (
        <Row key={row.keyId} title={cutMiddle(row.keyId, 36)} top={MARKS_HEIGHT + ROW_HEIGHT * (index + 1)}>
          <KeyRow row={row} x={x} nowTs={nowTs} />
        </Row>
      ))}
      <Marks history={history} x={x} width={width} bottom={bottom} nowTs={nowTs} />
      <line className={styles.instant} x1={x(atTs)} x2={x(atTs)} y1={0} y2={bottom + 4} />
    </svg>
  );
}

function anchorOf(at: number, width: number): 'start' | 'middle' | 'end' {
  if (at < TICK_PX / 3) return 'start';
  return at > width - TICK_PX / 3 ? 'end' : 'middle';
}

function Row({ title, top, children }: { title: string; top: number; children: React.ReactNode }) {
  return (
    <g transform={`translate(0 ${top})`}>
      <text className={styles.rowTitle} x={0} y={11}>
        {title}
      </text>
      {children}
    </g>
  );
}

type Scale = (ts: number) => number;

/** Words fit into a bar of this width. */
const WORDS_PX = 74;

interface BarProps {
  from: number;
  until: number;
  kind: string;
  words: string;
}

function Bar({ from, until, kind, words }: BarProps) {
  const left = Math.max(from, -4);
  const width = Math.max(until - left, 1.5);
  return (
    <>
      <rect
        className={styles.bar}
        data-kind={kind}
        x={left}
        y={BAR_TOP}
        width={width}
        height={BAR_HEIGHT}
        rx={2}
      />
      {until - Math.max(left, 0) > Math.max(WORDS_PX, words.length * 6.6) && (
        <text className={styles.barWords} x={Math.max(left, 0) + 6} y={BAR_TOP + 12}>
          {words}
        </text>
      )}
    </>
  );
}

function Band({ band, x, untilTs }: { band: BandData; x: Scale; untilTs: number }) {
  const kind = band.sha256 === null ? 'unknown' : 'record';
  return <Bar from={x(Date.parse(band.from))} until={x(untilTs)} kind={kind} words={bandWords(band)} />;
}

function KeyRow({ row, x, nowTs }: { row: KeyData; x: Scale; nowTs: number }) {
  return row.pieces.map(({ from, until, kind, validUntil }) => {
    const end = endOf({ until }, nowTs);
    const isOld = kind === 'OLD';
    const validTs = isOld ? end : Math.min(Math.max(Date.parse(validUntil), Date.parse(from)), end);
    return (
      <g key={from}>
        <Bar
          from={x(Date.parse(from))}
          until={x(validTs)}
          kind={isOld ? 'old' : 'verify'}
          words={isOld ? 'old key' : 'in use'}
        />
        {validTs < end && <Bar from={x(validTs)} until={x(end)} kind="gap" words="not valid" />}
      </g>
    );
  });
}

interface MarksProps {
  history: HistoryData;
  x: Scale;
  width: number;
  bottom: number;
  nowTs: number;
}

function Marks({ history, x, width, bottom, nowTs }: MarksProps) {
  return placedMarks(history.marks, { x, width }).map(({ mark, at, word }, index) => (
    <g key={index} className={styles.mark} data-kind={mark.kind}>
      {mark.kind === 'GAP' ? (
        <rect
          className={styles.gapArea}
          x={Math.max(at, 0)}
          y={MARKS_HEIGHT - 4}
          width={Math.max(x(endOf(mark, nowTs)) - Math.max(at, 0), 1.5)}
          height={bottom - MARKS_HEIGHT + 4}
        />
      ) : (
        <line x1={at} x2={at} y1={MARKS_HEIGHT - 6} y2={bottom} />
      )}
      <path d={`M${Math.min(Math.max(at, 4), width - 4)} ${MARKS_HEIGHT - 6}l-4 -7h8Z`} />
      {word !== null && (
        <text x={word.at} y={MARKS_HEIGHT - 7}>
          {word.text}
        </text>
      )}
    </g>
  ));
}
