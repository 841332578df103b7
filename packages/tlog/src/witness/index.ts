export {
  WitnessRefusal,
  offerCheckpoint,
  readKnownCheckpoint,
  type Offer,
  type Witness,
  type WitnessAnswer,
} from './offer-checkpoint.js';
export { CheckpointWitness, type KnownLog, type WitnessVerdict } from './checkpoint-witness.js';
export { WitnessFolder } from './witness-folder.js';
export { serveWitness } from './witness-server.js';
