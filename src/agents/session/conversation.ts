/**
 * Performs the actions of the dialogue in order, and passes requests of the caller to it. Synchronous: an answer never waits
 * for a consumer of the events. One turn at a time; the others wait.
 */
import { Effect } from "effect"
import type { Action, Change, Dialogue, Output } from "../../cli/Live.ts"
import { Aborted, type FailureReason } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { LoadedAttachment } from "../../contract/Attachment.ts"
import type { Delivery } from "../../contract/PlainSession.ts"
import { type Listen, makeOnce, type Once } from "../../system/process/once.ts"
import type { Answering } from "../answers/answering.ts"
import type { Ending } from "../engine/judge.ts"
import { eventOfCli, type Receiver } from "../engine/listener.ts"
import type { Phase } from "../engine/watchdog.ts"
import type { HostCallsOptions } from "../hostTools/hostCalls.ts"
import { type Activity, makeActivity } from "./activity.ts"
import { type Admitting, makeAdmitting } from "./admitting.ts"
import { type Asks, makeAsks } from "./asks.ts"
import { type ChangesOptions, makeChanges } from "./changes.ts"
import type { AsksOptions } from "./pending.ts"
import { makeRareActions, unwritable } from "./rareActions.ts"
import { makeTurn, type Turn } from "./turn.ts"
import type { TurnSeams } from "./turnSeams.ts"
import type { Turns } from "./turns.ts"

export interface ConversationOptions
  extends Omit<AsksOptions & HostCallsOptions & ChangesOptions, "give" | "perform" | "planAllowed"> {
  readonly seams: TurnSeams
  readonly dialogue: Dialogue
  readonly turns: Turns
  /** Writes a line to the CLI's stdin; gives the problem if it cannot. */
  readonly write: (json: unknown) => string | undefined
  readonly touch: (phase: Phase) => void
}

/** It receives the meaning of the CLI's lines. */
export interface Conversation extends Receiver, Pick<Activity, "idle" | "isResting"> {
  /** Absolute. */
  readonly workingDirectory: string
  readonly open: () => void
  readonly turn: (turn: Turn) => void
  /** The caller of the turn has left. Returns like `interrupt` if the turn was running. */
  readonly leave: (turn: Turn) => Effect.Effect<void> | undefined
  /** An answer by a schema needs a turn of its own. */
  readonly send: (text: string, answering?: Answering, attachments?: ReadonlyArray<LoadedAttachment>) => Delivery
  /** Returns false if nothing was sent. */
  readonly steer: (text: string, attachments?: ReadonlyArray<LoadedAttachment>) => boolean
  /** Gives an effect that waits for the end; undefined if no turn is running. */
  readonly interrupt: () => Effect.Effect<void> | undefined
  readonly change: (change: Change) => Effect.Effect<void, FailureReason>
  readonly asks: Asks
  /** The handshake is over. */
  readonly opened: Once<void>
  /** The session cannot continue. */
  readonly failed: Listen<Ending>
  /** The reason of the end, once the session has ended, or takes nothing more. */
  readonly ended: () => FailureReason | undefined
  /** The latest texts of the caller. */
  readonly texts: () => ReadonlyArray<string>
  /** Ends the session in good order if nothing happens in it; false if something does. `before`: its last event. */
  readonly closeIfIdle: (before: () => void) => boolean
  /** Ends the conversation. */
  readonly conclude: (ending: Ending, stderr: string) => void
}

export const makeConversation = (options: ConversationOptions): Conversation => {
  const { dialogue, turns, seams, write } = options
  const { observe, admitter } = seams
  const opened = makeOnce<void>()
  const failed = makeOnce<Ending>()
  const waiting: Array<Turn> = []
  /** As many as a message at the end could quote. */
  let texts: ReadonlyArray<string> = []
  let ended: FailureReason | undefined
  /** It takes no more turns. */
  let closing: Aborted | undefined

  const fail = (failure: FailureReason) => failed.happen(Effect.succeed({ failure }))

  const give = (event: AgentEvent, bytes?: number) => {
    if (!turns.isUnderWay() && dialogue.standing() === "working") turns.begin(undefined)
    turns.give(event, bytes)
  }

  const checked = (outputs: ReadonlyArray<Output>) => changes.modeGuard?.checked(outputs) ?? outputs
  const push = (line: unknown) => checked(dialogue.push(line))

  const perform = (outputs: ReadonlyArray<Output>) => {
    for (const output of checked(outputs)) {
      if ("_tag" in output) act(output)
      else give(eventOfCli(output, options.workingDirectory))
    }
  }

  /** For input between two lines, such as an answer or a request: from now on the agent has to react. */
  const performAndTouch = (outputs: ReadonlyArray<Output>) => {
    perform(outputs)
    activity.touch()
  }

  const replying = { ...options, give: turns.give, perform: performAndTouch }
  const changes = makeChanges(replying)
  const asks = makeAsks({ ...replying, planAllowed: () => changes.modeGuard?.planAllowed() })
  const actRarely = makeRareActions({ ...replying, asks, changes, opened, fail })
  const standing = () => dialogue.standing()
  const activity = makeActivity({ standing, turns, asks, changes, admitting: () => admitting, touch: options.touch })

  const act = (action: Action) => {
    if (action._tag === "Asked") return asks.permission(action.ask)
    if (action._tag !== "Write") return actRarely(action)
    const problem = write(action.json)
    if (problem !== undefined) fail(unwritable(problem))
  }

  const isReady = () => ended === undefined && activity.takesTurn()

  /** A dialogue that throws ends the session with its error. */
  const performSafely = (outputs: () => ReadonlyArray<Output>) => {
    try {
      perform(outputs())
    } catch (error) {
      failed.happen(Effect.die(error))
    }
  }

  /** Starts the next turn if possible. */
  const startNext = () => {
    if (!isReady()) return
    const further = turns.takeFurther()
    if (further !== undefined) performSafely(() => dialogue.turn(further.prompt, further.input))
    // A turn that the dialogue refuses ends at once.
    while (isReady() && !turns.isUnderWay()) {
      const next = admitting === undefined ? waiting.shift() : admitting.next(waiting)
      if (next === undefined) break
      changes.modeGuard?.turnBegins()
      turns.begin(next)
      performSafely(() => dialogue.turn(next.text, next.input))
    }
  }

  /** After any change but those of a line. */
  const proceed = () => {
    startNext()
    activity.touch()
  }

  const remember = (text: string) => {
    texts = [...texts, text].slice(-16)
  }

  const enqueue = (turn: Turn) => {
    const refusal = ended ?? closing
    if (refusal !== undefined) return turns.refuse(turn, refusal)
    remember(turn.text)
    observe?.(turn)
    waiting.push(turn)
    proceed()
  }

  const interrupt = () => {
    if (ended !== undefined) return undefined
    if (!turns.isUnderWay()) return admitting?.withdraw(new Aborted()) ? Effect.void : undefined
    const isOver = turns.over()
    // Between two answers there is nothing to interrupt.
    if (turns.takeFurther() === undefined) performSafely(dialogue.interrupt)
    else turns.end({ failure: new Aborted() }, {}, true)
    proceed()
    return isOver
  }

  const steer: Conversation["steer"] = (text, attachments = []) => {
    const steered = turns.isUnderWay() ? dialogue.steer(text, { attachments }) : undefined
    if (steered === undefined) return false
    remember(text)
    perform(steered)
    proceed()
    return true
  }

  const admitting: Admitting | undefined =
    admitter && makeAdmitting({ admitter, turns, interrupt, fail, onChange: proceed })

  return {
    workingDirectory: options.workingDirectory,
    open: () => perform(dialogue.open()),
    stages: (use) => use((json) => json, push, dialogue.glance),
    give,
    act,
    // Output of a process that is being ended belongs to no turn, and its requests cannot be answered.
    isOver: () => ended !== undefined || failed.hasHappened(),
    fail,
    onLineEnd: () => {
      startNext()
      activity.look()
    },
    onChunk: activity.touch,
    turn: enqueue,
    leave: (turn) => {
      const index = waiting.indexOf(turn)
      if (index !== -1) {
        waiting.splice(index, 1)
        turns.refuse(turn, new Aborted())
      }
      if (admitting?.pending() === turn) admitting.withdraw(new Aborted())
      return turns.current() === turn ? interrupt() : undefined
    },
    steer,
    send: (text, answering, attachments = []) => {
      if (answering === undefined && steer(text, attachments)) return "steered"
      const turn = makeTurn(text, answering, attachments)
      // Its events are in the events of the session.
      turn.backlog.close()
      enqueue(turn)
      return turns.current() === turn || turn.ended !== undefined ? "started" : "queued"
    },
    interrupt,
    change: changes.ask,
    asks,
    opened,
    failed: failed.listen,
    ended: () => ended ?? closing,
    texts: () => texts,
    idle: activity.idle,
    isResting: activity.isResting,
    closeIfIdle: (before) => {
      if (ended !== undefined || failed.hasHappened() || !activity.isIdle() || waiting.length > 0) return false
      before()
      closing = new Aborted({ closed: "session" })
      failed.happen(Effect.succeed({ failure: undefined, mayLinger: true }))
      return true
    },
    conclude: (ending, stderr) => {
      if (ended !== undefined) return
      const { failure } = ending
      ended = failure === undefined || failure._tag === "Aborted" ? new Aborted({ closed: "session" }) : failure
      asks.end()
      turns.conclude(ending, stderr, dialogue.report?.() ?? {})
      admitting?.withdraw(ended)
      for (const turn of waiting.splice(0)) turns.refuse(turn, ended)
      changes.end(ended)
      activity.end()
    }
  }
}
