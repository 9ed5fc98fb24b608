/** A live session as a task of the engine: stdout goes to a conversation, and its lines go to stdin. */
import { Clock, Deferred, Effect, Result } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import type { Live } from "../../cli/Live.ts"
import { Aborted, type FailureReason } from "../../contract/AgentError.ts"
import type { NoticeEvent } from "../../contract/AgentEvent.ts"
import type { AgentOpenParams } from "../../contract/AgentOpenParams.ts"
import type { AgentOptions } from "../../contract/AgentOptions.ts"
import type { HostTool } from "../../contract/HostTool.ts"
import { encodeJson } from "../../contract/json.ts"
import type { ApprovalRule } from "../../contract/Rule.ts"
import type { SessionStart } from "../../contract/Start.ts"
import { startStopwatch } from "../../system/hostClock.ts"
import { makeStdin } from "../../system/process/stdin.ts"
import { makeApprover } from "../approvals/approver.ts"
import type { Course } from "../engine/course.ts"
import { killGrace } from "../engine/endings.ts"
import type { Ending } from "../engine/judge.ts"
import { OwnRequests } from "../engine/ownSeams.ts"
import { textsOf } from "../engine/prepare.ts"
import { redactReason } from "../engine/redact.ts"
import { withRetryAt } from "../engine/retryTime.ts"
import { isGuarded } from "../engine/sessionGuard.ts"
import { type ProcessContext, scopedFork, startOf } from "../engine/setUp.ts"
import type { Task } from "../engine/supervise.ts"
import { unreportedUsage } from "../engine/unreportedUsage.ts"
import { findPlace, isWanted } from "../guard/place.ts"
import { turnSeams } from "./admitting.ts"
import { type Conversation, makeConversation } from "./conversation.ts"
import { acceptOpenParams, loadPart, withHostTools } from "./openParams.ts"
import type { Turns } from "./turns.ts"

/** Time between two looks: a turn that follows the last one at once is not cut off. */
const pause = "500 millis"

const notice: NoticeEvent = {
  type: "notice",
  kind: "info",
  message: "The session is closed: it was idle, and another process or run waits for it",
  data: { closed: "wanted" }
}

/** Closes the idle session if another process or run waits for it. */
const closeWhenAsked = Effect.fnUntraced(function* (
  { cli, limits }: SessionStart,
  conversation: Pick<Conversation, "idle" | "closeIfIdle">,
  turns: Pick<Turns, "give" | "sessionId">
) {
  const requests = yield* OwnRequests
  const ofSession = Effect.gen(function* () {
    const sessionId = turns.sessionId()
    if (sessionId === undefined || !isGuarded({ limits })) return false
    const place = yield* Effect.option(findPlace({ what: "session", cli, sessionId }))
    return place._tag === "Some" && isWanted(place.value)
  })
  const isAsked = Effect.map(ofSession, (isIt) => isIt || requests.some((request) => request()))
  while (true) {
    yield* conversation.idle
    yield* Effect.sleep(pause)
    if (!(yield* isAsked)) continue
    if (conversation.closeIfIdle(() => turns.give(notice))) return
  }
})

/** The stdin of a live CLI: lines of JSON. */
export const makeLiveStdin = () => {
  const stdin = makeStdin()
  /** Returns the problem if a value cannot be written, to follow its name. */
  const writeJson = (json: unknown): string | undefined => {
    const encoded = encodeJson(json)
    return Result.isFailure(encoded) ? encoded.failure : stdin.write(`${encoded.success}\n`)
  }
  return { writeJson, stdin }
}

const patience = "500 millis"

/** `ready` is completed when turns can start, or with the reason why they never can. */
export const sessionTask = (
  cli: Cli,
  live: Live,
  options: AgentOptions,
  turns: Turns,
  ready: Deferred.Deferred<Conversation, FailureReason>
): Task<AgentOpenParams, SessionStart> => ({
  accept: (input) => acceptOpenParams(cli, live, input),
  equip: (params) => withHostTools(cli, live, params),
  plan: live.plan,
  start: (prepared) => startOf("session", cli, options, prepared),
  out: turns,
  course: Effect.fnUntraced(function* (context) {
    const { prepared } = context
    const liveStdin = makeLiveStdin()
    const { stdin } = liveStdin
    const fork = yield* scopedFork
    turns.accountBy((spent) => unreportedUsage({ cli, env: prepared.env }, "live", spent))
    const conversation = yield* converse(cli, live, options, turns, liveStdin, context)
    // In any case, so that nothing waits forever.
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        if (turns.ended() === undefined) conversation.conclude({ failure: new Aborted() }, "")
      })
    )
    const course: Course = {
      ...conversation,
      stdin,
      onRunning: () => {
        conversation.open()
        fork(closeWhenAsked(context.start, conversation, turns))
        // All of its first lines are written: the caller can begin turns.
        fork(Effect.asVoid(Effect.andThen(Deferred.await(conversation.opened), Deferred.succeed(ready, conversation))))
      },
      settingsRead: Deferred.await(conversation.opened),
      end: conversation.failed,
      verdict: () => (conversation.isResting() ? { _tag: "Success" } : undefined),
      endingWhenLeft: () => {
        const isResting = conversation.isResting()
        return { failure: isResting ? undefined : new Aborted(), mayLinger: isResting }
      },
      // A CLI that refuses to open a session usually exits at once: its exit and stderr belong to the failure.
      complete: (ending, exit) => {
        if (ending.failure?._tag !== "AgentFailed" || Deferred.isDoneUnsafe(ready)) return Effect.succeed(ending)
        const left = Effect.map(exit, (exit): Ending => ({ ...ending, exit }))
        stdin.end()
        return Effect.raceFirst(left, Effect.as(Effect.sleep(patience), ending))
      },
      conclude: (ending, stderr) => {
        conversation.conclude(ending, stderr)
        Deferred.doneUnsafe(ready, Effect.fail(conversation.ended() ?? new Aborted()))
      },
      stop: stdin.end,
      texts: () => [...textsOf(prepared.params), ...conversation.texts()],
      mayLinger: live.leavesAtEndOfInput
    }
    return course
  }),
  refuse: (failure) => {
    turns.conclude({ failure }, "")
    Deferred.doneUnsafe(ready, Effect.fail(failure))
  }
})

/** Allows calls of host tools. */
const ownTools = ({ hostToolPrefixes }: Live, tools: ReadonlyArray<HostTool>): ReadonlyArray<ApprovalRule> => {
  const names = tools.flatMap(({ name }) => hostToolPrefixes.map((prefix) => prefix + name))
  return names.length === 0 ? [] : [{ _tag: "Allow", match: { kinds: ["mcp"], tools: names } }]
}

/** Answers MCP messages of the CLI; loaded on demand, since it is rarely needed. */
const exchangeFor = Effect.fnUntraced(function* (command: string, live: Live, tools: ReadonlyArray<HostTool>) {
  if (tools.length === 0 || live.hostTools !== "dialogue") return () => Effect.succeed(undefined)
  const { makeHostExchange } = yield* loadPart(command, () => import("../hostTools/hostExchange.ts"))
  return (yield* makeHostExchange(tools)).respond
})

const converse = Effect.fnUntraced(function* (
  cli: Cli,
  live: Live,
  options: AgentOptions,
  turns: Turns,
  { writeJson, stdin }: ReturnType<typeof makeLiveStdin>,
  context: ProcessContext<AgentOpenParams, SessionStart>
) {
  const { prepared, start: session, watchdog, redactor, background } = context
  const { params, workingDirectory, command } = prepared
  const { approvals = [], questions, permissionMode, hooks = [], tools = [] } = params
  const clock = yield* Clock.Clock
  const fork = yield* scopedFork
  // Needed by rules for plans only.
  if (approvals.some((rule) => rule._tag === "Plan")) turns.countText()
  const facts = { workingDirectory, now: startStopwatch(clock), textLength: turns.textLength, turn: turns.number }
  const grace = killGrace(options, true)
  return makeConversation({
    cli,
    permissionMode,
    dialogue: live.dialogue(params, prepared),
    turns,
    seams: yield* turnSeams({ session, turns, fork, grace, background, redact: redactor.text }),
    approver: makeApprover([...approvals, ...ownTools(live, tools)], facts),
    questions,
    hooks,
    respond: yield* exchangeFor(command, live, tools),
    workingDirectory,
    clock,
    fork,
    isWritable: stdin.isOpen,
    write: writeJson,
    touch: watchdog.touch,
    redact: (failure) => withRetryAt(redactReason(failure, redactor), clock.currentTimeMillisUnsafe())
  })
})
