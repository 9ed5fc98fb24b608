/** Gates and observers for plain callers: promises instead of effects, a function instead of a scope. */
import { Effect, Layer, Option, Predicate, Result, Schema } from "effect"
import { FailureReason } from "../contract/AgentError.ts"
import type { UsageEvent } from "../contract/AgentEvent.ts"
import { makeParser } from "../contract/input.ts"
import type { End } from "../contract/Start.ts"
import type { Gate, GateStart, Permit } from "../engine/Gate.ts"
import { gatesLayer } from "../engine/Gates.ts"
import { type Observer, observersLayer } from "../engine/Observer.ts"

type Awaitable<A> = A | PromiseLike<A>

/** The members are those of `Permit` of the Effect door. To refuse, a member throws or rejects, as `admit` does. */
export interface PlainPermit {
  readonly amend?: Permit["amend"]
  /** Awaited immediately before the process is started, or before the first line of a live turn is written. */
  readonly starting?: () => Awaitable<void>
  /** Awaited before the `session` event is given. */
  readonly opened?: (sessionId: string) => Awaitable<void>
  /** Called for `usage` events: the newest sum so far. */
  readonly onUsage?: (usage: UsageEvent) => Awaitable<void>
  /** Awaited before the end is given, for 1 s at most; then it goes on until the agent is closed, and `signal` is aborted. */
  readonly settle?: (end: End, context: { readonly signal: AbortSignal }) => Awaitable<void>
  /**
   * Called when nothing of the run, the session or the turn is left, also where another gate has refused it. Awaited for
   * 1 s at most; then it goes on by itself, with a warning in the log.
   */
  readonly release?: () => Awaitable<void>
}

export interface PlainGate extends Pick<Gate, "name" | "concerns"> {
  /**
   * Lets it in when it resolves. To refuse, throw `new Refused({ gate, problem, retryable })`; any other error counts as
   * a fault of the gate, which refuses, too. `signal` is aborted when the caller has left: a permit that still comes is
   * released at once.
   */
  readonly admit: (start: GateStart & { readonly signal: AbortSignal }) => Awaitable<PlainPermit | undefined>
}

export interface PlainSeams {
  /** Gates for runs, live sessions and turns, asked after the order on a session and `limits`. Default: none. */
  readonly gates?: ReadonlyArray<PlainGate>
  /** Observers of all runs, live sessions and turns. Default: none. */
  readonly observers?: ReadonlyArray<Observer>
}

const isReason = Schema.is(FailureReason)

const calling = <A>(run: (signal: AbortSignal) => Awaitable<A>): Effect.Effect<A, FailureReason> =>
  Effect.tryPromise({ try: async (signal) => run(signal), catch: (error) => error }).pipe(
    Effect.catch((error) => (isReason(error) ? Effect.fail(error) : Effect.die(error)))
  )

const permitOf = ({ amend, starting, opened, onUsage, settle }: PlainPermit): Permit => ({
  ...(amend === undefined ? {} : { amend }),
  ...(starting === undefined ? {} : { starting: calling(starting) }),
  ...(opened === undefined ? {} : { opened: (sessionId) => calling(() => opened(sessionId)) }),
  ...(onUsage === undefined ? {} : { onUsage: (usage) => calling(() => onUsage(usage)) }),
  ...(settle === undefined ? {} : { settle: (end) => Effect.orDie(calling((signal) => settle(end, { signal }))) })
})

/** Whatever is no permit, such as `false`, lets nobody in. */
const checkedPermit = (permit: PlainPermit | undefined): PlainPermit => {
  if (Predicate.isNullish(permit)) return {}
  if (!Predicate.isObject(permit)) throw new TypeError("admit did not return a permit")
  return permit
}

const releaseBudget = "1 second"

/** Afterwards it continues without anybody waiting for it. */
const releasedInTime = ({ name }: PlainGate, releasing: Effect.Effect<void, FailureReason>) =>
  Effect.timeoutOption(Effect.interruptible(releasing), releaseBudget).pipe(
    Effect.orDie,
    Effect.flatMap((released) =>
      Option.isSome(released)
        ? Effect.void
        : Effect.logWarning(`the gate "${name}" takes more than 1 s to release: nothing waits for it`)
    )
  )

const gateOf = (gate: PlainGate): Gate => ({
  name: gate.name,
  ...(gate.concerns === undefined ? {} : { concerns: gate.concerns }),
  admit: (start) =>
    Effect.suspend(() => {
      const controller = new AbortController()
      const asked = (async () => checkedPermit(await gate.admit({ ...start, signal: controller.signal })))()
      const releasing = Effect.suspend(() => calling(async () => (await asked).release?.()))
      const leave = Effect.sync(() => {
        controller.abort()
        Effect.runFork(Effect.ignoreCause(releasing))
      })
      return Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(
          Effect.onInterrupt(restore(calling(() => asked)), () => leave),
          (permit) =>
            Effect.as(
              Effect.addFinalizer(() => releasedInTime(gate, releasing)),
              permitOf(permit)
            )
        )
      )
    })
})

const isGate = (input: unknown): input is PlainGate =>
  Predicate.hasProperty(input, "name") &&
  Predicate.isString(input.name) &&
  Predicate.hasProperty(input, "admit") &&
  Predicate.isFunction(input.admit)

const isObserver = (input: unknown): input is Observer =>
  Predicate.hasProperty(input, "name") &&
  Predicate.isString(input.name) &&
  Predicate.hasProperty(input, "begin") &&
  Predicate.isFunction(input.begin)

const parseSeams = makeParser(
  Schema.Struct({
    gates: Schema.optional(Schema.Array(Schema.declare(isGate, { expected: "a gate: { name, admit }" }))),
    observers: Schema.optional(Schema.Array(Schema.declare(isObserver, { expected: "an observer: { name, begin }" })))
  }),
  "options"
)

/** Fails with what is no gate and no observer. */
export const seamsLayer = (seams: { [Name in keyof PlainSeams]: PlainSeams[Name] | undefined }) =>
  Result.map(parseSeams(seams), ({ gates = [], observers = [] }) =>
    Layer.merge(gatesLayer(gates.map(gateOf)), observersLayer(observers))
  )
