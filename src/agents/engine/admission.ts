/** Asks the gates in order and combines their permits. A faulty gate fails the run or is logged, and never crashes. */
import { Cause, Clock, Effect, Fiber, Option, Predicate, Schema, Scope } from "effect"
import { FailureReason, Refused } from "../../contract/AgentError.ts"
import type { NoticeEvent, UsageEvent } from "../../contract/AgentEvent.ts"
import type { ProcessExit } from "../../contract/AgentRunResult.ts"
import type { End, GateStart, Start } from "../../contract/Start.ts"
import { startStopwatch } from "../../system/hostClock.ts"
import type { Gate, Permit } from "./Gate.ts"

export type Fork = (effect: Effect.Effect<void>) => Fiber.Fiber<void>

const isPlain = (value: unknown): value is object => {
  if (!Predicate.isObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

const copied = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(copied)
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copied(member)]))
}

/**
 * A copy for gates and observers, so that they cannot change what the run and its consumer have. Instances of classes,
 * such as failure reasons and durations, are passed as they are.
 */
export const copyOf = <Data>(data: Data): Data => copied(data) as Data // with the same members
/** The combined permits of all gates. A member is undefined if no gate has it. */
export interface Admission {
  readonly amend: Permit["amend"] | undefined
  readonly starting: Effect.Effect<void, FailureReason> | undefined
  readonly opened: ((sessionId: string) => Effect.Effect<void, FailureReason>) | undefined
  readonly openers: string
  readonly onUsage: ((usage: UsageEvent) => Effect.Effect<void, FailureReason>) | undefined
  /** Returns after 1 s at the latest. */
  readonly settle: ((end: End) => Effect.Effect<void>) | undefined
  readonly left: ((exit: ProcessExit) => Effect.Effect<void>) | undefined
}

interface Admitted {
  readonly gate: Gate
  readonly permit: Permit
}

const isReason = Schema.is(FailureReason)

/** A gate written in JavaScript may return something else. */
const isEffect: (input: unknown) => boolean = Effect.isEffect

const effectOf = <A, E, R>(run: () => Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const effect = run()
    return isEffect(effect) ? effect : Effect.die(new TypeError("It did not return an effect"))
  })

/** Fails with the gate's own reason; any other fault is `Refused`, and its cause goes to the log, since it may quote anything. */
const guarded = <A, R>({ name }: Gate, run: () => Effect.Effect<A, FailureReason, R>) =>
  Effect.catchCause(effectOf(run), (cause) => {
    const reason = Option.getOrUndefined(Cause.findErrorOption(cause))
    if (isReason(reason)) return Effect.fail(reason)
    const refused = new Refused({ gate: name, problem: "the gate itself failed; see the log", retryable: false })
    return Effect.andThen(Effect.logError(`the gate "${name}" failed`, cause), refused)
  })

const warned = ({ name }: Gate, doing: string, effect: Effect.Effect<void>) =>
  Effect.catchCause(effect, (cause) => Effect.logWarning(`the gate "${name}" failed ${doing}`, cause))

/** True if `concerns` is missing or not a list. */
export const concerns = ({ concerns }: Gate, type: Start["type"]) => !Array.isArray(concerns) || concerns.includes(type)

/** A gate written in JavaScript may return anything. */
const isPermit = (input: unknown): input is Permit =>
  Predicate.isObject(input) && (!("amend" in input) || input.amend === undefined || Predicate.isObject(input.amend))

/** `undefined` counts as a permit without members. */
const permitOf = (gate: Gate, start: GateStart): Effect.Effect<Permit, FailureReason, Scope.Scope> =>
  Effect.flatMap(
    effectOf(() => gate.admit(start)),
    (permit: unknown) => {
      if (permit === undefined) return Effect.succeed({})
      return isPermit(permit) ? Effect.succeed(permit) : Effect.die(new TypeError("It did not return a permit"))
    }
  )

/** In a scope of its own: a failure to close it must not hurt the run. */
const ask = Effect.fnUntraced(function* (gate: Gate, start: GateStart) {
  const scope = Scope.makeUnsafe()
  let isAsked = true
  yield* Effect.addFinalizer((exit) => {
    isAsked = false
    return warned(gate, "while it was released", Scope.close(scope, exit))
  })
  const queued: GateStart["queued"] = (waiting) => {
    if (isAsked) start.queued(copyOf(waiting))
  }
  const permit = yield* Scope.provide(
    guarded(gate, () => permitOf(gate, { ...copyOf(start), queued })),
    scope
  )
  isAsked = false
  return { gate, permit }
})

const amendments = (admitted: ReadonlyArray<Admitted>): Permit["amend"] | undefined => {
  const amends = admitted.flatMap(({ permit: { amend } }) => (amend === undefined ? [] : [amend]))
  if (amends.length === 0) return undefined
  const amounts = amends.flatMap(({ maxBudgetUsd }) => (maxBudgetUsd === undefined ? [] : [maxBudgetUsd]))
  const env = Object.assign({}, ...amends.map(({ env }) => env))
  const isFork = amends.some(({ forkSession }) => forkSession === true)
  return {
    env,
    ...(amounts.length === 0 ? {} : { maxBudgetUsd: Math.min(...amounts) }),
    ...(isFork ? { forkSession: true } : {})
  }
}

const settleBudget = "1 second"

const settling = ({ gate, permit }: Admitted, end: End, background: Fork) => {
  const settle = effectOf(() => permit.settle?.(copyOf(end)) ?? Effect.void)
  const fiber = background(warned(gate, "to settle", settle))
  return Effect.flatMap(Effect.timeoutOption(Fiber.await(fiber), settleBudget), (exit) =>
    Option.isSome(exit)
      ? Effect.void
      : Effect.logWarning(
          `the gate "${gate.name}" takes more than 1 s to settle: the end is emitted without waiting for it`
        )
  )
}

/** Fails with the reason of the first gate that refuses. Released when the scope closes. */
export const admit = Effect.fnUntraced(function* (
  gates: ReadonlyArray<Gate>,
  start: Start,
  onNotice: (notice: NoticeEvent) => void,
  background: Fork
) {
  const subject = start.type === "turn" ? "turn" : "start"
  const request: GateStart = {
    ...start,
    waitedMs: startStopwatch(yield* Clock.Clock),
    queued: ({ problem, data = {} }) =>
      onNotice({ type: "notice", kind: "queued", message: `The ${subject} waits: ${problem}`, data }),
    notice: ({ kind, message, data }) =>
      onNotice({ type: "notice", kind, message, ...(data === undefined ? {} : { data }) })
  }
  const admitted: Array<Admitted> = []
  for (const gate of gates) if (concerns(gate, start.type)) admitted.push(yield* ask(gate, request))
  /** Calls a member of all permits that have it; undefined if none has it. */
  const combined = <Args extends ReadonlyArray<unknown>, E>(
    name: keyof Permit,
    call: (each: Admitted, ...args: Args) => Effect.Effect<void, E>,
    concurrency: number | "unbounded" = 1
  ) => {
    const having = admitted.filter(({ permit }) => permit[name] !== undefined)
    if (having.length === 0) return undefined
    return (...args: Args) => Effect.forEach(having, (each) => call(each, ...args), { concurrency, discard: true })
  }
  const openers = admitted.flatMap(({ gate, permit }) => (permit.opened === undefined ? [] : [gate.name]))
  const admission: Admission = {
    amend: amendments(admitted),
    starting: combined("starting", ({ gate, permit }) => guarded(gate, () => permit.starting ?? Effect.void))?.(),
    opened: combined("opened", ({ gate, permit }, sessionId: string) =>
      guarded(gate, () => permit.opened?.(sessionId) ?? Effect.void)
    ),
    openers: openers.join(", "),
    onUsage: combined("onUsage", ({ gate, permit }, usage: UsageEvent) =>
      guarded(gate, () => permit.onUsage?.(copyOf(usage)) ?? Effect.void)
    ),
    settle: combined("settle", (each, end: End) => settling(each, end, background), "unbounded"),
    left: combined("left", ({ gate, permit }, exit: ProcessExit) => {
      const left = effectOf(() => permit.left?.(copyOf(exit)) ?? Effect.void)
      return warned(gate, "when its process had left", left)
    })
  }
  return admission
})
