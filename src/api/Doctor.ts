/** Examines the CLIs on this machine, with a fix for each problem: `reins doctor` as a function. */
import { Effect, Result, Schema } from "effect"
import { type CliId, clis } from "../cli/clis.ts"
import { makeParser } from "../contract/checkInput.ts"
import type { DoctorOptions, DoctorReport } from "../contract/DoctorReport.ts"
import { MaybeSecret } from "../contract/Redacted.ts"
import { isDirectoryGone } from "../system/currentDirectory.ts"
import type { Platform } from "../system/process/Platform.ts"
import { diagnose } from "./doctor/diagnose.ts"

const ids = Object.keys(clis).filter((id): id is CliId => Object.hasOwn(clis, id))

const parse = makeParser(
  Schema.Struct({
    agents: Schema.optional(Schema.Array(Schema.Literals(ids))),
    workingDirectory: Schema.optional(Schema.NonEmptyString),
    store: Schema.optional(
      Schema.Struct({ directory: Schema.optional(Schema.NonEmptyString), postgres: Schema.optional(MaybeSecret) })
    )
  }),
  "options"
)

const directoryError = (cause: unknown) =>
  new TypeError("doctor: the current directory no longer exists: name one as workingDirectory", { cause })

/**
 * Looks for the CLIs on PATH and asks each for its version and whether it is signed in: no model is asked. Restores
 * settings files of the working directory that a killed run has left changed, as the next run would. Never fails; invalid
 * options, and a current directory that was removed, are a defect (`TypeError`).
 */
export const doctor = (options: DoctorOptions = {}): Effect.Effect<DoctorReport, never, Platform> => {
  const parsed = parse(options)
  if (Result.isFailure(parsed)) return Effect.die(new TypeError(`doctor: ${parsed.failure.message}`))
  const { agents = ids, workingDirectory, store } = parsed.success
  const checked = [...new Set(agents)].map((id) => clis[id])
  return diagnose({ checked, all: Object.values(clis), workingDirectory, store }).pipe(
    Effect.catchDefect((defect) => Effect.die(isDirectoryGone(defect) ? directoryError(defect) : defect))
  )
}
