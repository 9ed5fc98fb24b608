/** Opens a run: its events wait in a backlog until the caller takes them. */
import { Effect } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../contract/AgentOptions.ts"
import { answeringOf } from "../answers/answering.ts"
import { makeBacklog } from "../engine/backlog.ts"
import type { Lifetimes } from "../engine/lifetimes.ts"
import { supervise } from "../engine/supervise.ts"
import { makeAnswered } from "./answered.ts"
import { makeRunEvents, runTask } from "./runTask.ts"

/** A run is a resource: acquiring starts it, releasing ends it and waits until nothing of it is left. */
export const openRun = (cli: Cli, options: AgentOptions, { begin, background }: Lifetimes) =>
  Effect.fnUntraced(function* (params: AgentExecuteParams) {
    const backlog = makeBacklog()
    yield* Effect.addFinalizer(() => Effect.sync(backlog.close))
    const events = yield* makeRunEvents(backlog.offer)
    const answering = answeringOf(params, cli.supports.has("outputSchema") ? "option" : "prompt")
    const task = runTask(cli, options, events, makeAnswered(cli, answering))
    yield* begin(
      { type: "run", ended: events.ended },
      (left) => supervise({ cli, options, input: params, task, left, background }),
      backlog.end
    )
    return { events: backlog.events, ended: events.ended, answering }
  })
