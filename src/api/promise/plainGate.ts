/** Gates and observers for plain callers: promises instead of effects, a function instead of a scope. */
import { Effect, Layer, Option, Predicate, Result, Schema } from "effect"
import type { Gate, Permit } from "../../agents/engine/Gate.ts"
import { gatesLayer } from "../../agents/engine/Gates.ts"
import { observersLayer } from "../../agents/engine/Observer.ts"
import { FailureReason } from "../../contract/AgentError.ts"
import { makeParser } from "../../contract/checkInput.ts"
import type { Awaitable } from "../../contract/Input.ts"
import type { Observer } from "../../contract/Observer.ts"
import type { PlainGate, PlainPermit, PlainSeams } from "../../contract/PlainGate.ts"

const isReason = Schema.is(FailureReason)

const calling = <A>(run: (signal: AbortSignal) => Awaitable<A>): Effect.Effect<A, FailureReason> =>
  Effect.tryPromise({ try: async (signal) => run(signal), catch: (error) => error }).pipe(
    Effect.catch((error) => (isReason(error) ? Effect.fail(error) : Effect.die(error)))
  )

const permitOf = ({ amend, starting, opened, onUsage, settle, left }: PlainPermit): Permit => ({
  ...(amend === undefined ? {} : { amend }),
  ...(starting === undefined ? {} : { starting: calling(starting) }),
  ...(opened === undefined ? {} : { opened: (sessionId) => calling(() => opened(sessionId)) }),
  ...(onUsage === undefined ? {} : { onUsage: (usage) => calling(() => onUsage(usage)) }),
  ...(settle === undefined ? {} : { settle: (end) => Effect.orDie(calling((signal) => settle(end, { signal }))) }),
  ...(left === undefined ? {} : { left: (exit) => Effect.orDie(calling(() => left(exit))) })
})

/** Refuses anything but a permit, such as `false`. */
const checkedPermit = (permit: PlainPermit | undefined): PlainPermit => {
  if (Predicate.isNullish(permit)) return {}
  if (!Predicate.isObject(permit)) throw new TypeError("admit did not return a permit")
  return permit
}

const releaseBudget = "1 second"

/** A slower release continues in the background. */
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
      const admission = (async () => checkedPermit(await gate.admit({ ...start, signal: controller.signal })))()
      const releasing = Effect.suspend(() => calling(async () => (await admission).release?.()))
      const leave = Effect.sync(() => {
        controller.abort()
        Effect.runFork(Effect.ignoreCause(releasing))
      })
      return Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(
          Effect.onInterrupt(restore(calling(() => admission)), () => leave),
          (permit) =>
            Effect.as(
              Effect.addFinalizer(() => releasedInTime(gate, releasing)),
              permitOf(permit)
            )
        )
      )
    })
})

const isNamed = (input: unknown, method: "admit" | "begin") =>
  Predicate.hasProperty(input, "name") &&
  Predicate.isString(input.name) &&
  Predicate.hasProperty(input, method) &&
  Predicate.isFunction(input[method])

const isGate = (input: unknown): input is PlainGate => isNamed(input, "admit")
const isObserver = (input: unknown): input is Observer => isNamed(input, "begin")

const parseSeams = makeParser(
  Schema.Struct({
    gates: Schema.optional(Schema.Array(Schema.declare(isGate, { expected: "a gate: { name, admit }" }))),
    observers: Schema.optional(Schema.Array(Schema.declare(isObserver, { expected: "an observer: { name, begin }" })))
  }),
  "options"
)

export const seamsLayer = (seams: { [Name in keyof PlainSeams]: PlainSeams[Name] | undefined }) =>
  Result.map(parseSeams(seams), ({ gates = [], observers = [] }) =>
    Layer.merge(gatesLayer(gates.map(gateOf)), observersLayer(observers))
  )
