/** The parts of the cost of a line: the same lines, each time through one stage more. */
import { claudeRun } from "../lines/runs.ts"
import { inRounds } from "../rounds.ts"
import type { Row } from "../row.ts"
import { cpuOf, runOnce, type Sample, sampleOf } from "../sample.ts"
import { median, spreadOf } from "../statistics.ts"
import { number, spread } from "../table.ts"

const lines = 200_000

const names = {
  split: "bytes into lines",
  parse: "lines into JSON",
  check: "the same, checked against the schema of the wire",
  events: "made into events, frequent lines at a glance",
  guards: "watched, tallied, secrets looked for",
  doors: "kept for the consumer and taken by `for await`",
  whole: "the whole run: a process started, read, ended and looked after"
}
type Stage = keyof typeof names

export const stages: Row = {
  names: ["stages"],
  measure: async ({ workspace, samples }) => {
    const stub = workspace.stubOf(claudeRun(lines))
    const order = Object.keys(names) as ReadonlyArray<Stage> // its own
    const taken: Record<Stage, ReadonlyArray<Sample>> = await inRounds(order, samples, (stage) =>
      stage === "whole"
        ? runOnce(workspace, "reins", stub)
        : sampleOf(workspace, "stages.ts", { stage, command: stub.command })
    )
    const microseconds = (stage: Stage | undefined) => (stage ? (1_000 * median(cpuOf(taken[stage]))) / lines : 0)
    return [
      {
        title: "What the cost of a line is made of",
        about: `${lines.toLocaleString("en")} Claude lines, each stage with all before it; the differences are those of the medians. A line that is read at a glance is neither parsed nor checked, so events can cost less than the checks of all lines.`,
        head: ["", "CPU in ms so far", "µs more for a line"],
        rows: order.map((stage, nth) => [
          names[stage],
          spread(spreadOf(cpuOf(taken[stage]))),
          number(microseconds(stage) - microseconds(order[nth - 1]))
        ]),
        verdicts: []
      }
    ]
  }
}
