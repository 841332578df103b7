import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { serveJobs } from '../support/child.js';
import { makeHostilePage, makePage, makeImage } from '../support/preview-site.js';

/** Where the web server listens, on every address of loopback, and what it has been asked so far. */
export interface PreviewOriginState {
  port: number;
  requests: number;
}

let requests = 0;
const image = makeImage();
const hostilePage = makeHostilePage();

/** `/page/N` names the image `/picture/N.jpg`; `/hostile/N` is as large as allowed. */
const server = createServer((request, response) => {
  requests += 1;
  const [, kind = '', last = ''] = (request.url ?? '').split('/');
  const number = Number.parseInt(last, 10);
  const send = (type: string, body: Buffer) =>
    response.writeHead(200, { 'Content-Type': type, 'Content-Length': body.length }).end(body);
  if (kind === 'picture') void image.then((jpeg) => send('image/jpeg', jpeg));
  else if (kind === 'page') send('text/html; charset=utf-8', makePage(number, `/picture/${number}.jpg`));
  else if (kind === 'hostile') send('text/html', hostilePage);
  else response.writeHead(404).end();
});
const listening = new Promise<number>((resolve) => {
  server.listen(0, '0.0.0.0', 1024, () => resolve((server.address() as AddressInfo).port));
});

serveJobs(async (): Promise<PreviewOriginState> => {
  await image;
  return { port: await listening, requests };
});
