/** The turn of one starter. */
export interface MigrationTurn {
  /** Whether it is ours from now on; false while somebody else has it. */
  tryToTake(): Promise<boolean>;
  /** Gives it back if it was taken. */
  end(): Promise<void>;
}
