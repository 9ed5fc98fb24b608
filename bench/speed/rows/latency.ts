/** How much later the first event and the end come than the hand-written loop has them. */
import { runOf } from "../lines/claude.ts"
import { makeSay } from "../lines/words.ts"
import { inRounds } from "../rounds.ts"
import type { Row } from "../row.ts"
import { sampleOf } from "../sample.ts"
import { median, spreadOf } from "../statistics.ts"
import { number, spread, verdict } from "../table.ts"

interface Start {
  readonly first: number
  readonly done: number
  readonly over: number
}

interface Told {
  readonly starts: ReadonlyArray<Start>
}

const startsOfHost = 21
const hosts = ["startsLoop", "startsReins"] as const

const questions = [
  ["first", "call → first event"],
  ["done", "last line → `done` (the loop: its result is there)"],
  ["over", "last line → everything is over (the loop: `close`)"]
] as const

export const latency: Row = {
  names: ["latency"],
  measure: async ({ workspace, samples }) => {
    const lines = [...runOf(30, makeSay())].map((line) => `${line}\n`)
    const [pipe] = workspace.pipes(1)
    const parts = { beginning: lines.slice(0, -1).join(""), end: lines.at(-1) }
    const task = { command: workspace.pipeReader(), pipe, starts: startsOfHost, ...parts }
    const taken = await inRounds(hosts, samples, (host) => sampleOf<Told>(workspace, host, task))
    /** The first run of a process is another thing than those after it. */
    const valuesOf = (host: (typeof hosts)[number], what: keyof Start, isFirst: boolean) =>
      taken[host].flatMap(({ starts }) => (isFirst ? starts.slice(0, 1) : starts.slice(1)).map((start) => start[what]))
    const kinds = [
      ["later runs", false],
      ["first run of a process", true]
    ] as const
    const addedTo = (what: keyof Start, isFirst: boolean) =>
      median(valuesOf("startsReins", what, isFirst)) - median(valuesOf("startsLoop", what, isFirst))
    return [
      {
        title: "Added time to the first event, and from the last line to `done`",
        about: `In ms, of ${samples * (startsOfHost - 1)} later runs and ${samples} first ones each; the CLI is \`cat\` and prints at once. Added is the difference of the medians.`,
        head: ["", "", "loop", "Reins", "added"],
        rows: kinds.flatMap(([kind, isFirst]) =>
          questions.map(([what, title]) => [
            kind,
            title,
            spread(spreadOf(valuesOf("startsLoop", what, isFirst))),
            spread(spreadOf(valuesOf("startsReins", what, isFirst))),
            number(addedTo(what, isFirst))
          ])
        ),
        verdicts: kinds.flatMap(([kind, isFirst]) => [
          verdict(`First event, ${kind}`, addedTo("first", isFirst), 5, " ms"),
          verdict(`Last line to \`done\`, ${kind}`, addedTo("done", isFirst), 5, " ms")
        ])
      }
    ]
  }
}
