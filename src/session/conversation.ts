/**
 * Does what the dialogue wants done, in order, and takes what the caller asks for to it. Synchronous: an answer never
 * waits for a consumer of the events. One turn at a time; the others wait for theirs.
 */
import { Cause, Deferred, type Duration, Effect, Exit, Latch, Option, Scope } from "effect"
import { type Action, type Change, type Dialogue, isAction, type Output } from "../cli/Live.ts"
import { Aborted, AgentFailed, type FailureReason } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { Delivery } from "../contract/AgentSession.ts"
import type { Admission, Fork } from "../engine/admission.ts"
import type { Ending } from "../engine/judge.ts"
import type { Receiver } from "../engine/listener.ts"
import { makeMeter } from "../engine/outlet.ts"
import { type Phase, phaseOf } from "../engine/watchdog.ts"
import type { HostCalls } from "../hostTools/hostCalls.ts"
import type { Asks } from "./asks.ts"
import { makeChanges } from "./changes.ts"
import { makeTurn, type Turn, type Turns } from "./turns.ts"

type Perform = (outputs: ReadonlyArray<Output>) => void

/** What gates and observers have to do with turns. */
export interface TurnSeams {
  /** It was asked for. */
  readonly observe: (turn: Turn) => void
  /** Undefined where no gate is asked about turns: they begin at once. */
  readonly admit: ((turn: Turn) => Effect.Effect<Admission, FailureReason, Scope.Scope>) | undefined
  /** The session's. */
  readonly scope: Scope.Scope
  readonly fork: Fork
  /** For a turn that a gate ends, to heed the interrupt. */
  readonly grace: Duration.Input
}

/** A turn that the gates are asked about, or have let in; until it is released. */
interface Gated {
  readonly turn: Turn
  readonly scope: Scope.Closeable
  interrupt: () => void
  state: "admitting" | "admitted" | "begun" | "withdrawn"
}

export interface ConversationOptions {
  readonly seams: TurnSeams
  readonly dialogue: Dialogue
  readonly turns: Turns
  readonly asks: (perform: Perform) => Asks
  readonly calls: (perform: Perform) => HostCalls
  /** Puts a line on the CLI's stdin; gives why that cannot be. */
  readonly write: (json: unknown) => string | undefined
  readonly touch: (phase: Phase) => void
  /** Takes secrets out. */
  readonly redact: (failure: FailureReason) => FailureReason
}

/** It receives what the CLI's lines mean. */
export interface Conversation extends Receiver {
  readonly open: () => void
  readonly turn: (turn: Turn) => void
  /** Whoever asked for the turn does not want it any more. Gives what `interrupt` gives, where it was under way. */
  readonly leave: (turn: Turn) => Effect.Effect<void> | undefined
  readonly send: (text: string) => Delivery
  /** Gives what to wait for; undefined where no turn is under way. */
  readonly interrupt: () => Effect.Effect<void> | undefined
  readonly change: (change: Change) => Effect.Effect<void, FailureReason>
  readonly asks: Asks
  /** The handshake is over. */
  readonly opened: Effect.Effect<void>
  /** The session cannot go on. */
  readonly failed: Effect.Effect<Ending>
  /** Why nothing is taken any more. */
  readonly ended: () => FailureReason | undefined
  /** What the caller has lately said. */
  readonly texts: () => ReadonlyArray<string>
  /** Returns when nothing happens until a turn is asked for. */
  readonly idle: Effect.Effect<void>
  readonly isResting: () => boolean
  /** Nothing is said any more. */
  readonly conclude: (ending: Ending, stderr: string) => void
}

/** More than an agent could still speak of at its end. */
const keptTexts = 16

export const makeConversation = (options: ConversationOptions): Conversation => {
  const { dialogue, turns, seams, write, redact } = options
  const opened = Deferred.makeUnsafe<void>()
  const failed = Deferred.makeUnsafe<Ending>()
  const idle = Latch.makeUnsafe(true)
  const waiting: Array<Turn> = []
  const texts: Array<string> = []
  /** The turn under way is over. */
  let over = Deferred.makeUnsafe<void>()
  let ended: FailureReason | undefined
  let gated: Gated | undefined

  const fail = (failure: FailureReason) => {
    Deferred.doneUnsafe(failed, Effect.succeed({ failure }))
  }

  const give = (event: AgentEvent, bytes?: number) => {
    if (!turns.isUnderWay() && dialogue.standing() === "working") turns.begin(undefined)
    turns.give(event, bytes)
  }

  const perform: Perform = (outputs) => {
    for (const output of outputs) {
      if (isAction(output)) act(output)
      else give(output)
    }
  }

  /** A turn that waits at the gates, or behind them. */
  const pending = () => (gated?.state === "admitting" || gated?.state === "admitted" ? gated : undefined)

  const isResting = () => dialogue.standing() === "resting" && !turns.isUnderWay() && pending() === undefined

  const touch = () => {
    const atRest = changes.isWaiting() ? "idle" : "rest"
    options.touch(asks.isWaiting() ? "approval" : phaseOf(dialogue.standing(), turns.isToolOpen(), atRest))
    if (ended !== undefined || (isResting() && gated === undefined)) idle.openUnsafe()
    else idle.closeUnsafe()
  }

  /** Of what came between two lines, an answer or a wish: from now on the agent is the one to speak. */
  const reply: Perform = (outputs) => {
    perform(outputs)
    touch()
  }

  const asks = options.asks(reply)
  const calls = options.calls(reply)
  const changes = makeChanges({ dialogue, perform: reply, redact })

  const endTurn = ({ verdict, report, isInterrupted, isOwn = true }: Extract<Action, { _tag: "TurnEnded" }>) => {
    const told = verdict._tag === "Failure" ? redact(verdict.reason) : undefined
    const stopped = isOwn ? turns.current()?.stopped : undefined
    turns.end({ failure: stopped ?? (isInterrupted === true ? new Aborted() : told) }, report, isOwn)
    if (isInterrupted === true) asks.turnInterrupted()
    if (!isOwn) return
    Deferred.doneUnsafe(over, Effect.void)
    over = Deferred.makeUnsafe()
  }

  /** The CLI would wait for what is not written. */
  const writeOrFail = (json: unknown) => {
    const problem = write(json)
    const detail = `What was to be written to the CLI ${problem}`
    if (problem !== undefined) fail(new AgentFailed({ code: "unwritable", category: "protocol", detail }))
  }

  const act = (action: Action): void => {
    switch (action._tag) {
      case "Write":
        writeOrFail(action.json)
        break
      case "Opened":
        Deferred.doneUnsafe(opened, Effect.void)
        break
      case "Asked":
        asks.permission(action.ask)
        break
      case "Checked":
        asks.check(action.callId, action.ask)
        break
      case "Questioned": {
        const { _tag, ...question } = action
        asks.question({ type: "question", ...question })
        break
      }
      case "Withdrawn":
        asks.withdraw(action.requestId)
        calls.cancel(action.requestId)
        break
      case "TurnEnded":
        endTurn(action)
        break
      case "Changed":
        changes.answered(action)
        break
      case "HookCalled":
        calls.hook(action)
        break
      case "McpCalled":
        calls.mcp(action)
        break
      case "Failed":
        fail(redact(action.reason))
    }
  }

  const isFree = () => {
    const standing = dialogue.standing()
    return ended === undefined && !turns.isUnderWay() && (standing === "resting" || standing === "background")
  }

  const begin = (turn: Turn) => {
    turns.begin(turn)
    perform(dialogue.turn(turn.prompt))
  }

  /** After whatever happened: whose turn is it, and what is the agent doing? */
  const settle = () => {
    // A turn that the dialogue refuses is over at once.
    while (isFree()) {
      if (gated?.state === "admitted") {
        gated.state = "begun"
        begin(gated.turn)
        continue
      }
      const next = gated === undefined ? waiting.shift() : undefined
      if (next === undefined) break
      if (seams.admit === undefined) begin(next)
      else admit(next, seams.admit(next))
    }
    touch()
  }

  const release = (entry: Gated, exit: Exit.Exit<unknown, unknown>) =>
    Effect.map(Scope.close(entry.scope, exit), () => {
      gated = undefined
      settle()
    })

  /** A gate ends the turn that it had let in. */
  const stop = (turn: Turn) => (reason: FailureReason) => {
    if (turns.current() !== turn) return
    turn.stopped = reason
    const isOver = interrupt()
    const impatient = Effect.map(Effect.sleep(seams.grace), () => fail(reason))
    if (isOver !== undefined) seams.fork(Effect.raceFirst(isOver, impatient))
  }

  const letIn = (entry: Gated, { onUsage, settle: settled }: Admission) => {
    const { turn } = entry
    if (turn.ended !== undefined) return void seams.fork(release(entry, Exit.void))
    entry.state = "admitted"
    turn.gates = {
      onUsage: onUsage === undefined ? () => {} : makeMeter(onUsage, seams.fork, stop(turn)),
      settle: settled,
      release: () => void seams.fork(release(entry, Exit.void))
    }
    settle()
  }

  const turnAway = (entry: Gated, reason: FailureReason) => {
    if (entry.turn.ended === undefined) turns.refuse(entry.turn, reason, true)
  }

  /** Until the gates have let the turn in, the agent rests and the others wait behind it. */
  const admit = (turn: Turn, admission: Effect.Effect<Admission, FailureReason, Scope.Scope>) => {
    const entry: Gated = { turn, scope: Scope.forkUnsafe(seams.scope), interrupt: () => {}, state: "admitting" }
    gated = entry
    const asking = Effect.onExit(Scope.provide(admission, entry.scope), (exit) => {
      if (Exit.isSuccess(exit)) return Effect.sync(() => letIn(entry, exit.value))
      turnAway(
        entry,
        Option.getOrElse(Cause.findErrorOption(exit.cause), () => new Aborted())
      )
      return release(entry, exit)
    })
    const fiber = seams.fork(Effect.asVoid(Effect.exit(asking)))
    entry.interrupt = () => fiber.interruptUnsafe()
  }

  /** It is not wanted any more, and has not begun. */
  const withdraw = (entry: Gated, reason: FailureReason) => {
    const isAdmitting = entry.state === "admitting"
    entry.state = "withdrawn"
    turnAway(entry, reason)
    if (isAdmitting) entry.interrupt()
    else seams.fork(release(entry, Exit.void))
  }

  const remember = (text: string) => {
    texts.push(text)
    if (texts.length > keptTexts) texts.shift()
  }

  const enqueue = (turn: Turn) => {
    if (ended !== undefined) return turns.refuse(turn, ended)
    remember(turn.prompt)
    seams.observe(turn)
    waiting.push(turn)
    settle()
  }

  const interrupt = () => {
    if (ended !== undefined) return undefined
    const entry = pending()
    if (!turns.isUnderWay() && entry !== undefined) {
      withdraw(entry, new Aborted())
      return Effect.void
    }
    if (!turns.isUnderWay()) return undefined
    const isOver = Deferred.await(over)
    perform(dialogue.interrupt())
    settle()
    return isOver
  }

  return {
    open: () => perform(dialogue.open()),
    stages: (use) => use((json) => json, dialogue.push),
    give,
    act,
    // What a process says while it is ended belongs to no turn, and what it asks cannot be answered.
    isOver: () => ended !== undefined || Deferred.isDoneUnsafe(failed),
    fail,
    onLineEnd: settle,
    turn: enqueue,
    leave: (turn) => {
      const place = waiting.indexOf(turn)
      if (place !== -1) {
        waiting.splice(place, 1)
        turns.refuse(turn, new Aborted())
      }
      const entry = pending()
      if (entry?.turn === turn) withdraw(entry, new Aborted())
      return turns.current() === turn ? interrupt() : undefined
    },
    send: (text) => {
      const steered = turns.isUnderWay() ? dialogue.steer(text) : undefined
      if (steered !== undefined) {
        remember(text)
        perform(steered)
        settle()
        return "steered"
      }
      const turn = makeTurn(text)
      // What comes of it is in the events of the session.
      turn.backlog.close()
      enqueue(turn)
      return turns.current() === turn || turn.ended !== undefined ? "started" : "queued"
    },
    interrupt,
    change: (change) => (ended === undefined ? changes.ask(change) : Effect.fail(ended)),
    asks,
    opened: Deferred.await(opened),
    failed: Deferred.await(failed),
    ended: () => ended,
    texts: () => texts,
    idle: idle.await,
    isResting,
    conclude: (ending, stderr) => {
      if (ended !== undefined) return
      ended = ending.failure ?? new Aborted()
      asks.end()
      turns.conclude(ending, stderr, dialogue.report?.() ?? {})
      const entry = pending()
      if (entry !== undefined) withdraw(entry, ended)
      for (const turn of waiting.splice(0)) turns.refuse(turn, ended)
      changes.end(ended)
      idle.openUnsafe()
      Deferred.doneUnsafe(over, Effect.void)
    }
  }
}
