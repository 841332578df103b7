import { Box, Button } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useState, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react';

import { useNow } from '../../live/use-now.js';
import { Note } from '../../ui/text/text.js';
import { exactTime } from '../../ui/text/time-words.js';
import { cutMiddle } from '../../ui/text/visible-marks.js';
import type { KeyHistory, KeyLane, KeyPiece } from './history.js';
import {
  bandWords,
  endOf,
  placedMarks,
  stepTo,
  stopsOf,
  ticksOf,
  tickWords,
  type Span,
} from './timeline-model.js';
import './timeline.css';

interface TimelineProps {
  history: KeyHistory;
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
/** Room of one character. */
const CHARACTER_PX = 6.6;
const FEW_KEYS = 10;

/** Records and keys over time, and the chosen instant. The tables below say the same. */
export function Timeline({ history, span, atTs, onChoose }: TimelineProps) {
  const { ref, width } = useElementSize();
  const [showsAll, setShowsAll] = useState(false);
  const keys = showsAll ? history.lanes : history.lanes.slice(0, FEW_KEYS);
  const press = (event: KeyboardEvent) => {
    const next = stepTo(event, atTs, { stops: stopsOf(history, span), span });
    if (next === null) return;
    event.preventDefault();
    onChoose(next);
  };
  const words = valueWords(history, atTs);
  return (
    <>
      <Box
        ref={ref}
        className="v-timeline"
        role="slider"
        tabIndex={0}
        aria-label="Instant"
        aria-valuemin={span.fromTs}
        aria-valuemax={span.untilTs}
        aria-valuenow={atTs}
        aria-valuetext={words}
        onClick={(event: MouseEvent<HTMLDivElement>) => onChoose(pointedTs(event, span))}
        onKeyDown={press}
      >
        {width > 0 && <Drawing {...{ history, keys, span, atTs, width }} />}
      </Box>
      <Note>{words}</Note>
      {history.lanes.length > FEW_KEYS && (
        <Button variant="subtle" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Show fewer keys' : `Show all ${history.lanes.length} keys`}
        </Button>
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

function valueWords({ bands }: KeyHistory, atTs: number): string {
  const band = bands.find(({ from }) => Date.parse(from) <= atTs);
  return `${exactTime(atTs)} UTC: ${band === undefined ? 'before the first record' : bandWords(band)}`;
}

interface DrawingProps {
  history: KeyHistory;
  keys: readonly KeyLane[];
  span: Span;
  atTs: number;
  width: number;
}

function Drawing({ history, keys, span, atTs, width }: DrawingProps) {
  const nowTs = useNow();
  const x = (ts: number) => ((ts - span.fromTs) / (span.untilTs - span.fromTs)) * width;
  const bottom = MARKS_HEIGHT + ROW_HEIGHT * (keys.length + 1);
  return (
    <svg width={width} height={bottom + AXIS_HEIGHT} aria-hidden="true">
      {ticksOf(span, Math.max(2, Math.floor(width / TICK_PX))).map((ts) => (
        <g key={ts}>
          <line data-kind="grid" x1={x(ts)} x2={x(ts)} y1={MARKS_HEIGHT} y2={bottom} />
          <text x={x(ts)} y={bottom + 15} textAnchor={anchorOf(x(ts), width)}>
            {tickWords(ts, span)}
          </text>
        </g>
      ))}
      <Lane title="Newest record" at={0}>
        {history.bands.map((band) => (
          <Bar
            key={band.number}
            from={x(Date.parse(band.from))}
            until={x(endOf(band, nowTs))}
            room={width}
            kind={band.sha256 === null ? 'unknown' : 'record'}
            words={bandWords(band)}
          />
        ))}
      </Lane>
      {keys.map(({ keyId, pieces }, index) => (
        <Lane key={keyId} title={keyId} at={index + 1}>
          {pieces.map((piece) => (
            <Piece key={piece.from} piece={piece} x={x} room={width} nowTs={nowTs} />
          ))}
        </Lane>
      ))}
      <Marks {...{ history, x, width, bottom, nowTs }} />
      <line data-kind="instant" x1={x(atTs)} x2={x(atTs)} y1={0} y2={bottom + 4} />
    </svg>
  );
}

function anchorOf(at: number, width: number): 'start' | 'middle' | 'end' {
  if (at < TICK_PX / 3) return 'start';
  return at > width - TICK_PX / 3 ? 'end' : 'middle';
}

function Lane({ title, at, children }: { title: string; at: number; children: ReactNode }) {
  return (
    <g transform={`translate(0 ${MARKS_HEIGHT + ROW_HEIGHT * at})`}>
      <text y={11}>
        {cutMiddle(title, 36)}
        <title>{title}</title>
      </text>
      {children}
    </g>
  );
}

type Scale = (ts: number) => number;

interface BarProps {
  from: number;
  until: number;
  /** Width of the drawing: what lies outside is not drawn. */
  room: number;
  kind: string;
  words: string;
}

function Bar({ from, until, room, kind, words }: BarProps) {
  if (until < 0 || from > room) return null;
  const left = Math.max(from, -4);
  const shown = Math.min(until, room + 4) - Math.max(left, 0);
  return (
    <>
      <rect
        data-kind={kind}
        x={left}
        y={BAR_TOP}
        width={Math.max(until - left, 1.5)}
        height={BAR_HEIGHT}
        rx={2}
      >
        <title>{words}</title>
      </rect>
      {shown > words.length * CHARACTER_PX + 12 && (
        <text data-kind="words" x={Math.max(left, 0) + 6} y={BAR_TOP + 12}>
          {words}
        </text>
      )}
    </>
  );
}

interface PieceProps {
  piece: KeyPiece;
  x: Scale;
  room: number;
  nowTs: number;
}

function Piece({ piece: { from, until, isOld, validUntil }, x, room, nowTs }: PieceProps) {
  const end = endOf({ until }, nowTs);
  const validTs = isOld ? end : Math.min(Math.max(Date.parse(validUntil), Date.parse(from)), end);
  return (
    <>
      <Bar
        from={x(Date.parse(from))}
        until={x(validTs)}
        room={room}
        kind={isOld ? 'old' : 'verify'}
        words={isOld ? 'old key' : 'in use'}
      />
      {validTs < end && <Bar from={x(validTs)} until={x(end)} room={room} kind="gap" words="not valid" />}
    </>
  );
}

interface MarksProps {
  history: KeyHistory;
  x: Scale;
  width: number;
  bottom: number;
  nowTs: number;
}

function Marks({ history, x, width, bottom, nowTs }: MarksProps) {
  return placedMarks(history.marks, { x, width }).map(({ mark, at, word }, index) => (
    <g key={index} data-kind={mark.kind}>
      <title>{mark.sentence}</title>
      {mark.kind === 'GAP' ? (
        <rect
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
        <text data-kind="words" x={word.at} y={MARKS_HEIGHT - 7}>
          {word.text}
        </text>
      )}
    </g>
  ));
}
