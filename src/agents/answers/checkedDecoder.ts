/**
 * A decoder that succeeds only with an answer that matches the run's `outputSchema`, even if the CLI reports success. A
 * value that does not is not given as `structuredOutput`; the answer stays in the result's text.
 */
import type { Decoder, RunReport } from "../../cli/Decoder.ts"
import type { Answering } from "./answering.ts"

export const checkedDecoder = (decoder: Decoder, answering: Answering): Decoder => {
  /** The output of the latest verdict. */
  let output: Pick<RunReport, "structuredOutput"> = {}
  return {
    ...decoder,
    stages: (use) =>
      decoder.stages((wire, step, glance) =>
        use(wire, (form, json) => step(form, json).flatMap((event) => [event, ...answering.push(event)]), glance)
      ),
    report: () => {
      const { structuredOutput: _, ...facts } = decoder.report()
      return { ...facts, ...output }
    },
    verdict: (exit) => {
      const verdict = decoder.verdict(exit)
      if (verdict === undefined) return undefined
      const judged = answering.judge({ verdict, report: decoder.report() })
      output = "structuredOutput" in judged.report ? { structuredOutput: judged.report.structuredOutput } : {}
      return judged.verdict
    }
  }
}
