export { checkEntries, type CheckedEntry } from './checked-records.js';
export { LogContradiction, type Contradiction, type ServedBytes } from './read-place.js';
export { LogFollower, type FollowedLog, type ReadEntries } from './log-follower.js';
export type { ReadPath } from './read-place.js';
export { RemoteLog } from './remote-log.js';
