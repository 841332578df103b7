import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';

import type { ChartProps } from './time-chart.js';

const TimeChart = lazy(async () => ({ default: (await import('./time-chart.js')).TimeChart }));

/** A chart over time with axes and a reading under the pointer; its library is loaded when first drawn. */
export function Chart(props: ChartProps) {
  return (
    <Suspense fallback={<Skeleton height={200} />}>
      <TimeChart {...props} />
    </Suspense>
  );
}
