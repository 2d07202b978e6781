import { isJsonObject } from "../../client/parse-json.ts";
import { bodyOf } from "../../client/parsed-body.ts";
import type { Answer, Exchange } from "../../client/exchange.ts";
import type { JobClient } from "../../client/job-client.ts";
import type { OperationName } from "../../openapi/operations.ts";
import { demandTargetsAnswer } from "../before-target.ts";
import { ConfiguredDialect } from "../dialects/configured-dialect.ts";
import type { Dialect } from "../dialects/schema.ts";
import type { HarnessError } from "../outcome.ts";
import { isLooseRecord } from "../record.ts";
import { diagnoseUnreachable } from "../target-addresses.ts";
import {
  learnedOfAccess,
  isKeyRefusal,
  pathDeviations,
  movedError,
  refusedError,
  unknownError,
} from "./form.ts";
import type { Discovery } from "./discovery.ts";
import type { Access, Form, TriedPath } from "./form.ts";

/** Where operations may be found, when they are not where the specification says. */
const otherPaths = ["/{endpointId}", "", "/v1/{endpointId}", "/v2", "/v1"];

/** Finds out at which path and with which form of the key a target answers. */
export class AccessFinder {
  readonly #client: JobClient;
  readonly #dialect: Dialect;
  readonly #discovery: Discovery;
  readonly #tried: TriedPath[] = [];
  readonly #adapts: boolean;

  /** @param adapts whether other forms than the dialect's are tried */
  constructor(
    client: JobClient,
    { dialect, discovery, adapts }: { dialect: Dialect; discovery: Discovery; adapts: boolean },
  ) {
    this.#client = client;
    this.#dialect = dialect;
    this.#discovery = discovery;
    this.#adapts = adapts;
  }

  /**
   * The form in which the target answers. What departs in it is learned.
   * @throws HarnessError TARGET_UNREACHABLE, KEY_REFUSED or ENDPOINT_UNKNOWN
   */
  async find(): Promise<Access> {
    const usual = await this.#tryPath({});
    if (usual !== undefined) return this.#found(usual);
    for (const basePath of this.#adapts ? this.#otherPaths() : []) {
      const other = await this.#tryPath({ basePath });
      if (other !== undefined) return this.#found(other);
    }
    const [{ exchanges } = { exchanges: [] }] = this.#tried;
    if (exchanges.every(({ answer }) => isKeyRefusal(answer))) {
      throw refusedError(exchanges, this.#client);
    }
    if (areUnknown(exchanges)) throw unknownError(this.#tried, this.#client);
    // It breaks single operations: that is for the checks to judge.
    const [first] = exchanges;
    if (first === undefined) throw new Error("nothing was asked");
    return { form: { scheme: "raw" }, first };
  }

  #found(access: Access): Access {
    const spoken = this.#dialect.deviations ?? {};
    for (const learning of learnedOfAccess(access, this.#tried, spoken)) {
      this.#discovery.learn(learning);
    }
    return access;
  }

  #otherPaths(): readonly string[] {
    return this.#dialect.deviations?.basePath === undefined ? otherPaths : [];
  }

  /** The first form with this path in which the target answers. Throws where nothing answers at all. */
  async #tryPath(at: Omit<Form, "scheme">): Promise<Access | undefined> {
    const bare: Form = { ...at, scheme: "raw" };
    const first = await this.#ask(bare, "health");
    const { answer } = first;
    if (answer === undefined) throw await this.#unreachable(first);
    demandTargetsAnswer(this.#client.options.transport.rules, this.#baseUrl, answer);
    const moved = this.#adapts ? slashed(first) : undefined;
    if (moved === "elsewhere") throw movedError(this.#baseUrl, first);
    if (moved === "slash" && at.trailingSlash !== true) {
      return this.#tryPath({ ...at, trailingSlash: true });
    }
    if (isTaken(first, at)) return { form: bare, first };
    if (!isUncertain(answer, at)) return undefined;
    return this.#tryOtherwise(bare, first);
  }

  /** Asks with the key as Bearer where the bare one is refused, and then for what makes no job. */
  async #tryOtherwise(bare: Form, first: Exchange): Promise<Access | undefined> {
    const bearer: Form = { ...bare, scheme: "bearer" };
    if (!isKeyRefusal(first.answer)) return this.#trySubmission(bare, first, [bare, bearer]);
    if (!this.#mayAdaptKey()) return this.#trySubmission(bare, first, [bare]);
    const second = await this.#ask(bearer, "health");
    if (second.answer !== undefined && isTaken(second, bare))
      return { form: bearer, first: second };
    return (
      (await this.#trySubmission(bare, first, [bare])) ??
      (await this.#trySubmission(bearer, second, [bearer]))
    );
  }

  /** Sends what makes no job in these forms: a submission without an input. */
  async #trySubmission(
    form: Form,
    first: Exchange,
    asked: readonly Form[],
  ): Promise<Access | undefined> {
    for (const each of asked) {
      const { answer } = await this.#ask(each, "run");
      if (answer !== undefined && isOfRun(answer, form)) return { form, first };
    }
    return undefined;
  }

  #mayAdaptKey(): boolean {
    return this.#adapts && this.#dialect.deviations?.authorization === undefined;
  }

  get #baseUrl(): string {
    return this.#client.options.baseUrl;
  }

  async #unreachable(exchange: Exchange): Promise<HarnessError> {
    return diagnoseUnreachable(this.#baseUrl, exchange, this.#client.options.transport);
  }

  async #ask(form: Form, what: "health" | "run"): Promise<Exchange> {
    const dialect = new ConfiguredDialect(this.#dialect);
    dialect.learn({ cause: "", breaks: [], deviations: pathDeviations(form) });
    const client = this.#client.with({ translation: dialect, scheme: form.scheme });
    const exchange = await ask(client, dialect, what);
    this.#discovery.count(exchange);
    const { basePath } = form;
    const same = this.#tried.findIndex((each) => each.basePath === basePath);
    const before = this.#tried[same]?.exchanges ?? [];
    const tried = { basePath, exchanges: [...before, exchange] };
    if (same < 0) this.#tried.push(tried);
    else this.#tried[same] = tried;
    return exchange;
  }
}

async function ask(
  client: JobClient,
  dialect: ConfiguredDialect,
  what: "health" | "run",
): Promise<Exchange> {
  const has = (name: OperationName): boolean => dialect.obstacle(name) === undefined;
  if (what === "health" && has("health")) return client.health();
  return what === "health" && has("status")
    ? client.status("queueproof-preflight")
    : client.run({});
}

/** Whether neither health nor run is known at a path, with the key in the form that is not refused. */
function areUnknown(exchanges: readonly Exchange[]): boolean {
  const isUnknown = (operation: string): boolean =>
    exchanges.some(
      ({ answer, ...asked }) => asked.operation === operation && answer?.status === 404,
    );
  const known = exchanges.filter(({ answer }) => !isKeyRefusal(answer) && answer?.status !== 404);
  const [first] = exchanges;
  return (
    known.length === 0 && first !== undefined && isUnknown(first.operation) && isUnknown("run")
  );
}

/** Whether the first answer shows that this is the path: at an unusual one it has to be that of health. */
function isTaken({ answer, operation }: Exchange, { basePath }: Omit<Form, "scheme">): boolean {
  if (answer === undefined || isKeyRefusal(answer)) return false;
  const { status } = answer;
  if (basePath === undefined) return status !== 404 || operation !== "health";
  if (status < 200 || status > 299) return false;
  const body = bodyOf(answer);
  return body.ok && isJsonObject(body.value) && "jobs" in body.value;
}

/** Whether a submission may still show that this is the path. */
function isUncertain(answer: Answer, { basePath }: Omit<Form, "scheme">): boolean {
  return basePath !== undefined || isKeyRefusal(answer) || answer.status === 404;
}

/** Whether an answer to a submission without an input is that of run. */
function isOfRun(answer: Answer, { basePath }: Form): boolean {
  const { status } = answer;
  if (isKeyRefusal(answer) || status === 404) return false;
  if (basePath === undefined) return true;
  const body = bodyOf(answer);
  if (!body.ok || typeof body.value !== "object" || body.value === null) return false;
  return status < 300 ? isLooseRecord(body.value) : status === 400 || status === 422;
}

/** Where a redirect leads: to the same path with a slash at its end, or elsewhere. */
function slashed({ answer, request }: Exchange): "slash" | "elsewhere" | undefined {
  const location = answer?.headers["location"];
  if (answer === undefined || location === undefined) return undefined;
  if (![301, 302, 307, 308].includes(answer.status)) return undefined;
  const [from, to] = [new URL(request.url), new URL(location, request.url)];
  if (from.origin === to.origin && to.pathname === `${from.pathname}/`) return "slash";
  return from.origin === to.origin ? undefined : "elsewhere";
}
