// npm run build
import { ensureBuilt, ensureGenerated, ensureInstalled } from './prepare.mjs';

ensureInstalled();
ensureGenerated();
ensureBuilt();
