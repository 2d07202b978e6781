import { readFileSync } from "node:fs";
import { Session, console as debuggerConsole } from "node:inspector";
import type { Debugger, Runtime } from "node:inspector";

/** A place in a built file whose stack is kept whenever it is reached. */
export interface CallSite {
  /** The file below the root. */
  readonly file: string;
  /** Text of the line on which the function begins. */
  readonly begins: string;
}

/** What is kept while a program runs. */
export interface Stacks {
  /** For each time that a call was reached, the files below the root on its stack, callers that await included. */
  readonly of: (call: CallSite) => readonly ReadonlySet<string>[];
}

const awaitsMax = 200;

/** The global name under which a breakpoint's condition finds the function that speaks to the debugger. */
const tell = "queueproof.stacks";

/**
 * Keeps the stacks of some calls of this very process, by means of the engine's own debugger: the condition of a
 * breakpoint reports the stack and never holds.
 * @param root where the files are, an address with a slash at the end
 * @throws Error where a file does not say what a call names
 */
export function keepStacks(root: URL, calls: readonly CallSite[]): Stacks {
  const kept = calls.map((): ReadonlySet<string>[] => []);
  Object.defineProperty(globalThis, Symbol.for(tell), { value: tellDebugger });
  const session = new Session();
  session.connect();
  session.on("Runtime.consoleAPICalled", ({ params: { args, stackTrace } }) => {
    const found = kept[calls.findIndex((each) => wordOf(each) === args[0]?.value)];
    if (stackTrace !== undefined) found?.push(filesOf(session, stackTrace, root.href));
  });
  session.post("Runtime.enable");
  session.post("Debugger.enable");
  session.post("Debugger.setAsyncCallStackDepth", { maxDepth: awaitsMax });
  for (const call of calls) session.post("Debugger.setBreakpointByUrl", at(call, root));
  return { of: (call) => kept[calls.indexOf(call)] ?? [] };
}

function tellDebugger(word: string): void {
  debuggerConsole.debug(word);
}

function wordOf({ file, begins }: CallSite): string {
  return `${file}: ${begins}`;
}

function at(call: CallSite, root: URL): Debugger.SetBreakpointByUrlParameterType {
  const { href } = new URL(call.file, root);
  const lines = readFileSync(new URL(href), "utf8").split("\n");
  const lineNumber = lines.findIndex((line) => line.includes(call.begins));
  if (lineNumber < 0) throw new Error(`${call.file} nowhere says ${call.begins}`);
  const condition = `globalThis[Symbol.for("${tell}")](${JSON.stringify(wordOf(call))}), false`;
  return { url: href, lineNumber: lineNumber + 1, condition };
}

function filesOf(
  session: Session,
  innermost: Runtime.StackTrace,
  root: string,
): ReadonlySet<string> {
  const files = new Set<string>();
  let last: Runtime.StackTrace | undefined = innermost;
  const goTo = (next: Runtime.StackTrace): void => void (last = next);
  while (last !== undefined) {
    for (const { url } of last.callFrames) {
      if (url.startsWith(root)) files.add(url.slice(root.length));
    }
    const { parent, parentId }: Runtime.StackTrace = last;
    last = parent;
    if (parentId === undefined) continue;
    // Within one thread the answer comes before the call returns.
    session.post("Debugger.getStackTrace", { stackTraceId: parentId }, (error, answer) => {
      if (error === null) goTo(answer.stackTrace);
    });
  }
  return files;
}
