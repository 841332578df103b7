import { errorCode, writeWholeFile } from '../files.js';
import { CommandError, EXIT } from './output.js';

/** `writeWholeFile`; throws `CommandError` with the system's reason. */
export async function saveFile(path: string, text: string): Promise<void> {
  try {
    await writeWholeFile(path, text);
  } catch (error) {
    throw new CommandError(`${path} cannot be written (${errorCode(error)}).`, EXIT.use);
  }
}
