/** The error of a fake CLI that cannot be made, and the checks of values of steps, which throw it. */
import { constants } from "node:os"
import { Duration, Option } from "effect"
import { acrossCopies } from "../contract/acrossCopies.ts"
import type { DurationInput } from "../contract/Input.ts"
import type { SignalName } from "./Steps.ts"

/** Thrown where the fake is defined, before anything is started. */
export class InvalidFake extends Error {
  readonly _tag = "InvalidFake"
  override readonly name = "InvalidFake"
  /** The invalid part, such as `step 2 (thinking)` or the name of a file. */
  readonly subject: string
  /** Why, and a remedy. */
  readonly problem: string

  constructor({ subject, problem }: Pick<InvalidFake, "subject" | "problem">) {
    super(`${subject}: ${problem}`)
    this.subject = subject
    this.problem = problem
  }
}

acrossCopies(InvalidFake, "InvalidFake")

export const millisOf = (subject: string, input: DurationInput): number => {
  const ms = Option.map(Duration.fromInput(input as Duration.Input), Duration.toMillis)
  if (Option.isSome(ms) && ms.value >= 0 && Number.isFinite(ms.value)) return Math.round(ms.value)
  throw new InvalidFake({
    subject,
    problem: `${String(input)} is not a duration: use milliseconds, or a text such as "50 millis"`
  })
}

export const exitCodeOf = (subject: string, code: number): number => {
  if (Number.isInteger(code) && code >= 0 && code <= 255) return code
  throw new InvalidFake({ subject, problem: `${code} is not an exit code: use an integer from 0 to 255` })
}

export const signalOf = (subject: string, signal: SignalName): SignalName => {
  if (Object.hasOwn(constants.signals, signal)) return signal
  throw new InvalidFake({ subject, problem: `${signal} is not a signal of this system, such as "SIGTERM"` })
}

/** The value as JSON keeps it. */
export const jsonOf = (subject: string, value: unknown): unknown => {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch {
    throw new InvalidFake({ subject, problem: "needs a value that JSON can say" })
  }
}
