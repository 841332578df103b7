import http from 'node:http';
import https from 'node:https';

/** How a client library gets a request onto the agent it was given. */
export type MakeRequest = (url: URL, options: https.RequestOptions) => http.ClientRequest;

/** A request to the origin itself. The agent among the options is what makes the connection. */
export const directRequest: MakeRequest = (url, options) =>
  url.protocol === 'https:' ? https.request(url, options) : http.request(url, options);
