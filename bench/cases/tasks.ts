import {
  cachedKey,
  cachedPost,
  cachedPreview,
  coldPreviews,
  delegatedFetches,
  firstFetch,
  hostilePages,
  otherBatches,
  sameBatch,
  singleFetches,
  type Task,
} from '../support/turns.js';
import type { TaskName } from '../options.js';

interface NamedTask {
  title: string;
  task: Task;
}

/** What users ask for, by the name under which `npm run bench -- profile NAME` looks into it. */
export const TASKS: Readonly<Record<TaskName, NamedTask>> = {
  get: { title: 'GET, all keys of 1 cached server', task: cachedKey },
  post: { title: 'POST, 1 cached server', task: cachedPost },
  'same-batch': { title: 'POST, 100 cached servers, the same question again', task: sameBatch },
  'other-batch': { title: 'POST, 100 cached servers, other minimums each time', task: otherBatches },
  'batch-fetch': { title: 'first fetch of 38 servers in one POST', task: firstFetch },
  'single-fetch': { title: 'first fetch of a server, single GETs, 4 at once', task: singleFetches },
  'delegated-fetch': { title: 'the same, delegated to where its document stands', task: delegatedFetches },
  'cached-preview': { title: 'preview from memory', task: cachedPreview },
  previews: { title: 'cold previews, 16 at once', task: coldPreviews },
  hostile: { title: 'hostile pages of 10 MiB', task: hostilePages },
};
