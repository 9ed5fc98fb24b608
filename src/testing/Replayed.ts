/** A recording → steps: its lines, with their pauses on request. */
import { readFileSync } from "node:fs"
import { timesFileOf } from "../agents/engine/recorder.ts"
import { InvalidFake } from "./InvalidFake.ts"
import type { ActStep } from "./Steps.ts"

export interface ReplayOptions {
  /** `recorded`: each line as long after the start as it came in the recorded run. Default: `none`, at once. */
  readonly timing?: "none" | "recorded"
  /** The recorded times are multiplied by this. Default: 1. */
  readonly factor?: number
  /** Only so many of its lines, the first. Default: all. */
  readonly lines?: number
  /** The behaviour of the process after them. Default: it exits with 0. */
  readonly end?: ReadonlyArray<ActStep>
}

export type ReplayStep = ActStep | { readonly type: "waitUntil"; readonly ms: number }

const read = (file: string, problem: string) => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    throw new InvalidFake({ subject: `recording ${JSON.stringify(file)}`, problem })
  }
}

/** Milliseconds since the recording began, one for each line. */
const timesOf = (file: string, count: number): ReadonlyArray<number> => {
  const place = timesFileOf(file)
  const text = read(place, "its times cannot be read; record the run anew, or replay it with timing none")
  const times = text.split("\n").slice(0, -1).map(Number)
  if (times.length === count && times.every((ms, index) => ms >= (times[index - 1] ?? 0))) return times
  const problem = `has ${count} lines, and its times are not of them; record the run anew, or replay it with timing none`
  throw new InvalidFake({ subject: `recording ${JSON.stringify(file)}`, problem })
}

export const replayed = (
  file: string,
  { timing = "none", factor = 1, lines: most, end = [] }: ReplayOptions
): ReadonlyArray<ReplayStep> => {
  if (!Number.isFinite(factor) || factor < 0) {
    throw new InvalidFake({
      subject: "factor",
      problem: `${factor} is not a factor for times: use a number, 0 or more`
    })
  }
  const text = read(file, "cannot be read; `record` of a run, or `reins run --record`, makes one")
  const all = text === "" ? [] : text.split(/(?<=\n)/)
  const times = timing === "recorded" ? timesOf(file, all.length) : []
  const steps = all.slice(0, most).flatMap((value, index): ReadonlyArray<ReplayStep> => {
    const line = { type: "line", value, newline: false } as const
    const ms = times[index]
    if (ms === undefined || ms === (times[index - 1] ?? 0)) return [line]
    return [{ type: "waitUntil", ms: ms * factor }, line]
  })
  const hasEnd = ["exit", "signal", "hang"].includes(end.at(-1)?.type ?? "")
  return [...steps, ...end, ...(hasEnd ? [] : [{ type: "exit", code: 0 } as const])]
}
