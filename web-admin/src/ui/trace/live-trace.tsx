import type { RunningStage } from '../../live/use-watched-run.js';
import type { TraceStepFragment } from '../../gql/graphql.js';
import { SkeletonLines } from '../state/section.js';
import { TraceList } from './trace-list.js';

interface LiveTraceProps {
  stages: readonly TraceStepFragment[];
  running: RunningStage | null;
  label: string;
}

/** The stages of an operation under way; grey lines until the first one is told. */
export function LiveTrace({ stages, running, label }: LiveTraceProps) {
  if (stages.length === 0 && running === null) return <SkeletonLines count={3} />;
  return <TraceList steps={stages} running={running} label={label} />;
}
