import type { Behaviour, BehaviourChange } from "../../../reference/behaviour.ts";

/** Returns what a fault changes in the right behaviour, which it is given. */
export type Change = (behaviour: Behaviour) => BehaviourChange;

/** A member of a group of the behaviour, such as `retention.keptMs`. */
type Member = {
  [Group in keyof Behaviour]: `${Group}.${keyof Behaviour[Group] & string}`;
}[keyof Behaviour];

type ValueOf<M extends Member> = M extends `${infer Group extends keyof Behaviour}.${infer Name}`
  ? Behaviour[Group][Name & keyof Behaviour[Group]]
  : never;

/** The members that are functions and return a `Result`. */
type Answering<Result> = {
  [M in Member]: ValueOf<M> extends (...args: never) => Result ? M : never;
}[Member];

type Decision = Answering<unknown>;
type ArgumentsOf<M extends Decision> =
  ValueOf<M> extends (...args: infer Arguments) => unknown ? Arguments : never;
type ResultOf<M extends Decision> =
  ValueOf<M> extends (...args: never) => infer Result ? Result : never;
type Condition<M extends Decision> = (...args: ArgumentsOf<M>) => boolean;

/** A function whose types the overload above it has checked; `callable` lets it be called. */
type Checked = (...args: never[]) => unknown;
type Call = (...args: unknown[]) => unknown;

/** Replaces a member by `make(right)`, where `right` is the member as it was. */
export function override<M extends Member>(
  member: M,
  make: (right: ValueOf<M>) => ValueOf<M>,
): Change;
export function override(member: Member, make: Checked): Change {
  return changeOf(member, callable(make));
}

/** Replaces a member by a value. */
export function replace<M extends Member>(member: M, value: ValueOf<M>): Change {
  return override(member, () => value);
}

/** Changes what a member returns; `change` gets the right result and the arguments. */
export function result<M extends Decision>(
  member: M,
  change: (right: ResultOf<M>, ...args: ArgumentsOf<M>) => ResultOf<M>,
): Change;
export function result(member: Decision, change: Checked): Change {
  const changing = callable(change);
  return asked(member, (right, args) => changing(right(...args), ...args));
}

/** Calls a member with other arguments; `change` gets those that it is called with. */
export function withArguments<M extends Decision>(
  member: M,
  change: (...args: ArgumentsOf<M>) => [...ArgumentsOf<M>],
): Change;
export function withArguments(member: Decision, change: Checked): Change {
  const changing = callable(change);
  return asked(member, (right, args) => right(...[changing(...args)].flat()));
}

/** Lets a member return `value` where `condition` holds of its arguments, and the right result elsewhere. */
export function instead<M extends Decision>(
  member: M,
  value: ResultOf<M>,
  condition: Condition<M>,
): Change;
export function instead(member: Decision, value: unknown, condition: Checked): Change {
  const holds = callable(condition);
  return asked(member, (right, args) => (holds(...args) === true ? value : right(...args)));
}

/** Lets a boolean member return true also where `condition` holds. */
export function also<M extends Answering<boolean>>(member: M, condition: Condition<M>): Change;
export function also(member: Answering<boolean>, condition: Checked): Change {
  const holds = callable(condition);
  return asked(member, (right, args) => holds(...args) === true || right(...args));
}

/** Lets a boolean member return false where `condition` holds. */
export function except<M extends Answering<boolean>>(member: M, condition: Condition<M>): Change;
export function except(member: Answering<boolean>, condition: Checked): Change {
  const holds = callable(condition);
  return asked(member, (right, args) => holds(...args) !== true && right(...args));
}

/** Runs `effect` each time a member is called, before the member returns the right result. */
export function whenever<M extends Decision>(
  member: M,
  effect: (...args: ArgumentsOf<M>) => void,
): Change;
export function whenever(member: Decision, effect: Checked): Change {
  const act = callable(effect);
  return asked(member, (right, args) => {
    act(...args);
    return right(...args);
  });
}

function asked(member: Decision, answer: (right: Call, args: unknown[]) => unknown): Change {
  return changeOf(member, (right) => {
    const call = callable(right);
    return (...args: unknown[]) => answer(call, args);
  });
}

function changeOf(member: Member, make: (right: unknown) => unknown): Change {
  const [group = "", name = ""] = member.split(".");
  return (behaviour) => {
    const members = new Map<string, object>(Object.entries(behaviour)).get(group) ?? {};
    return { [group]: { [name]: make(Reflect.get(members, name)) } };
  };
}

function callable(value: unknown): Call {
  if (!isCall(value)) throw new TypeError("a member that is asked has to be a function");
  return value;
}

function isCall(value: unknown): value is Call {
  return typeof value === "function";
}
