import type { Request, RequestHandler, Response, Router } from 'express';

import { methodNotAllowed } from '../core/base/errors/api-error.js';
import { exchangeOf, type Exchange } from './request-exchange.js';

/** Answers an exchange. What it throws or rejects with is answered by the one error handler. */
export type Handler = (exchange: Exchange, request: Request, response: Response) => void | Promise<void>;

/** What is served under one path. HEAD is answered like GET, without the body. */
export interface ServedPath {
  /** Route name for metrics and log lines. */
  label: string;
  /** With `{names}` of parameters, each some text without a slash; `{name?}` may be empty, `{name*}`
   * may have slashes. A slash at the end adds nothing. */
  path: string;
  get?: Handler;
  post?: Handler;
  delete?: Handler;
  /** Answers OPTIONS, where the path has it. */
  options?: Handler;
}

const METHODS = ['get', 'post', 'delete', 'options'] as const;

/** Serves a path; what it allows is noted, so that every other method gets a 405 that says so. */
export function serve(router: Router, { label, path, ...handlers }: ServedPath): void {
  const route = router.route(patternOf(path));
  route.all((_request, response, next) => {
    exchangeOf(response).route = label;
    next();
  });
  const allowed: string[] = [];
  for (const method of METHODS) {
    const handler = handlers[method];
    if (handler === undefined) continue;
    route[method]((request, response) => handler(exchangeOf(response), request, response));
    allowed.push(...(method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
  }
  route.all((_request, response, next) => {
    for (const method of allowed) exchangeOf(response).allowedMethods.add(method);
    next('route');
  });
}

/** Answers 405 to what an earlier path would have served by another method. */
export const refuseOtherMethods: RequestHandler = (_request, response, next) => {
  const { allowedMethods } = exchangeOf(response);
  if (allowedMethods.size > 0) throw methodNotAllowed([...allowedMethods].join(', '));
  next();
};

/** A parameter of the path, decoded. */
export function textParam({ params }: Request, name: string): string {
  const value = params[name];
  return typeof value === 'string' ? value : '';
}

function patternOf(path: string): RegExp {
  const source = path
    .split(/\{(\w+[*?]?)\}/)
    .map((part, index) => (index % 2 === 0 ? part.replaceAll(SPECIAL, String.raw`\$&`) : parameter(part)))
    .join('');
  return new RegExp(`^${source}/?$`);
}

const SPECIAL = /[.*+?^${}()|[\]\\]/g;

function parameter(name: string): string {
  if (name.endsWith('*')) return `(?<${name.slice(0, -1)}>.*)`;
  return name.endsWith('?') ? `(?<${name.slice(0, -1)}>[^/]*)` : `(?<${name}>[^/]+)`;
}
