/** Values of steps, checked as far as no CLI is needed for it. Each throws `InvalidFake`, which names the step. */
import { constants } from "node:os"
import { Duration, Option } from "effect"
import type { DurationInput } from "../contract/Input.ts"
import { InvalidFake } from "./InvalidFake.ts"
import type { SignalName } from "./Steps.ts"

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
