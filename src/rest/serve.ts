import type { RequestHandler, Router } from 'express';

import { methodNotAllowed } from '../core/base/errors/api-error.js';
import { exchangeOf } from './request-exchange.js';

/** What is served under one path. HEAD is answered like GET, without the body. */
export interface ServedPath {
  /** Route name for metrics and log lines. */
  label: string;
  /** With `{names}` of parameters, each some text without a slash; `{name?}` may be empty, `{name*}`
   * may have slashes. A slash at the end adds nothing. */
  path: string;
  get?: RequestHandler;
  post?: RequestHandler;
  delete?: RequestHandler;
  /** Answers OPTIONS, where the path has it. */
  options?: RequestHandler;
}

/** Serves a path; what it allows is noted, so that every other method gets a 405 that says so. */
export function serve(router: Router, { label, path, ...handlers }: ServedPath): void {
  const route = router.route(patternOf(path));
  const allowed = methodsOf(handlers);
  route.all((_request, response, next) => {
    exchangeOf(response).route = label;
    next();
  });
  if (handlers.options) route.options(handlers.options);
  if (handlers.get) route.get(handlers.get);
  if (handlers.post) route.post(handlers.post);
  if (handlers.delete) route.delete(handlers.delete);
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

function methodsOf(handlers: Omit<ServedPath, 'label' | 'path'>): string[] {
  const { get, post, delete: remove, options } = handlers;
  return [
    ...(get ? ['GET', 'HEAD'] : []),
    ...(post ? ['POST'] : []),
    ...(remove ? ['DELETE'] : []),
    ...(options ? ['OPTIONS'] : []),
  ];
}

function patternOf(path: string): RegExp {
  const source = path
    .split(/\{(\w+[*?]?)\}/)
    .map((part, index) => (index % 2 === 0 ? escaped(part) : parameter(part)))
    .join('');
  return new RegExp(`^${source}/?$`);
}

function parameter(name: string): string {
  if (name.endsWith('*')) return `(?<${name.slice(0, -1)}>.*)`;
  return name.endsWith('?') ? `(?<${name.slice(0, -1)}>[^/]*)` : `(?<${name}>[^/]+)`;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
