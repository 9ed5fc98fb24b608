/** Decodes a recorded transcript into events, by the same pipeline as a live run. */

import type { Cli } from "./cli/Cli.ts"
import type { AgentEvent } from "./contract/AgentEvent.ts"
import { endingOf } from "./engine/judge.ts"
import { readAll } from "./engine/pipeline.ts"
import { errorEvent, makeResult } from "./engine/result.ts"
import { makeTally } from "./engine/tally.ts"

/** Ends in exactly one `done`, which has neither the exit of the process nor the duration of the run. */
export const replay = (cli: Cli, transcript: string): ReadonlyArray<AgentEvent> => {
  const decoder = cli.decoder({ prompt: "" })
  const tally = makeTally()
  const events = readAll(decoder.stages, [new TextEncoder().encode(transcript)])
  for (const event of events) tally.push(event)
  const ending = endingOf(decoder.verdict(undefined))
  const result = makeResult({ ending, text: tally.text(), durationMs: 0, report: decoder.report(), stderr: "" })
  return [...events, ...(ending.failure === undefined ? [] : [errorEvent(ending.failure)]), { type: "done", result }]
}
