/** A recorded wire transcript → its events, through the same reader, decoder and tally as a live run; pure. */
import { NoResult } from "./AgentError.ts"
import type { AgentEvent } from "./AgentEvent.ts"
import type { Cli } from "./cli/Cli.ts"
import { errorEvent } from "./run/failure.ts"
import { makeResult } from "./run/judge.ts"
import { makeReader } from "./run/reader.ts"
import { makeTally } from "./run/tally.ts"

/** Ends in exactly one `done`. Nothing is known of the process, so its exit and the run's duration are not told. */
export const replay = (cli: Cli, transcript: string): ReadonlyArray<AgentEvent> => {
  const decoder = cli.decoder({ prompt: "" })
  const reader = makeReader(decoder)
  const tally = makeTally()
  const events = [...reader.push(new TextEncoder().encode(transcript)), ...reader.end()]
  for (const event of events) tally.push(event)
  const verdict = decoder.verdict(undefined)
  const failure =
    verdict === undefined ? new NoResult({ stderr: "" }) : verdict._tag === "Failure" ? verdict.reason : undefined
  const ending = { failure }
  const result = makeResult({ ending, text: tally.text(), durationMs: 0, report: decoder.report(), stderr: "" })
  return [...events, ...(failure === undefined ? [] : [errorEvent(failure)]), { type: "done", result }]
}
