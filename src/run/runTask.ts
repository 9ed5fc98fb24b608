/** A run: one prompt as a task of the engine. stdout has its events and, at the end, the CLI's verdict. */
import { Deferred, Effect, Stream } from "effect"
import type { Cli } from "../cli/Cli.ts"
import { Aborted } from "../contract/AgentError.ts"
import type { AgentExecuteParams } from "../contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../contract/AgentOptions.ts"
import type { RunStart } from "../contract/Start.ts"
import { makeBacklog } from "../engine/backlog.ts"
import { type Ending, endingOf } from "../engine/judge.ts"
import type { Lifetimes } from "../engine/lifetimes.ts"
import { makeOutbox, type Outbox } from "../engine/outbox.ts"
import { acceptParams, textsOf } from "../engine/prepare.ts"
import { startOf } from "../engine/setUp.ts"
import { type Course, supervise, type Task } from "../engine/supervise.ts"
import { phaseOf } from "../engine/watchdog.ts"

export const runTask = (cli: Cli, options: AgentOptions, outbox: Outbox): Task<AgentExecuteParams, RunStart> => ({
  accept: (input) => acceptParams(cli, input),
  plan: cli.plan,
  start: (prepared) => startOf("run", cli, options, prepared),
  out: outbox,
  course: ({ prepared: { params, plan }, watchdog }) =>
    Effect.sync(() => {
      const decoder = cli.decoder(params)
      const reported = Deferred.makeUnsafe<Ending>()
      const end = (ending: Ending) => {
        Deferred.doneUnsafe(reported, Effect.succeed(ending))
      }
      let isCut = false
      const course: Course = {
        stages: decoder.stages,
        permissionMode: params.permissionMode,
        stdin: Stream.make(plan.stdin ?? ""),
        give: outbox.give,
        isOver: () => Deferred.isDoneUnsafe(reported),
        fail: (failure) => end({ failure }),
        onLineEnd: ({ isUnfinished, notices }) => {
          isCut = isUnfinished && notices.length > 0
          // After an unfinished line the exit follows, which has more information.
          if (!isUnfinished && decoder.standing() === "ended") end(endingOf(decoder.verdict(undefined)))
        },
        onChunk: () => watchdog.touch(phaseOf(decoder.standing(), outbox.isToolOpen(), "linger")),
        endReported: Deferred.await(reported),
        // Some CLIs exit before the pipe has taken everything: the text after a half line is lost, and may have been a failure.
        verdict: (exit) => {
          const verdict = decoder.verdict(exit)
          return isCut && verdict?._tag === "Success" ? undefined : verdict
        },
        endingWhenLeft: () => ({ failure: new Aborted() }),
        texts: () => textsOf(params),
        conclude: (ending, stderr) => outbox.conclude(ending, decoder.report(), stderr),
        mayLinger: true
      }
      return course
    }),
  refuse: (failure) => outbox.conclude({ failure }, {}, "")
})

/** A run is a resource: acquiring starts it, releasing ends it and waits until nothing of it is left. */
export const openRun = (cli: Cli, options: AgentOptions, { begin, background }: Lifetimes) =>
  Effect.fnUntraced(function* (params: AgentExecuteParams) {
    const backlog = makeBacklog()
    yield* Effect.addFinalizer(() => Effect.sync(backlog.close))
    const outbox = yield* makeOutbox(backlog.offer)
    yield* begin(
      "AgentRuntime.run",
      (left) => supervise({ cli, options, input: params, task: runTask(cli, options, outbox), left, background }),
      backlog.end
    )
    return { events: backlog.events, ended: outbox.ended }
  })
