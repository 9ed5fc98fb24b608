/** `doctor` for plain callers. */
import { Effect } from "effect"
import type { DoctorOptions, DoctorReport } from "../../contract/DoctorReport.ts"
import { nodePlatform } from "../../system/process/Platform.ts"
import * as Doctor from "../Doctor.ts"
import { warnings } from "./Errors.ts"

/**
 * Looks for the CLIs on PATH and asks each for its version and whether it is signed in: no model is asked. Restores
 * settings files of the working directory that a killed run has left changed, as the next run would. Rejects with a
 * `TypeError` for invalid options, and for nothing else.
 */
export const doctor = (options?: DoctorOptions): Promise<DoctorReport> =>
  Effect.runPromise(Effect.provide(Doctor.doctor(options), [nodePlatform, warnings]))
