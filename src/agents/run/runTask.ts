/**
 * A run: one prompt as a task of the engine. stdout has its events and, at the end, the CLI's verdict. The events are
 * emitted in order, tallied, and nothing comes after `done`. An answer that does not match `outputSchema` gets a further
 * process of the same run.
 */
import { Clock, Deferred, Effect } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import type { Decoder, RunReport } from "../../cli/Decoder.ts"
import type { FoundSum } from "../../cli/stored/sumOfUsage.ts"
import { Aborted, type FailureReason } from "../../contract/AgentError.ts"
import type { AgentEvent, DoneEvent } from "../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../contract/AgentOptions.ts"
import { makeParagraphs } from "../../contract/paragraphs.ts"
import type { End, RunStart } from "../../contract/Start.ts"
import { stdinOf } from "../../system/process/stdin.ts"
import { type Answering, answeringOf, checkedDecoder } from "../answers/answering.ts"
import { sumOfReports, usageSince } from "../answers/sumOfReports.ts"
import { makeBacklog, smallEventBytes } from "../engine/backlog.ts"
import type { Course } from "../engine/course.ts"
import { makeEventGate } from "../engine/eventGate.ts"
import { type Ending, endingOf } from "../engine/judge.ts"
import type { Lifetimes } from "../engine/lifetimes.ts"
import { acceptParams, type Prepared, textsOf } from "../engine/prepare.ts"
import { errorEvent, makeResultTally } from "../engine/result.ts"
import { type Out, startOf } from "../engine/setUp.ts"
import { makeStop, requestStop, type Stop } from "../engine/stop.ts"
import { supervise, type Task } from "../engine/supervise.ts"
import { unreportedUsage, withFound } from "../engine/unreportedUsage.ts"
import { phaseOf, resultMissing } from "../engine/watchdog.ts"

/** A run is a resource: acquiring starts it, releasing ends it and waits until nothing of it is left. */
export const openRun = (cli: Cli, options: AgentOptions, { begin, background }: Lifetimes) =>
  Effect.fnUntraced(function* (params: AgentExecuteParams) {
    const backlog = makeBacklog()
    yield* Effect.addFinalizer(() => Effect.sync(backlog.close))
    const stop = makeStop()
    const events = yield* makeRunEvents(backlog.offer, stop)
    const answering = answeringOf(params, cli.supports.has("outputSchema") ? "option" : "prompt")
    const task = runTask(cli, options, events, makeAnswered(cli, answering))
    yield* begin(
      { type: "run", ended: events.ended, stop },
      supervise({ cli, options, input: params, task, stop, background }),
      backlog.end
    )
    return { events: backlog.events, ended: events.ended, answering }
  })

export interface RunEvents extends Out {
  /** Emits `error` for a failure, then `done`, which the gates may delay: `outlet.passed`. */
  readonly conclude: (ending: Ending, report: RunReport, stderr: string) => void
  readonly isToolOpen: () => boolean
  readonly hadSubAgent: () => boolean
}

export const makeRunEvents = Effect.fnUntraced(function* (
  emit: (event: AgentEvent, bytes: number) => void,
  stop: Stop
) {
  const tally = makeResultTally(yield* Clock.Clock)
  const outlet = makeEventGate((reason) => requestStop(stop, "gate", reason))
  const separated = makeParagraphs()
  let ended: End | undefined
  let isOver = false
  const count = (event: AgentEvent, bytes: number) => {
    tally.push(event)
    emit(event, bytes)
  }
  const pass = (decoded: AgentEvent, bytes: number) => {
    const event = separated(decoded)
    if (event === undefined) return
    if (outlet.passes(event)) count(event, bytes)
    else outlet.give(event, bytes, () => count(event, bytes))
  }
  const give = (event: AgentEvent, bytes = smallEventBytes) => {
    if (ended === undefined) pass(event, bytes)
  }
  const events: RunEvents = {
    give,
    giveNotice: (notice) => {
      if (ended === undefined) give(notice)
      else if (!isOver) outlet.insert(notice, () => emit(notice, smallEventBytes))
    },
    conclude: (ending, report, stderr) => {
      if (ended !== undefined) return
      outlet.close()
      if (ending.failure !== undefined) give(errorEvent(ending.failure))
      ended = tally.end(ending, report, stderr)
      outlet.settle(ended)
      // Kept in memory: its text is that of the tally, and would be written to disk and read again.
      const done: DoneEvent = { type: "done", result: ended.result }
      outlet.give(done, 0, () => {
        isOver = true
        count(done, 0)
      })
    },
    isToolOpen: tally.isToolOpen,
    hadSubAgent: tally.hadSubAgent,
    ended: () => ended,
    outlet
  }
  return events
})

/** The rest of the budget; undefined if nothing is left. */
const budgetAfter = ({ maxBudgetUsd }: AgentExecuteParams, { totalCostUsd = 0 }: RunReport) => {
  if (maxBudgetUsd === undefined) return {}
  return totalCostUsd < maxBudgetUsd ? { maxBudgetUsd: maxBudgetUsd - totalCostUsd } : undefined
}

type Answered = ReturnType<typeof makeAnswered>

/** The prompts of the processes of a run with an `outputSchema`, and the sums of their reports. Without one, nothing changes. */
export const makeAnswered = (cli: Cli, answering: Answering | undefined) => {
  let earlier: RunReport | undefined

  /** The parameters as the CLI gets them: a schema for which it has no option is in the prompt. */
  const forCli = (params: AgentExecuteParams): AgentExecuteParams => {
    if (answering === undefined) return params
    const { outputSchema, retries: _ours, ...others } = params
    const prompt = earlier === undefined ? answering.prompt(params.prompt) : params.prompt
    return { ...others, prompt, ...(answering.by === "option" ? { outputSchema } : {}) }
  }

  /** Returns undefined for an event that the run has emitted before. */
  const event = (event: AgentEvent) => {
    if (earlier === undefined) return event
    // The further process resumes the session, and repeats its facts.
    if (event.type === "session" && event.parentToolId === undefined) return undefined
    return event.type === "usage" ? usageSince(earlier, event) : event
  }

  return {
    event: answering && event,
    forCli,
    decoder: (params: AgentExecuteParams): Decoder => {
      const decoder = cli.decoder(forCli(params))
      return answering === undefined ? decoder : checkedDecoder(decoder, answering)
    },
    report: (report: RunReport) => sumOfReports(earlier, report),
    /** The parameters of a further process, if the agent is to be asked again. */
    again: (
      failure: FailureReason,
      params: AgentExecuteParams,
      report: RunReport,
      give: (event: AgentEvent) => void
    ): AgentExecuteParams | undefined => {
      const sum = sumOfReports(earlier, report)
      const budget = budgetAfter(params, sum)
      if (report.sessionId === undefined || params.ephemeral === true || budget === undefined) return undefined
      const next = answering?.again(failure)
      if (next === undefined) return undefined
      for (const notice of next.notices) give(notice)
      earlier = sum
      // The session has them.
      const { attachments: _seen, forkSession: _fork, newSessionId: _new, ...others } = params
      return { ...others, prompt: next.prompt, sessionId: report.sessionId, ...budget }
    }
  }
}

const giveTo = ({ give }: RunEvents, convert: Answered["event"]): RunEvents["give"] =>
  convert === undefined
    ? give
    : (event, bytes) => {
        const further = convert(event)
        if (further !== undefined) give(further, bytes)
      }

/** The totals of all processes of a run, and its report. */
const makeAccounts = (cli: Cli, { hadSubAgent }: RunEvents) => {
  let since: number | undefined
  let processes = 0
  let found: FoundSum | undefined
  return {
    begin: (now: number) => {
      since ??= now
      processes += 1
    },
    complete: (env: Prepared["env"], { sessionId, usage }: RunReport) =>
      Effect.flatMap(Clock.currentTimeMillis, (until) => {
        const spent = {
          sessionId,
          since: since ?? until,
          until,
          usage,
          hadSubAgent: hadSubAgent(),
          isPartial: processes > 1
        }
        const finding = unreportedUsage({ cli, env }, "run", spent) ?? Effect.undefined
        return Effect.map(finding, (sum) => {
          found = sum
        })
      }),
    completed: (report: RunReport) => withFound(report, found)
  }
}

export const runTask = (
  cli: Cli,
  options: AgentOptions,
  events: RunEvents,
  answered: Answered
): Task<AgentExecuteParams, RunStart> => {
  const accounts = makeAccounts(cli, events)
  return {
    accept: (input) => acceptParams(cli, input),
    plan: (params, agentOptions, context) => cli.plan(answered.forCli(params), agentOptions, context),
    start: (prepared) => startOf("run", cli, options, prepared),
    out: events,
    course: ({ prepared: { params, plan, env }, watchdog }) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        accounts.begin(now)
        const decoder = answered.decoder(params)
        const reported = Deferred.makeUnsafe<Ending>()
        const end = (ending: Ending) => void Deferred.doneUnsafe(reported, Effect.succeed(ending))
        const report = () => answered.report(decoder.report())
        let isCut = false
        const course: Course<AgentExecuteParams> = {
          stages: decoder.stages,
          permissionMode: params.permissionMode,
          stdin: stdinOf(plan.stdin ?? ""),
          give: giveTo(events, answered.event),
          isOver: () => Deferred.isDoneUnsafe(reported),
          fail: (failure) => end({ failure }),
          onLineEnd: ({ isUnfinished, notices }) => {
            isCut = isUnfinished && notices.length > 0
            // After an unfinished line the exit follows, which has more information.
            if (!isUnfinished && decoder.standing() === "ended") end(endingOf(decoder.verdict(undefined)))
          },
          onChunk: () => watchdog.touch(phaseOf(decoder.standing(), events.isToolOpen(), "linger")),
          end: reported,
          // Some CLIs exit before the pipe has taken everything: the text after a half line may have been a failure.
          verdict: (exit) => {
            const verdict = decoder.verdict(exit)
            return isCut && verdict?._tag === "Success" ? undefined : verdict
          },
          settle: (budgetMs) => {
            events.give(resultMissing(budgetMs))
            return { ...endingOf(decoder.settled()), mayLinger: false }
          },
          endingWhenLeft: () => ({ failure: new Aborted() }),
          again: ({ failure }) => failure && answered.again(failure, params, decoder.report(), events.give),
          texts: () => textsOf(answered.forCli(params)),
          conclude: (ending, stderr) => events.conclude(ending, accounts.completed(report()), stderr),
          account: () => accounts.complete(env, report()),
          mayLinger: true
        }
        return course
      }),
    refuse: (failure) => events.conclude({ failure }, answered.report({}), "")
  }
}
