import { operationNamed } from "./operations.ts";
import type { Operation, OperationName } from "./operations.ts";

// k6 runs this file too: it may import nothing that needs Node.

/** How an operation is called: its path is below the endpoint's address, and writes a job's id {jobId}. */
export interface MethodAndPath extends Pick<Operation, "method" | "path"> {
  /** What a service wants as its body where the specification has none. */
  readonly body?: string;
}

/** The operations that a service has called otherwise than the specification says. */
export type RoutesByOperation = { readonly [Name in OperationName]?: MethodAndPath };

/** How a service's answers depart, for programs that read them by themselves, such as k6's scripts. */
export interface AnswerForm {
  /** The member of a body in which records and health stand. */
  readonly envelope?: string;
  /** The specification's names of a record's members by the service's own. */
  readonly members?: Readonly<Record<string, string>>;
  /** The specification's states by the service's own names for them. */
  readonly states?: Readonly<Record<string, string>>;
}

/** How an operation of such a service is called; the job's id is one encoded segment. */
export function routeOf(
  operation: OperationName,
  jobId: string,
  routes: RoutesByOperation = {},
): MethodAndPath {
  const route: MethodAndPath = routes[operation] ?? operationNamed[operation];
  const { method, path, body } = route;
  return {
    method,
    path: path.replace("{jobId}", () => jobId),
    ...(body !== undefined && { body }),
  };
}

/** The body of a success in the specification's terms: outside any envelope, members, ids and states by their names. */
export function bodyIn(
  body: unknown,
  { envelope, members = {}, states = {} }: AnswerForm = {},
): unknown {
  const whole = withUsualNames(body, members);
  const inside = envelope === undefined || isRecord(whole) ? undefined : memberOf(body, envelope);
  const found = inside === undefined ? whole : withUsualNames(inside, members);
  if (!isRecord(found)) return found;
  const { id, status } = found;
  const state = Object.hasOwn(states, status) ? states[status] : status;
  return { ...found, id: typeof id === "number" ? String(id) : id, status: state };
}

/** A record whose members have the specification's names, where the service has others for them. */
export function withUsualNames<Body>(
  body: Body,
  members: Readonly<Record<string, string>>,
): Body | Readonly<Record<string, unknown>> {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  if (Object.keys(members).length === 0) return body;
  const entries = Object.entries(body).map(([name, value]): [string, unknown] => {
    const meant = Object.hasOwn(members, name) ? members[name] : undefined;
    return [meant === undefined || Object.hasOwn(body, meant) ? name : meant, value];
  });
  return Object.fromEntries(entries);
}

/** A value at a path of members such as `jobs.inQueue`; undefined where there is none. */
export function valueAt(body: unknown, path: string): unknown {
  return path.split(".").reduce(memberOf, body);
}

function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === "object" && value !== null && Object.hasOwn(value, name);
  return isObject ? Reflect.get(value, name) : undefined;
}

function isRecord(value: unknown): value is { readonly id: unknown; readonly status: string } {
  return memberOf(value, "id") !== undefined && typeof memberOf(value, "status") === "string";
}
