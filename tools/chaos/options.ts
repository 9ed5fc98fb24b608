/** The command line of `npm run chaos`; pure. */
import { parseArgs } from "node:util"

export interface Options {
  readonly seconds: number
  readonly seed: number
  /** Only these steps, both ends included. */
  readonly only: readonly [first: number, last: number] | undefined
  /** Each of those so often. */
  readonly times: number
}

export const usage = `npm run chaos -- [--seconds 60] [--seed N] [--only STEP or FIRST-LAST] [--times 1]`

const whole = (text: string | undefined, otherwise: number): number | undefined => {
  if (text === undefined) return otherwise
  return /^\d+$/.test(text) ? Number(text) : undefined
}

const rangeOf = (text: string | undefined): Options["only"] | "wrong" => {
  if (text === undefined) return undefined
  const [first, last = first, ...more] = text.split("-").map((part) => (part === "" ? Number.NaN : Number(part)))
  if (first === undefined || last === undefined || more.length > 0) return "wrong"
  return Number.isInteger(first) && Number.isInteger(last) && first >= 1 && first <= last ? [first, last] : "wrong"
}

/** Undefined when something in it is wrong. */
export const parseOptions = (args: ReadonlyArray<string>, randomSeed: number): Options | undefined => {
  const string = { type: "string" } as const
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { seconds: string, seed: string, only: string, times: string }
    })
    const [seconds, seed, times] = [whole(values.seconds, 60), whole(values.seed, randomSeed), whole(values.times, 1)]
    const only = rangeOf(values.only)
    if (seconds === undefined || seed === undefined || times === undefined || only === "wrong") return undefined
    return { seconds, seed, only, times }
  } catch {
    return undefined
  }
}
