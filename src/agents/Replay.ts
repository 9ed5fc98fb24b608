/** Decodes a recorded transcript into events, by the same pipeline as a live run. */

import { boundedFacts } from "../cli/boundedFacts.ts"
import type { Cli } from "../cli/Cli.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import { makeParagraphs } from "../contract/paragraphs.ts"
import { endingOf } from "./engine/judge.ts"
import { readAll } from "./engine/pipeline.ts"
import { errorEvent, makeResult, makeTally } from "./engine/result.ts"

/**
 * Ends in exactly one `done`, which has neither the exit of the process nor the duration of the run. Relative paths of files
 * are left out until the CLI has reported its working directory.
 */
export const replay = (cli: Cli, transcript: string): ReadonlyArray<AgentEvent> => {
  const decoder = cli.decoder({ prompt: "" })
  const tally = makeTally()
  const separated = makeParagraphs()
  let directory: string | undefined
  const events = readAll(decoder.stages, [new TextEncoder().encode(transcript)]).flatMap((event) => {
    if (event.type === "session") directory = event.workingDirectory ?? directory
    return separated(boundedFacts(event, directory)) ?? []
  })
  for (const event of events) tally.push(event)
  const ending = endingOf(decoder.verdict(undefined))
  const result = makeResult({ ending, text: tally.text(), durationMs: 0, report: decoder.report(), stderr: "" })
  return [...events, ...(ending.failure === undefined ? [] : [errorEvent(ending.failure)]), { type: "done", result }]
}
