/**
 * Performs the actions of the dialogue in order, and passes requests of the caller to it, one turn at a time. Synchronous:
 * an answer never waits for a consumer of the events.
 */
import { Deferred, Effect } from "effect"
import type { Standing } from "../../cli/Decoder.ts"
import type { Action, Dialogue, Output } from "../../cli/Live.ts"
import { Aborted, type FailureReason, TimedOut } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { LoadedAttachment } from "../../contract/Attachment.ts"
import type { Delivery } from "../../contract/PlainSession.ts"
import type { Answering } from "../answers/answering.ts"
import type { Course } from "../engine/course.ts"
import type { Ending } from "../engine/judge.ts"
import { eventOfCli } from "../engine/listener.ts"
import { type Phase, resultMissing } from "../engine/watchdog.ts"
import type { HostCallsOptions } from "../hostTools/hostCalls.ts"
import { makeActivity } from "./activity.ts"
import { type Admitting, makeAdmitting, type TurnSeams } from "./admitting.ts"
import { type ChangesOptions, makeChanges } from "./changes.ts"
import { makeOpenRequests, type OpenRequestsOptions } from "./openRequests.ts"
import { makeRareActions, unwritable } from "./rareActions.ts"
import { makeTurn, type Turn } from "./turn.ts"
import type { Turns } from "./turns.ts"

export interface ConversationOptions
  extends Omit<OpenRequestsOptions & HostCallsOptions & ChangesOptions, "give" | "perform" | "planAllowed"> {
  readonly seams: TurnSeams
  readonly dialogue: Dialogue
  readonly turns: Turns
  /** Writes a line to the CLI's stdin; returns the problem if it cannot. */
  readonly write: (json: unknown) => string | undefined
  readonly touch: (phase: Phase) => void
}

export type Conversation = ReturnType<typeof makeConversation>

const isOfTurn = (standing: Standing) => standing === "working" || standing === "answered"

/** A live session in use; receives the meaning of the CLI's lines. */
export const makeConversation = (options: ConversationOptions) => {
  const { dialogue, turns, seams, write } = options
  const { observe, admitter } = seams
  const opened = Deferred.makeUnsafe<void>()
  const failed = Deferred.makeUnsafe<Ending>()
  const waiting: Array<Turn> = []
  /** The last texts of the caller, since a message at the end could quote them. */
  let texts: ReadonlyArray<string> = []
  let ended: FailureReason | undefined
  /** Set when it takes no more turns. */
  let closing: Aborted | undefined

  const end = (ending: Effect.Effect<Ending>) => void Deferred.doneUnsafe(failed, ending)
  const fail = (failure: FailureReason) => end(Effect.succeed({ failure }))

  const give = (event: AgentEvent, bytes?: number) => {
    if (!turns.isUnderWay() && isOfTurn(dialogue.standing())) turns.begin(undefined)
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

  /** For input between two lines, such as an answer or a request: the agent has to react to it. */
  const performAndTouch = (outputs: ReadonlyArray<Output>) => {
    perform(outputs)
    activity.touch()
  }

  const replying = { ...options, give: turns.give, perform: performAndTouch }
  const changes = makeChanges(replying)
  const requests = makeOpenRequests({ ...replying, planAllowed: () => changes.modeGuard?.planAllowed() })
  const actRarely = makeRareActions({ ...replying, requests, changes, opened, fail })
  const standing = () => dialogue.standing()
  const activity = makeActivity({
    standing,
    turns,
    requests,
    changes,
    admitting: () => admitting,
    touch: options.touch
  })

  const act = (action: Action) => {
    if (action._tag === "Asked") return requests.permission(action.ask)
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
      end(Effect.die(error))
    }
  }

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

  /** Called after every change but those of a line. */
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

  /** The CLI did not report the end of its turn. Returns the end of a session that cannot go on. */
  const settle = (budgetMs: number): Ending | undefined => {
    turns.give(resultMissing(budgetMs))
    performSafely(() => dialogue.settle?.() ?? [])
    proceed()
    return standing() === "answered" ? { failure: new TimedOut({ state: "idle", budgetMs }) } : undefined
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

  const steer = (text: string, attachments: ReadonlyArray<LoadedAttachment> = []) => {
    const steered = turns.isUnderWay() ? dialogue.steer(text, { attachments }) : undefined
    if (steered === undefined) return false
    requests.messageAdded()
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
    stages: ((use) => use((json) => json, push, dialogue.glance)) satisfies Course["stages"],
    give,
    act,
    // Output of a process that is being ended belongs to no turn, and its requests cannot be answered.
    isOver: () => ended !== undefined || Deferred.isDoneUnsafe(failed),
    fail,
    onLineEnd: () => {
      startNext()
      activity.look()
    },
    onChunk: activity.touch,
    turn: enqueue,
    /** Called when the caller of the turn has left. Returns like `interrupt` if the turn was running. */
    leave: (turn: Turn) => {
      const index = waiting.indexOf(turn)
      if (index !== -1) {
        waiting.splice(index, 1)
        turns.refuse(turn, new Aborted())
      }
      if (admitting?.pending() === turn) admitting.withdraw(new Aborted())
      return turns.current() === turn ? interrupt() : undefined
    },
    steer,
    settle,
    /** An answer by a schema needs a turn of its own. */
    send: (text: string, answering?: Answering, attachments: ReadonlyArray<LoadedAttachment> = []): Delivery => {
      if (answering === undefined && steer(text, attachments)) return "steered"
      const turn = makeTurn(text, answering, attachments)
      // Its events are in the events of the session.
      turn.backlog.close()
      enqueue(turn)
      return turns.current() === turn || turn.ended !== undefined ? "started" : "queued"
    },
    /** Returns an effect that waits for the end; undefined if no turn is running. */
    interrupt,
    change: changes.ask,
    requests,
    opened,
    failed,
    /** The reason of the end, once the session has ended or takes no more turns. */
    ended: (): FailureReason | undefined => ended ?? closing,
    texts: () => texts,
    idle: activity.idle,
    isResting: activity.isResting,
    /** Ends the session in good order if nothing happens in it; false if something does. `before`: its last event. */
    closeIfIdle: (before: () => void) => {
      if (ended !== undefined || Deferred.isDoneUnsafe(failed) || !activity.isIdle() || waiting.length > 0) return false
      before()
      closing = new Aborted({ closed: "session" })
      end(Effect.succeed({ failure: undefined, mayLinger: true }))
      return true
    },
    conclude: (ending: Ending, stderr: string) => {
      if (ended !== undefined) return
      const { failure } = ending
      ended = failure === undefined || failure._tag === "Aborted" ? new Aborted({ closed: "session" }) : failure
      requests.end()
      turns.conclude(ending, stderr, dialogue.report?.() ?? {})
      admitting?.withdraw(ended)
      for (const turn of waiting.splice(0)) turns.refuse(turn, ended)
      changes.end(ended)
      activity.end()
    }
  }
}
