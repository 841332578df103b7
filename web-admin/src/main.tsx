import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

import './theme/styles.js';
import { readBasePath, readStyleNonce } from './api/base-path.js';
import { App } from './app/app.js';
import { Providers } from './app/providers.js';
import { Gate } from './session/gate.js';

// Dialogs keep the page behind them from scrolling with a style tag; its maker looks here for the nonce.
Object.assign(globalThis, { __webpack_nonce__: readStyleNonce() });

const root = document.querySelector('#root');
if (root === null) throw new Error('the page has no #root');

createRoot(root).render(
  <StrictMode>
    <Providers basePath={readBasePath()}>
      <Gate>
        <App />
      </Gate>
    </Providers>
  </StrictMode>,
);
