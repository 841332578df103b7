/** What `node --cpu-prof` writes, as far as it is used here; times in microseconds of the monotonic clock. */
export interface CpuProfile {
  nodes: {
    id: number;
    children?: number[];
    callFrame: { functionName: string; url: string; lineNumber: number };
  }[];
  startTime: number;
  endTime: number;
  samples: number[];
  timeDeltas: number[];
}

/** The part of a profile between two moments. */
export function cutProfile(profile: CpuProfile, fromUs: number, untilUs: number): CpuProfile {
  let nowUs = profile.startTime;
  const kept: { sample: number; deltaUs: number }[] = [];
  profile.samples.forEach((sample, index) => {
    const deltaUs = profile.timeDeltas[index] ?? 0;
    nowUs += deltaUs;
    if (nowUs >= fromUs && nowUs <= untilUs) kept.push({ sample, deltaUs });
  });
  return {
    ...profile,
    startTime: fromUs,
    endTime: untilUs,
    samples: kept.map(({ sample }) => sample),
    timeDeltas: kept.map(({ deltaUs }) => deltaUs),
  };
}
