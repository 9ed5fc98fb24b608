/**
 * Performs the actions of the dialogue in order, and passes requests of the caller to it. Synchronous: an answer never waits
 * for a consumer of the events. One turn at a time; the others wait.
 */
import { Deferred, Effect, Latch } from "effect"
import { type Action, type Change, type Dialogue, isAction, type Output } from "../cli/Live.ts"
import { Aborted, AgentFailed, type FailureReason } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { Delivery } from "../contract/AgentSession.ts"
import { type Ending, failureOf } from "../engine/judge.ts"
import { eventOfCli, type Receiver } from "../engine/listener.ts"
import { type Phase, phaseOf } from "../engine/watchdog.ts"
import type { HostCalls } from "../hostTools/hostCalls.ts"
import { makeAdmitting, type TurnSeams } from "./admitting.ts"
import type { Asks } from "./asks.ts"
import { makeChanges } from "./changes.ts"
import { makeTurn, type Turn, type Turns } from "./turns.ts"

type Perform = (outputs: ReadonlyArray<Output>) => void

export interface ConversationOptions {
  readonly seams: TurnSeams
  readonly dialogue: Dialogue
  readonly turns: Turns
  readonly asks: (perform: Perform) => Asks
  readonly calls: (perform: Perform) => HostCalls
  /** Writes a line to the CLI's stdin; gives the problem if it cannot. */
  readonly write: (json: unknown) => string | undefined
  readonly touch: (phase: Phase) => void
  /** Redacts secrets. */
  readonly redact: (failure: FailureReason) => FailureReason
}

/** It receives the meaning of the CLI's lines. */
export interface Conversation extends Receiver {
  readonly open: () => void
  readonly turn: (turn: Turn) => void
  /** The caller of the turn has left. Returns like `interrupt` if the turn was running. */
  readonly leave: (turn: Turn) => Effect.Effect<void> | undefined
  readonly send: (text: string) => Delivery
  /** Gives an effect that waits for the end; undefined if no turn is running. */
  readonly interrupt: () => Effect.Effect<void> | undefined
  readonly change: (change: Change) => Effect.Effect<void, FailureReason>
  readonly asks: Asks
  /** The handshake is over. */
  readonly opened: Effect.Effect<void>
  /** Completes when the session cannot continue. */
  readonly failed: Effect.Effect<Ending>
  /** The reason of the end, once the session has ended. */
  readonly ended: () => FailureReason | undefined
  /** The latest texts of the caller. */
  readonly texts: () => ReadonlyArray<string>
  /** Completes when nothing happens until the next request of a turn. */
  readonly idle: Effect.Effect<void>
  readonly isResting: () => boolean
  /** Ends the conversation. */
  readonly conclude: (ending: Ending, stderr: string) => void
}

/** Number of texts that a message at the end could quote. */
const keptTexts = 16

export const makeConversation = (options: ConversationOptions): Conversation => {
  const { dialogue, turns, seams, write, redact } = options
  const opened = Deferred.makeUnsafe<void>()
  const failed = Deferred.makeUnsafe<Ending>()
  const idle = Latch.makeUnsafe(true)
  const waiting: Array<Turn> = []
  const texts: Array<string> = []
  /** Completed when the running turn ends. */
  let over = Deferred.makeUnsafe<void>()
  let ended: FailureReason | undefined

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
      else give(eventOfCli(output))
    }
  }

  const isResting = () => dialogue.standing() === "resting" && !turns.isUnderWay() && admitting.pending() === undefined

  const touch = () => {
    const atRest = changes.isWaiting() ? "idle" : "rest"
    options.touch(asks.open.size > 0 ? "approval" : phaseOf(dialogue.standing(), turns.isToolOpen(), atRest))
    if (ended !== undefined || (isResting() && !admitting.isBusy())) idle.openUnsafe()
    else idle.closeUnsafe()
  }

  /** For input between two lines, such as an answer or a request: from now on the agent has to react. */
  const reply: Perform = (outputs) => {
    perform(outputs)
    touch()
  }

  const asks = options.asks(reply)
  const calls = options.calls(reply)
  const changes = makeChanges({ dialogue, perform: reply, redact })

  const endTurn = ({ verdict, report, isInterrupted, isOwn = true }: Extract<Action, { _tag: "TurnEnded" }>) => {
    const reported = failureOf(verdict)
    const reason = reported && redact(reported)
    const stopped = isOwn ? turns.current()?.stopped : undefined
    turns.end({ failure: stopped ?? (isInterrupted === true ? new Aborted() : reason) }, report, isOwn)
    if (isInterrupted === true) asks.turnInterrupted()
    if (!isOwn) return
    Deferred.doneUnsafe(over, Effect.void)
    over = Deferred.makeUnsafe()
  }

  /** Fails the session if a line cannot be written: the CLI would wait for it. */
  const writeOrFail = (json: unknown) => {
    const problem = write(json)
    const detail = `A message for the CLI ${problem}`
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

  /** A dialogue that throws cannot continue, whoever called: the session ends with its error. */
  const ask = (outputs: () => ReadonlyArray<Output>) => {
    try {
      perform(outputs())
    } catch (error) {
      Deferred.doneUnsafe(failed, Effect.die(error))
    }
  }

  const begin = (turn: Turn) => {
    turns.begin(turn)
    ask(() => dialogue.turn(turn.prompt))
  }

  /** After any change: starts the next turn if possible, and updates the watchdog. */
  const proceed = () => {
    // A turn that the dialogue refuses ends at once.
    while (isFree()) {
      const next = admitting.takeAdmitted() ?? (admitting.isBusy() ? undefined : waiting.shift())
      if (next === undefined) break
      if (admitting.isAsked && next.gates === undefined) admitting.ask(next)
      else begin(next)
    }
    touch()
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
    proceed()
  }

  const interrupt = () => {
    if (ended !== undefined) return undefined
    if (!turns.isUnderWay()) {
      if (admitting.pending() === undefined) return undefined
      admitting.withdraw(new Aborted())
      return Effect.void
    }
    const isOver = Deferred.await(over)
    ask(dialogue.interrupt)
    proceed()
    return isOver
  }

  const admitting = makeAdmitting({ seams, turns, interrupt, fail, onChange: proceed })

  return {
    open: () => perform(dialogue.open()),
    stages: (use) => use((json) => json, dialogue.push),
    give,
    act,
    // Output of a process that is being ended belongs to no turn, and its requests cannot be answered.
    isOver: () => ended !== undefined || Deferred.isDoneUnsafe(failed),
    fail,
    onLineEnd: proceed,
    turn: enqueue,
    leave: (turn) => {
      const index = waiting.indexOf(turn)
      if (index !== -1) {
        waiting.splice(index, 1)
        turns.refuse(turn, new Aborted())
      }
      if (admitting.pending() === turn) admitting.withdraw(new Aborted())
      return turns.current() === turn ? interrupt() : undefined
    },
    send: (text) => {
      const steered = turns.isUnderWay() ? dialogue.steer(text) : undefined
      if (steered !== undefined) {
        remember(text)
        perform(steered)
        proceed()
        return "steered"
      }
      const turn = makeTurn(text)
      // Its events are in the events of the session.
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
      admitting.withdraw(ended)
      for (const turn of waiting.splice(0)) turns.refuse(turn, ended)
      changes.end(ended)
      idle.openUnsafe()
      Deferred.doneUnsafe(over, Effect.void)
    }
  }
}
