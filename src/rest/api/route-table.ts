import { methodNotAllowed } from '../../core/base/errors/api-error.js';
import { pathsOf, type Route, type RouteMethod } from './route.js';

/** A route that a request is for. */
export interface RouteMatch<Name extends string> {
  name: Name;
  label: string;
  /** The parts of the path that are parameters, as sent. */
  values: readonly string[];
}

/** What of a request its route is found by. */
export interface RoutedRequest {
  method: string;
  /** Without query. */
  path: string;
  /** Hears the label of the route as soon as the path is known. */
  onPath: (label: string) => void;
}

const ALL_METHODS: readonly RouteMethod[] = ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'];

/** Routes by their paths, for handlers in front of Express. A slash at the end adds nothing. */
export class RouteTable<Name extends string> {
  readonly #entries: readonly { name: Name; route: Route; pattern: RegExp }[];

  constructor(pathPrefix: string, routes: Readonly<Record<Name, Route>>) {
    this.#entries = namesOf(routes).flatMap((name) =>
      pathsOf(routes[name]).map((path) => ({
        name,
        route: routes[name],
        pattern: patternOf(`${pathPrefix}${path}`, routes[name]),
      })),
    );
  }

  /** The first route of the path that has the method; `null` for an unknown path. Throws 405 for another method. */
  find({ method, path, onPath }: RoutedRequest): RouteMatch<Name> | null {
    const matching: Route[] = [];
    for (const { name, route, pattern } of this.#entries) {
      const found = pattern.exec(path);
      if (found === null) continue;
      onPath(route.label);
      if (route.methods.some((each) => each === method))
        return { name, label: route.label, values: found.slice(1) };
      matching.push(route);
    }
    if (matching.length === 0) return null;
    throw methodNotAllowed(allowedBy(matching));
  }
}

function allowedBy([first, ...others]: readonly Route[]): string {
  const methods = first?.methods ?? [];
  if (others.length === 0) return methods.join(', ');
  const all = new Set([...methods, ...others.flatMap((route) => route.methods)]);
  return ALL_METHODS.filter((method) => all.has(method)).join(', ');
}

function patternOf(path: string, { patterns = {} }: Route): RegExp {
  const source = path
    .split(/\{(\w+)\}/)
    .map((part, index) => (index % 2 === 0 ? escaped(part) : `(${patterns[part] ?? '[^/]*'})`))
    .join('');
  return new RegExp(`^${source}/?$`);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

function namesOf<Name extends string>(routes: Readonly<Record<Name, Route>>): Name[] {
  const names: Name[] = [];
  for (const name in routes) names.push(name);
  return names;
}
