/**
 * A decoder that succeeds only with an answer that meets the run's `outputSchema`, even if the CLI reports success. A
 * value that does not is not given as `structuredOutput`; the answer stays in the result's text.
 */
import { SchemaNotMet } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { Decoder } from "./Decoder.ts"
import { makeOutputCheck } from "./outputCheck.ts"

const uncheckedNotice = (reason: string): AgentEvent => ({
  type: "notice",
  kind: "warning",
  message: `outputSchema uses keywords that are not checked here, so the answer is taken as the CLI gives it: ${reason}`
})

export const checkedDecoder = (decoder: Decoder, outputSchema: Readonly<Record<string, unknown>>): Decoder => {
  const { unchecked, problemOf } = makeOutputCheck(outputSchema)
  let isReported = unchecked === undefined

  const withNotice = (events: ReadonlyArray<AgentEvent>) => {
    if (isReported || unchecked === undefined) return events
    isReported = true
    return [...events, uncheckedNotice(unchecked)]
  }

  return {
    ...decoder,
    stages: (use) => decoder.stages((wire, step) => use(wire, (form, json) => withNotice(step(form, json)))),
    report: () => {
      const { structuredOutput, ...facts } = decoder.report()
      const isMet = structuredOutput !== undefined && problemOf(structuredOutput) === undefined
      return isMet ? { ...facts, structuredOutput } : facts
    },
    verdict: (exit) => {
      const verdict = decoder.verdict(exit)
      if (verdict?._tag !== "Success") return verdict
      const { structuredOutput } = decoder.report()
      const problem = structuredOutput === undefined ? "the answer is no JSON value" : problemOf(structuredOutput)
      return problem === undefined ? verdict : { _tag: "Failure", reason: new SchemaNotMet({ problem }) }
    }
  }
}
